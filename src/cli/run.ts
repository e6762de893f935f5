// Runs the command line: see main.ts.
import { commandName } from '../kernel/command-line.ts';
import { refuseOptionsOfNpm, unknownVariables } from './environment.ts';
import { cumuletProgram } from './program.ts';
import { withCommand } from './words.ts';
import { endWorker, isWorker } from './workers.ts';

// A reader such as `head` may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

try {
  if (!isWorker())
    for (const text of unknownVariables(process.env))
      process.stderr.write(`cumulet: warning: ${text}\n`);
  refuseOptionsOfNpm(process.env);
  const words = withCommand(process.argv.slice(2));
  await cumuletProgram(commandName()).parseAsync(words, { from: 'user' });
} catch (error) {
  process.stderr.write(`cumulet: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
  endWorker();
}
