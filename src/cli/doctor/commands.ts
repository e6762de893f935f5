// The command `cumulet doctor`.
import type { Command } from 'commander';
import { authorityVariable, print, withConfigFile } from '../../emulator/client.ts';
import { commanderOption } from '../../kernel/command-line.ts';
import { kernelOptions } from '../../kernel/settings.ts';
import { readConfigFile } from '../config-file.ts';
import { checkConfigFile, findingsOn, type Finding, type Subject } from './checks.ts';

/** The name of the command, which reads the configuration file itself, to report its mistakes. */
export const doctorCommand = 'doctor';

/** Adds `cumulet doctor`. */
export function addDoctorCommand(program: Command): void {
  const { port, host, tls, database } = kernelOptions;
  withConfigFile(
    program
      .command(doctorCommand)
      .description('look for what would stop an emulator or its clients; exit with 1 if so'),
  )
    .addOption(commanderOption({ ...port, help: 'port that the emulator is to use' }))
    .addOption(commanderOption({ ...host, help: 'address that the emulator is to use' }))
    .addOption(commanderOption({ ...tls, help: 'whether it is to serve HTTPS' }))
    .addOption(commanderOption(database))
    .option('--json', 'print JSON')
    .action(async (_: unknown, command: Command) => {
      const finding = checkConfigFile(() => {
        readConfigFile(command);
        return command.getOptionValue('config') as string | undefined;
      });
      await examine(finding, command.opts());
    });
}

type Options = Partial<Subject> & { readonly json?: boolean };

async function examine(
  config: Finding,
  {
    port = kernelOptions.port.default,
    host = kernelOptions.host.default,
    tls = false,
    database = kernelOptions.database.default,
    json = false,
  }: Options,
): Promise<void> {
  const found = await findingsOn({
    host,
    port,
    tls,
    cacert: process.env[authorityVariable],
    database,
    env: process.env,
  });
  const findings = [config, ...found];
  if (findings.some(({ result }) => result === 'problem')) process.exitCode = 1;
  if (json) print(JSON.stringify({ findings }));
  else for (const finding of findings) print(textOf(finding));
}

const textOf = ({ result, message, fix }: Finding): string =>
  [`${result.padEnd(9)}${message}`, ...(fix ? [`${' '.repeat(9)}Fix: ${fix}`] : [])].join('\n');
