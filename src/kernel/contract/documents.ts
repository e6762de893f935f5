// The documents of api-ref. They are written in YAML, and read from the JSON that the build derives
// from it, because parsing YAML takes a hundred times as long. An installed package has only JSON.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { loadYaml } from '../lazy.ts';
import { packageRoot } from '../package-root.ts';
import { replaceFile } from '../db/write-file.ts';
import type { JsonObject } from '../json.ts';

const sources = (): string => join(packageRoot(), 'api-ref');
const compiled = (): string => join(packageRoot(), 'dist', 'documents');

/** The file name contains the hash of the YAML, so that outdated JSON is not read. */
const fileFor = (name: string, text: string): string =>
  `${name}-${createHash('sha256').update(text).digest('hex').slice(0, 16)}.json`;

const sourceOf = (name: string): string => readFileSync(join(sources(), `${name}.yaml`), 'utf8');

/** The document of a service. */
export function readDocument(name: string): JsonObject {
  if (!existsSync(sources())) return compiledDocument(`${name}.json`) as JsonObject;
  const text = sourceOf(name);
  return (compiledDocument(fileFor(name, text)) ?? loadYaml().parse(text)) as JsonObject;
}

function compiledDocument(file: string): unknown {
  try {
    return JSON.parse(readFileSync(join(compiled(), file), 'utf8'));
  } catch {
    return undefined; // not built yet, or from another text
  }
}

/** Writes the JSON of every document that has none yet, and removes outdated JSON. */
export function compileDocuments(): void {
  const folder = compiled();
  mkdirSync(folder, { recursive: true });
  const before = new Set(readdirSync(folder));
  const wanted = new Set<string>();
  for (const source of readdirSync(sources()).filter((file) => file.endsWith('.yaml'))) {
    const name = source.slice(0, -'.yaml'.length);
    const text = sourceOf(name);
    const file = fileFor(name, text);
    wanted.add(file);
    if (before.has(file)) continue;
    replaceFile(join(folder, file), JSON.stringify(loadYaml().parse(text)));
  }
  for (const file of before)
    if (file.endsWith('.json') && !wanted.has(file)) rmSync(join(folder, file), { force: true });
}
