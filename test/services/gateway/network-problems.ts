// Audits the networks of a cloud: what pods have must be like what the central region has.
import type { Db } from '../../../src/kernel/db/database.ts';
import type { Json } from './support.ts';

/** The fields that a copy shares with the central resource, by type. */
const sharedFields: Readonly<Record<string, readonly string[]>> = {
  network: ['admin_state_up', 'router:external', 'port_security_enabled', 'project_id'],
  subnet: ['cidr', 'gateway_ip', 'dns_nameservers', 'host_routes', 'allocation_pools'],
  security_group: ['project_id', 'stateful'],
  port: ['mac_address', 'admin_state_up', 'allowed_address_pairs', 'project_id'],
  router: ['admin_state_up', 'project_id'],
  floatingip: ['floating_ip_address', 'fixed_ip_address', 'project_id'],
};

const addressesOf = (port: Json): string[] =>
  (port['fixed_ips'] as Json[]).map((fixed) => fixed['ip_address'] as string).toSorted();

/** A routing of a resource to a pod. */
export interface FoundRouting {
  readonly region: string;
  readonly type: string;
  readonly topId: string;
  readonly bottomId: string;
}

/** How an audit reads a cloud, as an administrator. */
export interface Audited {
  /** The regions of the pods. */
  readonly regions: readonly string[];
  /** All resources of a type in a region. */
  list(region: string, type: string): Promise<Json[]>;
  routings(): Promise<readonly FoundRouting[]>;
  /** The ids of all servers of the central region. */
  servers(): Promise<readonly string[]>;
}

/** All problems of the networks of a cloud. */
export async function networkProblems(cloud: Audited): Promise<string[]> {
  const problems: string[] = [];
  const routings = await cloud.routings();
  for (const region of cloud.regions)
    for (const type of Object.keys(sharedFields))
      problems.push(...(await problemsIn(cloud, routings, region, type)));
  const servers = new Set(await cloud.servers());
  for (const port of await cloud.list('CentralRegion', 'port'))
    if (port['device_owner'].startsWith('compute:') && !servers.has(port['device_id']))
      problems.push(`the central port ${port['id']} belongs to no server`);
  return problems;
}

/** All problems of one type in one pod. */
async function problemsIn(
  cloud: Audited,
  routings: readonly FoundRouting[],
  region: string,
  type: string,
): Promise<string[]> {
  const rows = routings.filter((row) => row.region === region && row.type === type);
  const tops = new Map(rows.map(({ topId, bottomId }) => [bottomId, topId]));
  const central = new Map(
    (await cloud.list('CentralRegion', type)).map((record) => [record['id'], record]),
  );
  const found = new Map(
    (await cloud.list(region, type)).map((record) => [record['id'] as string, record]),
  );
  const problems = rows
    .filter(({ bottomId }) => !found.has(bottomId))
    .map(({ topId }) => `${region}: a routing of the ${type} ${topId} leads nowhere`);
  for (const [id, copy] of found) {
    const top = tops.get(id);
    const isCopy = central.has(copy['name']) || /^[0-9a-f-]{36}$/.test(String(copy['name']));
    if (top === undefined && !isCopy) continue;
    const own = top === undefined ? undefined : central.get(top);
    if (top === undefined) problems.push(`${region}: the ${type} ${id} has no routing`);
    else if (!own) problems.push(`${region}: the ${type} ${top} is gone in the central region`);
    else problems.push(...differences(region, type, own, copy));
  }
  return problems;
}

function differences(region: string, type: string, own: Json, copy: Json): string[] {
  const pairs = (sharedFields[type] ?? []).map((name) => [name, own[name], copy[name]] as const);
  const more =
    type === 'port'
      ? ([
          ['fixed_ips', addressesOf(own), addressesOf(copy)],
          ['groups', own['security_groups'].length, copy['security_groups'].length],
          ...(String(own['device_owner']).startsWith('compute:')
            ? ([['device_id', own['device_id'], copy['device_id']]] as const)
            : []),
        ] as const)
      : type === 'security_group'
        ? ([
            ['rules', own['security_group_rules'].length, copy['security_group_rules'].length],
          ] as const)
        : [];
  return [...pairs, ...more]
    .filter(([, one, other]) => JSON.stringify(one) !== JSON.stringify(other))
    .map(
      ([name, one, other]) =>
        `${region}: ${type} ${own['id']}: ${name} is ${JSON.stringify(other)} instead of ` +
        JSON.stringify(one),
    );
}

/** The routings in a central database. */
export const routingsIn = (db: Db): Promise<FoundRouting[]> =>
  db('tricircle_routings as r').join('tricircle_pods as p', 'p.id', 'r.pod_id').select({
    region: 'p.region_name',
    type: 'r.resource_type',
    topId: 'r.top_id',
    bottomId: 'r.bottom_id',
  }) as Promise<FoundRouting[]>;
