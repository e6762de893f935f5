// The command `cumulet reset`.
import type { Command } from 'commander';
import {
  addressed,
  callEmulator,
  withAddress,
  type AddressOptions,
  type EmulatorAddress,
} from '../client.ts';

/** What to reset: a region, a service, or without both everything, to a preset if it is given. */
interface Scope {
  readonly region?: string;
  readonly service?: string;
  readonly preset?: string;
}

/** Adds `cumulet reset`. */
export function addResetCommand(program: Command): void {
  const command = program
    .command('reset')
    .description('return a running emulator to its initial state')
    .option('--region <name>', 'reset only this region')
    .option('--service <name>', 'reset only this service, such as compute')
    .option('--preset <name>', "reset everything to a world of 'cumulet presets' instead");
  withAddress(command).action((options: AddressOptions & Scope) => reset(addressed(options)));
}

/** Resets a running emulator. @throws Error as `callEmulator` */
export async function reset({
  region,
  service,
  preset,
  ...address
}: EmulatorAddress & Scope): Promise<void> {
  await callEmulator(address, 'POST', '/reset', { region, service, preset });
}
