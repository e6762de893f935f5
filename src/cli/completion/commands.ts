// The command `cumulet completion`.
import { Argument, type Command } from 'commander';
import { completedShells, completionScript, type CompletedShell } from './scripts.ts';
import { placesOf } from './words.ts';

/** Adds `cumulet completion`. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print the script that lets a shell complete: source <(cumulet completion bash)')
    .addArgument(new Argument('<shell>', 'shell that is to complete').choices(completedShells))
    .action((shell: CompletedShell) => {
      process.stdout.write(completionScript(shell, placesOf(program)));
    });
}
