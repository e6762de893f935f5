// Gives a project a network, subnets from the default subnet pools, and a router to the default
// external network. Upstream: neutron/services/auto_allocate/db.py.
import type { ApiError } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import type { AutoTopology, Network, Subnet, Subnetpool } from '../model.ts';
import { NetworkError } from '../network-error.ts';
import { insertTopology, topologyOf } from '../store/auto-topologies.ts';
import { networkTable, routerTable } from '../store/tables.ts';
import { preparePost } from './attributes/bodies.ts';
import type { AttributeMap, Fields } from './attributes/definitions.ts';
import { networkAttributes } from './networks/attributes.ts';
import { createNetwork, deleteNetwork } from './networks/networks.ts';
import { inConflict } from './refusals.ts';
import { routerAttributes } from './routers/attributes.ts';
import { addInterface, removeInterface } from './routers/interfaces.ts';
import { createRouter, deleteRouter, portsOfRouter } from './routers/routers.ts';
import { networkSettings } from './settings.ts';
import { defaultPool } from './subnetpools/subnetpools.ts';
import { subnetAttributes } from './subnets/attributes.ts';
import { createSubnets } from './subnets/subnets.ts';

const failure = (reason: string): ApiError =>
  inConflict('AutoAllocationFailure', `Deployment error: ${reason}.`);

/** @throws 409 if no network is the default external network */
async function defaultExternalNetwork({ db }: Context): Promise<Network> {
  const network = await networkTable.find(db, { is_default: true });
  if (!network) throw failure('No default router:external network');
  return network;
}

/** The default subnet pools that the actor sees: one, or one for each IP version. */
async function defaultPools(context: Context): Promise<Subnetpool[]> {
  const pools = [await defaultPool(context, 4), await defaultPool(context, 6)];
  return pools.filter((pool) => pool !== undefined);
}

/** @throws 409 if the region has nothing to make a topology from */
export async function checkRequirements(context: Context): Promise<void> {
  await defaultExternalNetwork(context);
  if (!(await defaultPools(context)).length) throw failure('No default subnetpools defined');
}

/** Finds the topology of a project, or creates it. @throws 409 */
export async function ensureTopology(context: Context, projectId: string): Promise<AutoTopology> {
  const existing = await topologyOf(context.db, projectId);
  if (existing) return existing;
  const outside = await defaultExternalNetwork(context);
  const subnets = await failingAs(
    'Unable to provide project private network',
    isUnmet,
    createSubnetsFor(context, projectId),
  );
  const routerId = await failingAs(
    'Unable to provide external connectivity',
    ({ status }) => status === 400,
    connect(context, projectId, outside, subnets),
  );
  const topology = {
    project_id: projectId,
    network_id: subnets[0]!.network_id,
    router_id: routerId,
  };
  await insertTopology(context.db, topology);
  return topology;
}

/** Whether the region lacks what a network needs, such as addresses in its subnet pools. */
const isUnmet = ({ status, type }: NetworkError): boolean =>
  status === 400 || status === 404 || type === 'SubnetAllocationError';

/** Waits for a result, and replaces those errors that the condition holds for. */
async function failingAs<T>(
  reason: string,
  isReplaced: (error: NetworkError) => boolean,
  result: Promise<T>,
): Promise<T> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof NetworkError && isReplaced(error)) throw failure(reason);
    throw error;
  }
}

/** The fields of a resource that Network creates itself, with the defaults of the others. */
const fieldsOf = ({ actor }: Context, map: AttributeMap, sent: Fields): Fields =>
  preparePost(map, actor, { [map.resource]: sent }).items[0]!;

async function createSubnetsFor(context: Context, projectId: string): Promise<Subnet[]> {
  const common = { project_id: projectId };
  const pools = await defaultPools(context);
  if (!pools.length) throw failure('Unable to provide project private network');
  const network = await createNetwork(
    context,
    fieldsOf(context, networkAttributes, { ...common, name: 'auto_allocated_network' }),
  );
  const items = pools.map(({ id, ip_version }) =>
    fieldsOf(context, subnetAttributes, {
      ...common,
      name: `auto_allocated_subnet_v${ip_version}`,
      network_id: network.id,
      ip_version,
      subnetpool_id: id,
    }),
  );
  return createSubnets(context, items, await networkSettings.load(context.db));
}

/** Connects subnets to the external network. @returns the id of the new router */
async function connect(
  context: Context,
  projectId: string,
  outside: Network,
  subnets: readonly Subnet[],
): Promise<string> {
  const fields = fieldsOf(context, routerAttributes, {
    project_id: projectId,
    name: 'auto_allocated_router',
    external_gateway_info: { network_id: outside.id },
  });
  let router = await createRouter(context, fields);
  for (const subnet of subnets) {
    await addInterface(context, router, { subnet_id: subnet.id });
    router = (await routerTable.find(context.db, { id: router.id }))!;
  }
  return router.id;
}

/**
 * Deletes the router and the network of a topology, with its subnets.
 * @throws 409 if they are in use
 */
export async function deleteTopology(context: Context, topology: AutoTopology): Promise<void> {
  const network = (await networkTable.find(context.db, { id: topology.network_id }))!;
  if (topology.router_id !== null) await deleteRouterOf(context, topology.router_id, network);
  await deleteNetwork(context, network);
}

async function deleteRouterOf(context: Context, id: string, network: Network): Promise<void> {
  const ports = (await portsOfRouter(context, id)).map(({ port }) => port);
  for (const port of ports.filter(({ network_id }) => network_id === network.id)) {
    const router = (await routerTable.find(context.db, { id }))!;
    await removeInterface(context, router, { port_id: port.id });
  }
  await deleteRouter(context, (await routerTable.find(context.db, { id }))!);
}
