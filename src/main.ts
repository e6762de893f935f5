#!/usr/bin/env node
// The command line: start, exec, env, reset.
import { Command } from 'commander';
import { configFrom, withServerFlags } from './config.ts';
import { packageVersion } from './kernel/root.ts';
import { env, exec, reset, start } from './commands.ts';
import { endWorker } from './workers.ts';

const program = new Command('cumulet')
  .description('A small OpenStack that fits on a laptop.')
  .version(packageVersion())
  .enablePositionalOptions()
  .showHelpAfterError('(cumulet --help lists the commands and flags)');

withServerFlags(program.command('start', { isDefault: true }).description('start the emulator (the default)')).action(
  (options: Record<string, unknown>) => start(configFrom(options)),
);

withServerFlags(program.command('exec').description('run a command against a fresh emulator in memory, and return its exit code'))
  .argument('<command...>', 'the command and its arguments, after --')
  .passThroughOptions()
  .action((command: string[], options: Record<string, unknown>, self: Command) => {
    const given = (name: string): boolean => self.getOptionValueSource(name) !== 'default';
    const own = {
      port: given('port') ? options['port'] : 0,
      database: given('database') ? options['database'] : 'memory:',
      logLevel: given('logLevel') ? options['logLevel'] : 'warn',
    };
    return exec(configFrom({ ...options, ...own }), command);
  });

withServerFlags(
  program.command('env').description('print the OS_* variables for a running emulator: eval "$(cumulet env)"'),
).action((options: Record<string, unknown>) => env(configFrom(options)));

program
  .command('reset')
  .description('put a running emulator back to its first state')
  .option('--url <url>', 'where it listens', 'http://127.0.0.1:6060')
  .option('--region <name>', 'only this region')
  .option('--service <name>', 'only this service')
  .option('--control-token <token>', 'the token that it was started with')
  .action(reset);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`cumulet: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
  endWorker();
}
