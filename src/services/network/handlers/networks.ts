// Networks and subnets.
import { find, findAll } from '../store/table.ts';
import { networkTable, subnetTable } from '../store/tables.ts';
import type { Target } from '../../../kernel/auth/policy.ts';
import type { Work } from '../domain/actor.ts';
import type { Fields } from '../domain/attributes/definitions.ts';
import { getNetwork, getSubnet, scopes } from '../domain/visibility.ts';
import { networkKind } from '../domain/networks/attributes.ts';
import { subnetKind } from '../domain/subnets/attributes.ts';
import { createNetwork, deleteNetwork, updateNetwork } from '../domain/networks/networks.ts';
import type { Network, Subnet } from '../domain/records.ts';
import { createSubnet, deleteSubnet, updateSubnet } from '../domain/subnets/subnets.ts';
import { networkNotFound } from '../domain/refusals.ts';
import { setTags } from '../store/tags.ts';
import { showNetworks, showSubnets } from '../views/things.ts';
import { handlersFor, type Thing } from './resources.ts';

/** One after the other: those of one request see each other. */
export async function each<T>(items: readonly Fields[], make: (fields: Fields) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (const fields of items) made.push(await make(fields));
  return made;
}

/** Whose networks the things are on, and whether those are for all. @throws 404 for a network that is not there */
export async function onNetworksOf(work: Work, things: readonly Fields[], mustExist: boolean): Promise<Target[]> {
  const ids = things.map((one) => one['network_id'] as string);
  const networks = new Map((await findAll(work.db, networkTable, ids)).map((network) => [network.id, network]));
  return ids.map((id) => {
    const network = networks.get(id);
    if (!network && mustExist) throw networkNotFound(id);
    return {
      'network:project_id': network?.project_id,
      'network:tenant_id': network?.project_id,
      shared: network?.shared ?? false,
      'router:external': network?.['router:external'] ?? false,
    };
  });
}

export const networkThing: Thing<Network> = {
  kind: networkKind,
  table: networkTable,
  scope: scopes.network,
  get: getNetwork,
  create: (work, items) => each(items, (fields) => createNetwork(work, fields)),
  update: updateNetwork,
  remove: async (work, network) => {
    await setTags(work.db, network.id, []);
    await deleteNetwork(work, network);
  },
  show: showNetworks,
};

const networkFor = async ({ db }: Work, subnet: Subnet): Promise<Network> => (await find(db, networkTable, subnet.network_id))!;

export const subnetThing: Thing<Subnet> = {
  kind: subnetKind,
  table: subnetTable,
  scope: scopes.subnet,
  get: getSubnet,
  relatives: onNetworksOf,
  create: (work, items) =>
    each(items, async (fields) => createSubnet(work, await getNetwork(work, fields['network_id'] as string), fields)),
  update: async (work, subnet, fields) => updateSubnet(work, await networkFor(work, subnet), subnet, fields),
  remove: async (work, subnet) => deleteSubnet(work, await networkFor(work, subnet), subnet),
  show: showSubnets,
};

export const networks = handlersFor(networkThing);
export const subnets = handlersFor(subnetThing);
