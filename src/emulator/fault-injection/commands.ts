// The commands `cumulet fault add, list, clear`.
import type { Command } from 'commander';
import {
  addressed,
  callEmulator,
  print,
  withAddress,
  type AddressOptions,
  type EmulatorAddress,
} from '../client.ts';
import type { FaultPlan } from './model.ts';
import { planFrom, withFaultOptions, type FaultOptions } from './options.ts';

/** Adds `cumulet fault`. */
export function addFaultCommands(program: Command): void {
  const fault = program
    .command('fault')
    .description('make requests to a running emulator fail or slow them down');
  withAddress(
    withFaultOptions(fault.command('add').description('add a fault rule and print its id')),
  ).action((options: FaultOptions & AddressOptions) =>
    addFault(planFrom(options), addressed(options)),
  );
  withAddress(
    fault
      .command('list')
      .description('list the fault rules, with the number of requests each has matched and hit'),
  ).action((options: AddressOptions) => listFaults(addressed(options)));
  withAddress(
    fault
      .command('clear')
      .description('remove a fault rule, or all of them')
      .argument('[id]', 'id of the rule (default: all rules)'),
  ).action((id: string | undefined, options: AddressOptions) =>
    clearFaults(id, addressed(options)),
  );
}

/** A fault rule as the emulator shows it. */
interface ShownFault extends FaultPlan {
  readonly id: number;
  readonly matched: number;
  readonly hit: number;
  readonly spent: boolean;
}

/** Adds a fault rule to a running emulator and prints its id. @throws Error as `callEmulator` */
export async function addFault(plan: FaultPlan, address: EmulatorAddress): Promise<void> {
  const { fault } = (await callEmulator(address, 'POST', '/faults', plan)) as {
    fault: ShownFault;
  };
  print(String(fault.id));
}

/** Prints the fault rules, one on each line. @throws Error as `callEmulator` */
export async function listFaults(address: EmulatorAddress): Promise<void> {
  const { faults } = (await callEmulator(address, 'GET', '/faults')) as { faults: ShownFault[] };
  for (const { id, match, effect, count, matched, hit, spent } of faults) {
    const limit = count === undefined ? '' : ` of ${count}`;
    const counts = `matched ${matched}, hit ${hit}${limit}${spent ? ', spent' : ''}`;
    print(`${id}  ${JSON.stringify(match)} -> ${JSON.stringify(effect)}  ${counts}`);
  }
}

/** Removes a fault rule, or without an id all of them. @throws Error as `callEmulator` */
export async function clearFaults(id: string | undefined, address: EmulatorAddress): Promise<void> {
  const path = id === undefined ? '/faults' : `/faults/${encodeURIComponent(id)}`;
  await callEmulator(address, 'DELETE', path);
}
