// The initial resources of a new region, as in DevStack: an external network, and a network behind
// a router. The latter belongs to demo and is shared, so that a server has a network without naming
// one.
import { idFor, uuidFor } from '../../kernel/ids.ts';
import type { Context } from '../../kernel/model.ts';
import { startNetworkNode } from './domain/agents/agents.ts';
import type { Fields } from './domain/attributes/definitions.ts';
import { addInterface } from './domain/routers/interfaces.ts';
import { createNetwork } from './domain/networks/networks.ts';
import type { Network } from './model.ts';
import { seedDefaultRules } from './domain/security-groups/default-rules.ts';
import { createRouter } from './domain/routers/routers.ts';
import { createSubnet } from './domain/subnets/subnets.ts';
import { acquireLock, lockRevisionOf } from './store/quotas.ts';

/** Keystone's initial projects have these ids in every cloud. */
const projectId = (name: string): string => idFor(`identity.project.${name}`);

/** The id of an initial resource by its name, such as `public`, `private-subnet` or `router1`. */
export const seededNetworkId = (region: string, name: string): string =>
  uuidFor(`network.${region}.${name}`);

/** Creates the initial resources of a region, unless it has been seeded before. */
export async function seedNetwork(context: Context): Promise<void> {
  const { db, region } = context;
  if (await lockRevisionOf(db, '')) return;
  await startNetworkNode(context);
  await seedDefaultRules(context);
  const id = (name: string): string => seededNetworkId(region.name, name);
  // In DevStack the external network belongs to admin. Then a server of admin could use either
  // network, and each request would have to name one.
  const operator = projectId('service');
  const demo = projectId('demo');
  const outside = {
    'router:external': true,
    is_default: true,
    'provider:network_type': 'flat',
    'provider:physical_network': 'public',
    mtu: 1500,
  };
  const provided = await createNetwork(
    context,
    networkFields('public', operator, outside),
    id('public'),
  );
  await createSubnet(
    context,
    provided,
    subnetFields('public-subnet', operator, '172.24.4.0/24', { enable_dhcp: false }),
    id('public-subnet'),
  );
  const inside = await createNetwork(
    context,
    networkFields('private', demo, { shared: true }),
    id('private'),
  );
  await createSubnet(
    context,
    inside,
    subnetFields('private-subnet', demo, '10.0.0.0/22'),
    id('private-subnet'),
  );
  await createRouterBetween(context, demo, provided, id);
  await acquireLock(db, '', 0);
}

async function createRouterBetween(
  context: Context,
  project: string,
  outside: Network,
  id: (name: string) => string,
): Promise<void> {
  const gateway = {
    external_gateway_info: { network_id: outside.id },
    availability_zone_hints: [],
  };
  const fields = {
    name: 'router1',
    project_id: project,
    admin_state_up: true,
    description: '',
    ...gateway,
  };
  const router = await createRouter(context, fields, id('router1'));
  await addInterface(context, router, { subnet_id: id('private-subnet') });
}

const networkFields = (name: string, project: string, more: Fields = {}): Fields => ({
  name,
  project_id: project,
  admin_state_up: true,
  shared: false,
  'router:external': false,
  is_default: false,
  mtu: 0,
  port_security_enabled: true,
  availability_zone_hints: [],
  ...more,
});

const subnetFields = (name: string, project: string, cidr: string, more: Fields = {}): Fields => ({
  name,
  project_id: project,
  cidr,
  ip_version: 4,
  enable_dhcp: true,
  ...more,
});
