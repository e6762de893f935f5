// Makes changes in the copy of a cloud, with requests to its services.
import { ApiError, badRequest } from '../../kernel/errors.ts';
import { counted, someOf } from '../../kernel/user/sentences.ts';
import { makeHosts } from '../worlds/makers/hosts.ts';
import { makeServers } from '../worlds/makers/servers.ts';
import type { At } from '../worlds/makers/model.ts';
import type { Json, RegionClient } from '../worlds/client.ts';
import { drainHost } from './drain.ts';
import { maintainPod } from './pods.ts';
import type { Change, ChangeName, Changes, Made } from './model.ts';

/** Makes a change. @returns what has happened, as a sentence @throws ApiError if it is refused */
type Maker<Name extends ChangeName> = (
  region: RegionClient,
  change: Changes[Name],
) => Promise<string>;

const makers: { readonly [Name in ChangeName]: Maker<Name> } = {
  add_hosts: addHosts,
  remove_host: removeHost,
  drain_host: drainHost,
  set_ratio: setRatio,
  resize_flavor: resizeFlavor,
  add_servers: addServers,
  end_lease: endLease,
  maintain_pod: maintainPod,
  advance,
};

/** Makes changes in their order. A refusal is part of the result. @throws 400 for wrong changes */
export async function makeChanges(
  region: RegionClient,
  changes: readonly Change[],
): Promise<Made[]> {
  const made: Made[] = [];
  for (const change of changes) made.push(await makeChange(region, change));
  return made;
}

/** @throws 400 unless the change has exactly one field */
async function makeChange(region: RegionClient, change: Change): Promise<Made> {
  const [entry, other] = Object.entries(change);
  if (!entry || other) {
    const names = Object.keys(makers).join(', ');
    throw badRequest(`A change has one field. Changes: ${names}.`);
  }
  const name = entry[0] as ChangeName;
  const make = makers[name] as Maker<ChangeName>;
  try {
    return { change: name, text: await make(region, entry[1] as never), failed: false };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return { change: name, text: error.message, failed: true };
  }
}

/** Errors of makers need no position in a file. */
const here: At = (_path, step) => step();

async function addHosts(region: RegionClient, entry: Changes['add_hosts']): Promise<string> {
  const named = { name: 'new', ...entry };
  const count = await makeHosts(region, [named], here);
  return `added ${counted(count, 'host')} (${named.name})`;
}

async function removeHost(region: RegionClient, name: string): Promise<string> {
  await region.client.ask('DELETE', `/_emulator/hosts/${encodeURIComponent(name)}${of(region)}`);
  return `removed host ${name}`;
}

/** The query that selects a region in the emulator's own API. */
export const of = ({ name }: RegionClient): string => `?region=${name}`;

const placement = 'placement 1.39';

async function setRatio(
  region: RegionClient,
  { resource_class: name, ratio, hosts }: Changes['set_ratio'],
): Promise<string> {
  const known = (await region.client.ask('GET', `/_emulator/hosts${of(region)}`))['hosts'];
  const all = known as readonly { readonly name: string; readonly uuid: string }[];
  const unknown = hosts?.find((host) => all.every((one) => one.name !== host));
  if (unknown !== undefined) throw badRequest(`there is no host '${unknown}' in ${region.name}.`);
  const changed: string[] = [];
  for (const { name: host, uuid } of all.filter((one) => hosts?.includes(one.name) ?? true)) {
    const path = `/placement/resource_providers/${uuid}/inventories`;
    const { inventories } = await region.ask('GET', path, { version: placement });
    if (!Object.hasOwn(inventories as object, name)) continue;
    const own = await region.ask('GET', `${path}/${name}`, { version: placement });
    const body = { ...own, allocation_ratio: ratio };
    await region.ask('PUT', `${path}/${name}`, { version: placement, body });
    changed.push(host);
  }
  if (!changed.length) throw badRequest(`no such host has an inventory of ${name}.`);
  return `set the allocation ratio of ${name} to ${ratio} on ${someOf(changed)}`;
}

const flavors = '/compute/v2.1/flavors';

async function resizeFlavor(
  region: RegionClient,
  { name, vcpus, memory_mb: ram, disk_gb: disk }: Changes['resize_flavor'],
): Promise<string> {
  const id = await region.idOf('flavor', name);
  const found = await region.listOf('flavor');
  const flavor = found.find((one) => one['id'] === id)!;
  const { extra_specs: specs } = await region.ask('GET', `${flavors}/${id}/os-extra_specs`);
  const sizes = {
    vcpus: vcpus ?? flavor['vcpus'],
    ram: ram ?? flavor['ram'],
    disk: disk ?? flavor['disk'],
  };
  await region.ask('DELETE', `${flavors}/${id}`);
  await region.ask('POST', flavors, {
    body: {
      flavor: {
        id,
        name: flavor['name'],
        ...sizes,
        swap: Number(flavor['swap']) || 0,
        rxtx_factor: flavor['rxtx_factor'],
        'OS-FLV-EXT-DATA:ephemeral': flavor['OS-FLV-EXT-DATA:ephemeral'],
        'os-flavor-access:is_public': flavor['os-flavor-access:is_public'],
      },
    },
  });
  if (Object.keys(specs as object).length)
    await region.ask('POST', `${flavors}/${id}/os-extra_specs`, { body: { extra_specs: specs } });
  return (
    `flavor ${name} now has ${String(sizes.vcpus)} VCPU, ${String(sizes.ram)} MB and ` +
    `${String(sizes.disk)} GB; existing servers keep their size`
  );
}

async function addServers(region: RegionClient, entry: Changes['add_servers']): Promise<string> {
  const count = await makeServers(region, [entry], here);
  return `added ${counted(count, 'server')} (${entry.name})`;
}

async function endLease(region: RegionClient, name: string): Promise<string> {
  const { leases } = await region.ask('GET', '/reservation/v1/leases');
  const lease = (leases as readonly Json[]).find((one) => [one['id'], one['name']].includes(name));
  if (!lease) throw badRequest(`there is no lease '${name}' in ${region.name}.`);
  await region.ask('DELETE', `/reservation/v1/leases/${String(lease['id'])}`);
  return `ended lease ${String(lease['name'])}`;
}

async function advance({ client }: RegionClient, by: Changes['advance']): Promise<string> {
  const { now } = await client.ask('POST', '/_emulator/clock/advance', { body: by });
  return `moved the clock to ${String(now)}`;
}
