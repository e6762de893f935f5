// Deletes everything that some projects have in Network.
import { deleteByIdWhere, deleteWhere, valuesWhere } from '../../../kernel/db/owned-rows.ts';
import { pipelined } from '../../../kernel/db/pipelined.ts';
import type { Db } from '../../../kernel/db/database.ts';

/** The resources with a project, each after those that refer to it. */
const kinds = [
  'rbac_policies',
  'port_forwardings',
  'floatingips',
  'security_group_rules',
  'address_groups',
  'security_groups',
  'trunks',
  'ports',
  'conntrack_helpers',
  'routers',
  'subnets',
  'segments',
  'networks',
  'subnetpools',
  'address_scopes',
  'metering_label_rules',
  'metering_labels',
  'qos_rules',
  'qos_policies',
] as const;

type Ids = Record<(typeof kinds)[number], string[]>;

/** Deletes the projects' resources, with the ports and addresses on them. @returns their ids */
export async function deleteResourcesOf(db: Db, projectIds: readonly string[]): Promise<Ids> {
  const own = await pipelined(
    kinds.map((kind) => valuesWhere(db, `network_${kind}`, 'project_id', projectIds)),
  );
  const ids = Object.fromEntries(kinds.map((kind, index) => [kind, own[index]!])) as Ids;
  await addDependents(db, ids);
  await releaseOthers(db, ids);
  const forwarding = await valuesWhere(
    db,
    'network_port_forwardings',
    'id',
    ids.port_forwardings,
    'floatingip_id',
  );
  await pipelined([
    deleteWhere(db, 'network_port_groups', 'port_id', ids.ports),
    deleteWhere(db, 'network_port_bindings', 'port_id', ids.ports),
    deleteWhere(db, 'network_port_groups', 'security_group_id', ids.security_groups),
    deleteWhere(db, 'network_subports', 'port_id', ids.ports),
    deleteWhere(db, 'network_subports', 'trunk_id', ids.trunks),
    deleteWhere(db, 'network_addresses', 'port_id', ids.ports),
    deleteWhere(db, 'network_addresses', 'subnet_id', ids.subnets),
    deleteWhere(db, 'network_agent_bindings', 'subject_id', [...ids.networks, ...ids.routers]),
    deleteWhere(db, 'network_default_groups', 'security_group_id', ids.security_groups),
    deleteWhere(db, 'network_tags', 'resource_id', Object.values(ids).flat()),
  ]);
  // The database runs these in the order of the list: each kind after those that refer to it.
  await pipelined(kinds.map((kind) => deleteWhere(db, `network_${kind}`, 'id', ids[kind])));
  await releaseUnused(db, forwarding);
  await pipelined(
    ['network_quotas', 'network_projects', 'network_default_groups'].map((table) =>
      deleteByIdWhere(db, table, 'project_id', projectIds, 'project_id'),
    ),
  );
  return ids;
}

/** Adds what cannot exist without the projects' resources, such as the gateways of routers. */
async function addDependents(db: Db, ids: Ids): Promise<void> {
  const add = async (
    kind: (typeof kinds)[number],
    column: string,
    values: readonly string[],
  ): Promise<void> => {
    const more = await valuesWhere(db, `network_${kind}`, column, values);
    ids[kind] = [...new Set([...ids[kind], ...more])];
  };
  await pipelined([
    add('rbac_policies', 'object_id', [
      ...ids.networks,
      ...ids.subnetpools,
      ...ids.address_scopes,
      ...ids.security_groups,
      ...ids.address_groups,
      ...ids.qos_policies,
    ]),
    add('metering_label_rules', 'metering_label_id', ids.metering_labels),
    add('qos_rules', 'qos_policy_id', ids.qos_policies),
    add('floatingips', 'floating_network_id', ids.networks),
    add('subnets', 'network_id', ids.networks),
    add('segments', 'network_id', ids.networks),
    add('ports', 'network_id', ids.networks),
    add('conntrack_helpers', 'router_id', ids.routers),
    add('security_group_rules', 'security_group_id', ids.security_groups),
    add('security_group_rules', 'remote_group_id', ids.security_groups),
    add('security_group_rules', 'remote_address_group_id', ids.address_groups),
  ]);
  const [, outside] = await pipelined([
    add('ports', 'device_id', [...ids.routers, ...ids.floatingips]),
    valuesWhere(db, 'network_floatingips', 'id', ids.floatingips, 'floating_port_id'),
  ]);
  ids.ports = [...new Set([...ids.ports, ...outside])];
  await pipelined([
    add('trunks', 'port_id', ids.ports),
    add('port_forwardings', 'floatingip_id', ids.floatingips),
    add('port_forwardings', 'internal_port_id', ids.ports),
  ]);
}

/** Puts the floating IPs that have no port forwarding any more behind no router. */
async function releaseUnused(db: Db, floatingipIds: readonly string[]): Promise<void> {
  const used = await valuesWhere(
    db,
    'network_port_forwardings',
    'floatingip_id',
    floatingipIds,
    'floatingip_id',
  );
  for (const id of new Set(floatingipIds))
    if (!used.includes(id))
      await db('network_floatingips').where({ id }).update({ router_id: null, status: 'DOWN' });
}

/** Removes the references of other projects' resources to those that are deleted. */
async function releaseOthers(db: Db, ids: Ids): Promise<void> {
  const clear = async (
    table: string,
    column: string,
    values: readonly string[],
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<void> => {
    const found = await valuesWhere(db, table, column, values);
    for (const id of found)
      await db(table)
        .where({ id })
        .update({ [column]: null, ...more });
  };
  const unused = { fixed_ip_address: null, router_id: null, status: 'DOWN' };
  await clear('network_floatingips', 'port_id', ids.ports, unused);
  await clear('network_floatingips', 'router_id', ids.routers);
  await clear('network_routers', 'gw_port_id', ids.ports);
  await clear('network_subnets', 'subnetpool_id', ids.subnetpools);
  await clear('network_subnetpools', 'address_scope_id', ids.address_scopes);
  for (const kind of ['networks', 'ports', 'routers', 'floatingips'])
    await clear(`network_${kind}`, 'qos_policy_id', ids.qos_policies);
}
