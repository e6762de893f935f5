// The command `cumulet env`: prints the variables with which clients reach a running emulator.
import type { Command } from 'commander';
import { addressed, print, withUrl, type AddressOptions } from '../emulator/client.ts';
import { clientEnvironment } from '../emulator/client-configuration/configuration.ts';
import { commanderOption } from '../kernel/command-line.ts';
import { kernelOptions, type Config } from '../kernel/settings.ts';
import { configFrom } from './config.ts';

const clientGroup = 'Client:';

/** Adds `cumulet env`. */
export function addEnvCommand(program: Command): void {
  const { regions, centralRegion, adminPassword } = kernelOptions;
  const command = program
    .command('env')
    .description('print the OS_* variables for a running emulator: eval "$(cumulet env)"');
  const options = [
    { ...regions, help: 'regions of the emulator, comma-separated', defaultText: 'RegionOne' },
    { ...centralRegion, help: 'its central region, which is not used as OS_REGION_NAME' },
    { ...adminPassword, help: 'password of the user admin' },
  ] as const;
  withUrl(command);
  for (const declaration of options)
    command.addOption(commanderOption<unknown>(declaration as never).helpGroup(clientGroup));
  command.action((given: Record<string, unknown> & AddressOptions) =>
    printEnvironment(configFrom(given), addressed(given).url),
  );
}

function printEnvironment(config: Config, url: string): void {
  const { adminPassword, centralRegion } = config;
  const variables = clientEnvironment({
    origin: url.replace(/\/$/, ''),
    regions: config.regions.filter((name) => name !== centralRegion),
    password: adminPassword,
  });
  for (const [name, value] of Object.entries(variables))
    print(`export ${name}='${value.replaceAll("'", `'\\''`)}'`);
}
