// The commands `cumulet region list, add, drop`.
import type { Command } from 'commander';
import {
  addressed,
  callEmulator,
  print,
  withAddress,
  type AddressOptions,
  type EmulatorAddress,
} from '../client.ts';

/** Adds `cumulet region`. */
export function addRegionCommands(program: Command): void {
  const region = program
    .command('region')
    .description('list, add and drop the regions of a running emulator');
  withAddress(region.command('list').description('list the regions')).action(
    (options: AddressOptions) => listRegions(addressed(options)),
  );
  withAddress(
    region
      .command('add')
      .description('add a region')
      .argument('<name>', 'name of the new region')
      .option('--from <region>', 'copy everything in this region to the new one'),
  ).action((name: string, options: { from?: string } & AddressOptions) =>
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
export async function listRegions(address: EmulatorAddress): Promise<void> {
  const { regions } = (await callEmulator(address, 'GET', '/regions')) as {
    regions: { name: string; central: boolean }[];
  };
  for (const { name, central } of regions) print(`${name}${central ? ' (central)' : ''}`);
}

/** Adds a region, with `from` as a copy of that one. @throws Error as `callEmulator` */
export async function addRegion(
  name: string,
  { from, ...address }: EmulatorAddress & { from?: string },
): Promise<void> {
  await callEmulator(address, 'POST', '/regions', { name, from });
}

/** Drops a region of a running emulator. @throws Error as `callEmulator` */
export async function dropRegion(name: string, address: EmulatorAddress): Promise<void> {
  await callEmulator(address, 'DELETE', `/regions/${encodeURIComponent(name)}`);
}
