// The command `cumulet env`.
import { Option, type Command } from 'commander';
import {
  addressed,
  fetchFromEmulator,
  withAddress,
  type AddressOptions,
  type EmulatorAddress,
} from '../client.ts';
import { shells, usualShell, type Shell } from './shells.ts';

/** Adds `cumulet env`. */
export function addEnvCommand(program: Command): void {
  const shell = new Option(
    '--shell <name>',
    'shell to write for; sh is also for bash, zsh and dash',
  )
    .choices(shells)
    .default(undefined, 'sh, or powershell on Windows');
  withAddress(
    program
      .command('env')
      .description('print the OS_* variables for a running emulator: eval "$(cumulet env)"')
      .addOption(shell),
  ).action((options: AddressOptions & { shell?: Shell }) => printEnvironment(addressed(options)));
}

/** Prints commands that set the variables. @throws Error as `callEmulator` */
async function printEnvironment({
  shell = usualShell(process.platform),
  ...address
}: EmulatorAddress & { readonly shell?: Shell }): Promise<void> {
  const response = await fetchFromEmulator(address, `/openrc?shell=${shell}`, {});
  process.stdout.write(await response.text());
}
