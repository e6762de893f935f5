// The quotas and the networks of throw-away projects.
import { attempt } from '../../../kernel/context.ts';
import { badRequest } from '../../../kernel/errors.ts';
import { newUuid } from '../../../kernel/ids.ts';
import { cancelAbout } from '../../../kernel/jobs/queue.ts';
import type { Context } from '../../../kernel/model.ts';
import type {
  ProjectNetwork,
  RemovedCounts,
  ResourceOwners,
  ThrowawayHooks,
} from '../../../emulator/projects/hooks.ts';
import { seededNetworkId } from '../seed.ts';
import { addressesOf } from '../store/addresses.ts';
import { deleteResourcesOf } from '../store/owned-rows.ts';
import { networkTable } from '../store/tables.ts';
import { createNetwork } from './networks/networks.ts';
import { changeQuota, defaultQuota } from './quotas.ts';
import { addInterface } from './routers/interfaces.ts';
import { createRouter, updateRouter } from './routers/routers.ts';
import { createSubnet } from './subnets/subnets.ts';
import type { Router } from '../model.ts';

/** The hooks of Network. */
export const throwawayHooks: ThrowawayHooks = {
  setQuotas,
  createNetwork: createProjectNetwork,
  remove: removeNetworks,
};

async function setQuotas(
  context: Context,
  projectId: string,
  limits: Readonly<Record<string, number>>,
): Promise<void> {
  const known = Object.keys(await defaultQuota(context));
  const unknown = Object.keys(limits).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw badRequest(`Network has no quota '${unknown}'. Quotas: ${known.join(', ')}.`);
  await changeQuota(context, projectId, Object.entries(limits), true);
}

/**
 * Creates what demo has in a new cloud: a network with a subnet behind a router. Its name differs
 * from that of demo's network, which all projects see, so that clients can name it.
 */
async function createProjectNetwork(context: Context, projectId: string): Promise<ProjectNetwork> {
  const common = { project_id: projectId, description: '', admin_state_up: true };
  const network = await createNetwork(context, {
    ...common,
    name: 'project-network',
    shared: false,
    'router:external': false,
    is_default: false,
    mtu: 0,
    port_security_enabled: true,
    availability_zone_hints: [],
  });
  const fields = {
    project_id: projectId,
    name: 'project-subnet',
    cidr: '10.0.0.0/22',
    ip_version: 4,
    enable_dhcp: true,
  };
  const subnet = await createSubnet(context, network, fields, newUuid());
  const router = await createRouter(context, {
    ...common,
    name: 'project-router',
    external_gateway_info: null,
    availability_zone_hints: [],
  });
  const connected = await withGateway(context, router);
  await addInterface(context, connected, { subnet_id: subnet.id });
  return {
    network_id: network.id,
    subnet_id: subnet.id,
    router_id: router.id,
    external_ip: await externalIpOf(context, connected),
  };
}

/** The router with a gateway, unless the external network is gone or has no address left. */
async function withGateway(context: Context, router: Router): Promise<Router> {
  const outside = seededNetworkId(context.region.name, 'public');
  if (!(await networkTable.find(context.db, { id: outside }))) return router;
  const connected = await attempt(context, (inner) =>
    updateRouter(inner, router, { external_gateway_info: { network_id: outside } }),
  );
  return 'value' in connected ? connected.value : router;
}

async function externalIpOf({ db }: Context, router: Router): Promise<string | null> {
  const { gw_port_id: portId } = router;
  if (portId === null) return null;
  return (await addressesOf(db, [portId])).get(portId)?.[0]?.ip_address ?? null;
}

async function removeNetworks(
  { db }: Context,
  { projectIds }: ResourceOwners,
): Promise<RemovedCounts> {
  const ids = await deleteResourcesOf(db, projectIds);
  await cancelAbout(db, Object.values(ids).flat());
  return Object.fromEntries(Object.entries(ids).map(([kind, list]) => [kind, list.length]));
}
