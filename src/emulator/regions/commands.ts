// The commands `cumulet region list, add, drop`.
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

/** Adds `cumulet region`. */
export function addRegionCommands(program: Command): void {
  const region = program
    .command('region')
    .description('list, add and drop the regions of a running emulator');
  withAddress(withJson(region.command('list').description('list the regions'))).action(
    (options: JsonOption & AddressOptions) => listRegions(addressed(options)),
  );
  withAddress(
    withJson(region.command('add'))
      .description('add a region')
      .argument('<name>', 'name of the new region')
      .option('--from <region>', 'copy everything in this region to the new one'),
  ).action((name: string, options: { from?: string } & JsonOption & AddressOptions) =>
    addRegion(name, addressed(options)),
  );
  withAddress(
    region
      .command('drop')
      .description('drop a region and everything in it')
      .argument('<name>', 'name of the region'),
  ).action((name: string, options: AddressOptions) => dropRegion(name, addressed(options)));
}

/** Prints the regions of a running emulator, one on each line. @throws Error as `callEmulator` */
export async function listRegions({
  json = false,
  ...address
}: EmulatorAddress & JsonOption): Promise<void> {
  const { regions } = (await callEmulator(address, 'GET', '/regions')) as {
    regions: { name: string; central: boolean }[];
  };
  if (json) return printJson(regions);
  for (const { name, central } of regions) print(`${name}${central ? ' (central)' : ''}`);
}

/**
 * Adds a region, with `from` as a copy of that one. It prints only JSON, and only if asked to.
 * @throws Error as `callEmulator`
 */
export async function addRegion(
  name: string,
  { from, json = false, ...address }: EmulatorAddress & JsonOption & { from?: string },
): Promise<void> {
  const { region } = (await callEmulator(address, 'POST', '/regions', { name, from })) as {
    region: object;
  };
  if (json) printJson(region);
}

/** Drops a region of a running emulator. @throws Error as `callEmulator` */
export async function dropRegion(name: string, address: EmulatorAddress): Promise<void> {
  await callEmulator(address, 'DELETE', `/regions/${encodeURIComponent(name)}`);
}
