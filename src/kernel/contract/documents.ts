// The documents of api-ref: written in YAML, and read from the JSON that the build makes of them,
// because YAML takes a hundred times as long.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadYaml } from '../lazy.ts';
import { packageRoot } from '../package-root.ts';
import type { JsonObject } from '../json.ts';

const sources = (): string => join(packageRoot(), 'api-ref');
const compiled = (): string => join(packageRoot(), 'dist', 'documents');

/** The name tells what text the JSON was made of: one of an older text is not read. */
const fileFor = (name: string, text: string): string =>
  `${name}-${createHash('sha256').update(text).digest('hex').slice(0, 16)}.json`;

const sourceOf = (name: string): string => readFileSync(join(sources(), `${name}.yaml`), 'utf8');

/** The document of a service as it is written. */
export function readDocument(name: string): JsonObject {
  const text = sourceOf(name);
  return (made(fileFor(name, text)) ?? loadYaml().parse(text)) as JsonObject;
}

function made(file: string): unknown {
  try {
    return JSON.parse(readFileSync(join(compiled(), file), 'utf8'));
  } catch {
    return undefined; // nobody has built it, or from another text
  }
}

/** Makes the JSON of every document that has none yet, and removes what was made of older texts. */
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
    // Who reads it meanwhile sees all of it, or nothing.
    const draft = join(folder, `.${file}.${process.pid}`);
    writeFileSync(draft, JSON.stringify(loadYaml().parse(text)));
    renameSync(draft, join(folder, file));
  }
  for (const file of before)
    if (file.endsWith('.json') && !wanted.has(file)) rmSync(join(folder, file), { force: true });
}
