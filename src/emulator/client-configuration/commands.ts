// The command `cumulet env`.
import { Option, type Command } from 'commander';
import {
  addressed,
  callEmulator,
  fetchFromEmulator,
  printJson,
  withAddress,
  withJson,
  type AddressOptions,
  type EmulatorAddress,
  type JsonOption,
} from '../client.ts';
import { shells, usualShell, type Shell } from './shells.ts';

/** Adds `cumulet env`. */
export function addEnvCommand(program: Command): void {
  const shell = new Option(
    '--shell <name>',
    'shell to write for; sh is also for bash, zsh and dash',
  )
    .choices(shells)
    .default(undefined, 'sh, or powershell on Windows')
    .conflicts('json');
  withAddress(
    withJson(program.command('env'))
      .description('print the OS_* variables for a running emulator: eval "$(cumulet env)"')
      .addOption(shell),
  ).action((options: JsonOption & AddressOptions & { shell?: Shell }) =>
    printEnvironment(addressed(options)),
  );
}

/**
 * Prints commands that set the variables, or the variables and what is missing as JSON.
 * @throws Error as `callEmulator`
 */
async function printEnvironment({
  shell = usualShell(process.platform),
  json = false,
  ...address
}: EmulatorAddress & JsonOption & { readonly shell?: Shell }): Promise<void> {
  if (json) return printJson(await callEmulator(address, 'GET', '/environment'));
  const response = await fetchFromEmulator(address, `/openrc?shell=${shell}`, {});
  process.stdout.write(await response.text());
}
