// The command line of Cumulet, for tests that run it as a process of its own.
import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../src/kernel/package-root.ts';

/**
 * Builds the program that tests start as processes of their own: it starts in a tenth of the time
 * that the sources take. To measure line coverage, they run the sources.
 */
export function buildProgram(): void {
  if (process.env['NODE_V8_COVERAGE'] !== undefined) return;
  execFileSync(process.execPath, ['build.mjs'], { cwd: packageRoot(), stdio: 'inherit' });
  process.env['CUMULET_TEST_PROGRAM'] = 'dist/main.js';
}

/** The hook of tsx, which Node.js would not find by its name in other working directories. */
const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/** @returns the arguments of Node.js that start the built program, or else the sources */
export const programArguments = (): readonly string[] => {
  const root = packageRoot();
  const program = process.env['CUMULET_TEST_PROGRAM'];
  if (program !== undefined) return [resolve(root, program)];
  return ['--import', tsx, join(root, 'src', 'cli', 'main.ts')];
};

/** Writes the command `cumulet` of this checkout to a folder, for clients that find it on PATH. */
export function writeCommand(folder: string): void {
  const file = join(folder, 'cumulet');
  const program = join(packageRoot(), 'dist', 'main.js');
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  chmodSync(file, 0o755);
}
