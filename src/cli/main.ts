#!/usr/bin/env node
// The entry point of the command line.
import { cumuletProgram, withCommand } from './program.ts';
import { endWorker } from './workers.ts';

try {
  await cumuletProgram().parseAsync(withCommand(process.argv.slice(2)), { from: 'user' });
} catch (error) {
  process.stderr.write(`cumulet: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
  endWorker();
}
