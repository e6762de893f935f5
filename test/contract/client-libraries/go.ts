// Reads the operations, parameters and types of the Go client from its sources.
import { sourcesIn, type Library } from './library.ts';

/** Reads the client in this folder. A Go module has no version in its sources. */
export function readGo(folder: string): Library {
  const sources = sourcesIn(folder, /(?<!_test)\.go$/);
  const fields = fieldsIn(sources);
  return {
    operations: Object.fromEntries(
      [...sources.matchAll(/^\t"(\w+:\w+)":\s+\{"(\w+)", "(.+)"\},$/gm)].map(
        ([, operation, method, path]) => [operation!, `${method} ${path}`],
      ),
    ),
    parameters: parametersIn(sources, fields),
    fields,
  };
}

/** The names in JSON of the fields of all structs that are sent or received. */
function fieldsIn(sources: string): Record<string, string[]> {
  const structs = [...sources.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)];
  return Object.fromEntries(
    structs
      .map(([, name, body]): [string, string[]] => [
        name!,
        [...body!.matchAll(/`json:"(\w+)/g)].map(([, field]) => field!),
      ])
      .filter(([, fields]) => fields.length > 0),
  );
}

function parametersIn(
  sources: string,
  fields: Readonly<Record<string, readonly string[]>>,
): Record<string, string[]> {
  const parameters: Record<string, string[]> = {};
  for (const method of sources.split(/^func /m)) {
    const signature = /^\(\w+ \*\w+\) \w+\(([^)]*)\)/.exec(method)?.[1] ?? '';
    const names = signature
      .split(',')
      .map((one) => one.trim().split(' '))
      .flatMap(([name = '', type = '']) => fields[type.replace('...', '')] ?? [snakeCase(name)]);
    for (const [, operation] of method.matchAll(/\.send\(\s*"(\w+:\w+)"/g))
      parameters[operation!] = names;
  }
  return parameters;
}

const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
