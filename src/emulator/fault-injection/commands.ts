// The commands `cumulet fault add, scenario, list, clear`.
import type { Command } from 'commander';
import {
  addressed,
  callEmulator,
  print,
  printJson,
  withAddress,
  withJson,
  type AddressOptions,
  type EmulatorAddress,
  type JsonOption,
} from '../client.ts';
import type { FaultPlan } from './model.ts';
import { faultScenarios } from './scenarios.ts';
import { planFrom, withFaultOptions, type FaultOptions } from './options.ts';

/** Adds `cumulet fault`. */
export function addFaultCommands(program: Command): void {
  const fault = program
    .command('fault')
    .description('make requests to a running emulator fail or slow them down');
  withAddress(
    withFaultOptions(
      withJson(fault.command('add')).description('add a fault rule and print its id'),
    ),
  ).action((options: FaultOptions & JsonOption & AddressOptions) =>
    addFault(planFrom(options), addressed(options)),
  );
  withAddress(
    withJson(fault.command('scenario').argument('[name]', 'name (default: list all scenarios)'))
      .description('add the fault rules of a named scenario and print their ids, or list scenarios')
      .option('--list', 'list the scenarios'),
  ).action((name: string | undefined, options: ListOptions & JsonOption & AddressOptions) =>
    name === undefined || options.list
      ? Promise.resolve(listScenarios(options.json ?? false))
      : addScenario(name, addressed(options)),
  );
  withAddress(
    withJson(fault.command('list')).description(
      'list the fault rules, with the number of requests each has matched and hit',
    ),
  ).action((options: JsonOption & AddressOptions) => listFaults(addressed(options)));
  withAddress(
    fault
      .command('clear')
      .description('remove a fault rule, or all of them')
      .argument('[id]', 'id of the rule (default: all rules)'),
  ).action((id: string | undefined, options: AddressOptions) =>
    clearFaults(id, addressed(options)),
  );
}

interface ListOptions {
  readonly list?: boolean;
}

/** Prints the scenarios of this version, which needs no running emulator. */
export function listScenarios(isJson: boolean): void {
  if (isJson) return printJson(faultScenarios);
  const width = Math.max(...faultScenarios.map(({ name }) => name.length));
  for (const { name, description } of faultScenarios)
    print(`${name.padEnd(width)}  ${description}`);
}

/** Adds the rules of a scenario and prints their ids. @throws Error as `callEmulator` */
export async function addScenario(
  name: string,
  { json = false, ...address }: EmulatorAddress & JsonOption,
): Promise<void> {
  const path = `/fault-scenarios/${encodeURIComponent(name)}`;
  const { faults } = (await callEmulator(address, 'POST', path)) as { faults: ShownFault[] };
  if (json) return printJson(faults);
  print(faults.map(({ id }) => id).join(' '));
}

/** A fault rule as the emulator shows it. */
interface ShownFault extends FaultPlan {
  readonly id: number;
  readonly matched: number;
  readonly hit: number;
  readonly spent: boolean;
}

/** Adds a fault rule to a running emulator and prints its id. @throws Error as `callEmulator` */
export async function addFault(
  plan: FaultPlan,
  { json = false, ...address }: EmulatorAddress & JsonOption,
): Promise<void> {
  const { fault } = (await callEmulator(address, 'POST', '/faults', plan)) as {
    fault: ShownFault;
  };
  if (json) return printJson(fault);
  print(String(fault.id));
}

/** Prints the fault rules, one on each line. @throws Error as `callEmulator` */
export async function listFaults({
  json = false,
  ...address
}: EmulatorAddress & JsonOption): Promise<void> {
  const { faults } = (await callEmulator(address, 'GET', '/faults')) as { faults: ShownFault[] };
  if (json) return printJson(faults);
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
