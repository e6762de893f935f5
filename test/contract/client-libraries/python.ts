// Reads the operations, parameters and types of the Python client from its sources.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourcesIn, type Library } from './library.ts';

/** Reads the client in this folder. */
export function readPython(folder: string): Library {
  const sources = sourcesIn(join(folder, 'src', 'cumulet'), /\.py$/);
  const project = readFileSync(join(folder, 'pyproject.toml'), 'utf8');
  return {
    version: /^version = "(.+)"$/m.exec(project)?.[1] ?? '',
    operations: Object.fromEntries(
      [...sources.matchAll(/^ {4}"(\w+:\w+)": \("(\w+)", "(.+)"\),$/gm)].map(
        ([, operation, method, path]) => [operation!, `${method} ${path}`],
      ),
    ),
    parameters: parametersIn(sources),
    fields: fieldsIn(sources),
  };
}

function parametersIn(sources: string): Record<string, string[]> {
  const parameters: Record<string, string[]> = {};
  for (const method of sources.split(/^ {4}def /m)) {
    const signature = /^\w+\(([\s\S]*?)\) ->/.exec(method)?.[1] ?? '';
    const names = [...signature.matchAll(/(\w+):/g)].map(([, name]) => name!.replace(/_$/, ''));
    for (const [, operation] of method.matchAll(/\.send\(\s*"(\w+:\w+)"/g))
      parameters[operation!] = names;
  }
  return parameters;
}

function fieldsIn(sources: string): Record<string, string[]> {
  const fields: Record<string, string[]> = {};
  for (const [, name, base, body] of sources.matchAll(
    /^class (\w+)\((\w+)(?:, total=False)?\):\n((?: {4}.*\n|\n)*)/gm,
  )) {
    const own = [...body!.matchAll(/^ {4}(\w+): /gm)].map(([, field]) => field!);
    fields[name!] = [...(fields[base!] ?? []), ...own];
  }
  return fields;
}
