// Things as a client sees them, several at a time, with what hangs on them read in one go.
import { isoSeconds } from '../../../kernel/clock.ts';
import { contains, formatNetwork, parseCidr } from '../ip.ts';
import type {
  AddressScope,
  Floatingip,
  Network,
  Port,
  Router,
  SecurityGroup,
  SecurityGroupRule,
  Standard,
  Subnet,
  Subnetpool,
} from '../domain/records.ts';
import { addressesOf } from '../store/addresses.ts';
import { groupsOf } from '../store/links.ts';
import { findAll, inParts, list, type Table } from '../store/table.ts';
import { networkTable, portTable, ruleTable, subnetpoolTable, subnetTable } from '../store/tables.ts';
import { tagsOf } from '../store/tags.ts';
import type { Db } from '../../../kernel/db/database.ts';

/** A thing by attribute, before it is cut down to what someone may see and wants to. */
export type View = Record<string, unknown>;

/** Shows things of a kind. */
export type Show<T> = (db: Db, records: readonly T[]) => Promise<View[]>;

const idsOf = (records: readonly { readonly id: string }[]): string[] => records.map((record) => record.id);

const standard = (record: Standard): View => ({
  id: record.id,
  project_id: record.project_id,
  tenant_id: record.project_id,
  description: record.description,
  created_at: isoSeconds(record.created_at),
  updated_at: isoSeconds(record.updated_at),
  revision_number: record.revision_number,
});

/** Things by the value of an attribute of theirs that names another. */
async function by<T extends Standard>(
  db: Db,
  table: Table<T>,
  key: keyof T & string,
  values: readonly string[],
): Promise<Map<string, T[]>> {
  const found = new Map<string, T[]>();
  const all = await inParts([...new Set(values)], (part) => list(db, table, { where: { [key]: part } }));
  for (const one of all) found.set(one[key] as string, [...(found.get(one[key] as string) ?? []), one]);
  return found;
}

/** The zones of what has one: there is but `nova`. */
const zones = ['nova'];

export const showNetworks: Show<Network> = async (db, networks) => {
  const subnets = await by(db, subnetTable, 'network_id', idsOf(networks));
  const tags = await tagsOf(db, idsOf(networks));
  const poolIds = [...subnets.values()].flat().flatMap(({ subnetpool_id: id }) => id ?? []);
  const pools = new Map((await findAll(db, subnetpoolTable, poolIds)).map((pool) => [pool.id, pool]));
  const scopeOf = (id: string, version: number): string | null =>
    (subnets.get(id) ?? [])
      .filter((subnet) => subnet.ip_version === version)
      .map(({ subnetpool_id: poolId }) => (poolId === null ? null : (pools.get(poolId)?.address_scope_id ?? null)))
      .find((scope) => scope !== null) ?? null;
  return networks.map((network) => ({
    ...network,
    ...standard(network),
    subnets: idsOf(subnets.get(network.id) ?? []),
    availability_zones: subnets.has(network.id) ? zones : [],
    ipv4_address_scope: scopeOf(network.id, 4),
    ipv6_address_scope: scopeOf(network.id, 6),
    tags: tags.get(network.id) ?? [],
  }));
};

export const showSubnets: Show<Subnet> = async (db, subnets) => {
  const tags = await tagsOf(db, idsOf(subnets));
  const networks = await findAll(db, networkTable, subnets.map((subnet) => subnet.network_id)); // prettier-ignore
  const external = new Map(networks.map((network) => [network.id, network['router:external']]));
  return subnets.map((subnet) => ({
    ...subnet,
    ...standard(subnet),
    'router:external': external.get(subnet.network_id) ?? false,
    tags: tags.get(subnet.id) ?? [],
  }));
};

export const showSubnetpools: Show<Subnetpool> = async (db, pools) => {
  const tags = await tagsOf(db, idsOf(pools));
  return pools.map((pool) => ({
    ...pool,
    ...standard(pool),
    // As text: neutron/db/db_base_plugin_common.py.
    min_prefixlen: String(pool.min_prefixlen),
    max_prefixlen: String(pool.max_prefixlen),
    default_prefixlen: String(pool.default_prefixlen),
    tags: tags.get(pool.id) ?? [],
  }));
};

export const showAddressScopes: Show<AddressScope> = (_db, all) =>
  Promise.resolve(all.map((scope) => ({ ...scope, tenant_id: scope.project_id })));

/** How a port is plugged in on its host. */
const bindingOf = (port: Port): View => ({
  'binding:vif_type': port['binding:host_id'] ? 'ovs' : 'unbound',
  'binding:vif_details': port['binding:host_id']
    ? { connectivity: 'l2', port_filter: true, ovs_hybrid_plug: false, datapath_type: 'system', bridge_name: 'br-int' }
    : {},
});

export const showPorts: Show<Port> = async (db, ports) => {
  const ids = idsOf(ports);
  const [addresses, groups, tags] = [await addressesOf(db, ids), await groupsOf(db, ids), await tagsOf(db, ids)];
  return ports.map((port) => ({
    ...port,
    ...standard(port),
    ...bindingOf(port),
    fixed_ips: addresses.get(port.id) ?? [],
    security_groups: groups.get(port.id) ?? [],
    tags: tags.get(port.id) ?? [],
  }));
};

export const showRouters: Show<Router> = async (db, routers) => {
  const tags = await tagsOf(db, idsOf(routers));
  const portIds = routers.flatMap(({ gw_port_id: id }) => (id === null ? [] : [id]));
  const ports = new Map((await findAll(db, portTable, portIds)).map((port) => [port.id, port]));
  const addresses = await addressesOf(db, portIds);
  return routers.map(({ gw_port_id: id, enable_snat, ...router }) => {
    const gateway = id === null ? undefined : ports.get(id);
    return {
      ...router,
      ...standard(router as Router),
      external_gateway_info: gateway
        ? { network_id: gateway.network_id, external_fixed_ips: addresses.get(gateway.id) ?? [], enable_snat }
        : null,
      availability_zones: gateway ? zones : [],
      tags: tags.get(router.id) ?? [],
    };
  });
};

export const showFloatingips: Show<Floatingip> = async (db, floatingips) => {
  const tags = await tagsOf(db, idsOf(floatingips));
  const portIds = floatingips.flatMap(({ port_id: id }) => (id === null ? [] : [id]));
  const ports = new Map((await findAll(db, portTable, portIds)).map((port) => [port.id, port]));
  return floatingips.map(({ floating_port_id: _, ...floating }) => {
    const port = floating.port_id === null ? undefined : ports.get(floating.port_id);
    const { name, network_id, mac_address, admin_state_up, status, device_id, device_owner } = port ?? ({} as Port);
    return {
      ...floating,
      ...standard(floating as Floatingip),
      port_details: port ? { name, network_id, mac_address, admin_state_up, status, device_id, device_owner } : null,
      tags: tags.get(floating.id) ?? [],
    };
  });
};

export const showGroups: Show<SecurityGroup> = async (db, groups) => {
  const tags = await tagsOf(db, idsOf(groups));
  const rules = await by(db, ruleTable, 'security_group_id', idsOf(groups));
  return groups.map((group) => ({
    ...group,
    ...standard(group),
    shared: false,
    security_group_rules: (rules.get(group.id) ?? []).map(ruleView),
    tags: tags.get(group.id) ?? [],
  }));
};

const ruleView = (rule: SecurityGroupRule): View => {
  const prefix = parseCidr(rule.remote_ip_prefix);
  return { ...rule, ...standard(rule), normalized_cidr: prefix ? formatNetwork(prefix) : null };
};

export const showRules: Show<SecurityGroupRule> = (_db, rules) => Promise.resolve(rules.map(ruleView));

/** How many addresses a network and each of its subnets can give out, and have given out. */
export function availabilityView(network: Network, subnets: readonly Subnet[], taken: ReadonlyMap<string, number>): View {
  const each = subnets.map((subnet) => ({
    subnet_id: subnet.id,
    subnet_name: subnet.name,
    ip_version: subnet.ip_version,
    cidr: subnet.cidr,
    total_ips: totalOf(subnet),
    used_ips: taken.get(subnet.id) ?? 0,
  }));
  return {
    network_id: network.id,
    network_name: network.name,
    project_id: network.project_id,
    tenant_id: network.project_id,
    total_ips: each.reduce((sum, one) => sum + one.total_ips, 0),
    used_ips: each.reduce((sum, one) => sum + one.used_ips, 0),
    subnet_ip_availability: each,
  };
}

function totalOf(subnet: Subnet): number {
  const cidr = parseCidr(subnet.cidr)!;
  return subnet.allocation_pools.reduce((sum, { start, end }) => {
    const [from, to] = [parseCidr(start, true)!.ip, parseCidr(end, true)!.ip];
    return contains(cidr, from) ? sum + Number(to.value - from.value + 1n) : sum;
  }, 0);
}
