// The command line of Cumulet, for tests that run it as a process of its own.
import { execFileSync } from 'node:child_process';
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

/** @returns the arguments of Node.js that start the built program, or else the sources */
export const programArguments = (): readonly string[] =>
  process.env['CUMULET_TEST_PROGRAM']?.split(' ') ?? ['--import', 'tsx', 'src/cli/main.ts'];
