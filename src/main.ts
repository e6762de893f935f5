#!/usr/bin/env node
// The command line: start, exec, env, reset, region.
import { Command } from 'commander';
import { configFrom, withServerFlags } from './config.ts';
import { packageVersion } from './kernel/root.ts';
import { addRegion, dropRegion, env, exec, listRegions, reset, start } from './commands.ts';

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

const withReach = (command: Command): Command =>
  command
    .option('--url <url>', 'where it listens', 'http://127.0.0.1:6060')
    .option('--control-token <token>', 'the token that it was started with');

withReach(program.command('reset').description('put a running emulator back to its first state'))
  .option('--region <name>', 'only this region')
  .option('--service <name>', 'only this service')
  .action(reset);

const region = program.command('region').description('list, add and drop the regions of a running emulator');
withReach(region.command('list').description('one a line')).action(listRegions);
withReach(region.command('add').description('add a region'))
  .argument('<name>')
  .option('--from <region>', 'with all that this region holds now')
  .action(addRegion);
withReach(region.command('drop').description('drop a region with all that it holds')).argument('<name>').action(dropRegion);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`cumulet: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
