// Reads what clients see of resources besides their own attributes, for all resources of a reply at
// once.
import {
  effectivePolicy,
  type Floatingip,
  type FloatingipDetails,
  type Network,
  type NetworkDetails,
  type Port,
  type PortDetails,
  type QosPolicy,
  type QosPolicyDetails,
  type Router,
  type RouterDetails,
  type SecurityGroup,
  type SecurityGroupDetails,
  type Subnet,
  type SubnetDetails,
  type Tags,
  type Trunk,
  type TrunkDetails,
} from '../model.ts';
import { addressesOf } from './addresses.ts';
import { pipelined } from '../../../kernel/db/pipelined.ts';
import { grouped } from '../../../kernel/db/grouping.ts';
import { groupsOfPorts } from './security-groups.ts';
import {
  conntrackHelperTable,
  forwardingTable,
  networkTable,
  portTable,
  qosRuleTable,
  ruleTable,
  subnetpoolTable,
  subnetTable,
  trunkTable,
} from './tables.ts';
import { firstPhysicalNetworks, segmentsOfNetworks } from './segments.ts';
import { subPortsOf } from './subports.ts';
import { tagsOf } from './tags.ts';
import type { Db } from '../../../kernel/db/database.ts';

interface Identified {
  readonly id: string;
}

const idsOf = (records: readonly Identified[]): string[] => records.map(({ id }) => id);

const byId = <T extends Identified>(records: readonly T[]): Map<string, T> =>
  new Map(records.map((one) => [one.id, one]));

/** The ids of other resources that an attribute names, where it names one. */
const named = <T>(records: readonly T[], idOf: (record: T) => string | null): string[] =>
  records.flatMap((record) => idOf(record) ?? []);

export const loadTags = async (db: Db, records: readonly Identified[]): Promise<Tags> => ({
  tags: await tagsOf(db, idsOf(records)),
});

export async function loadNetworkDetails(
  db: Db,
  networks: readonly Network[],
): Promise<NetworkDetails> {
  const ids = idsOf(networks);
  const [subnets, segments, tags] = await pipelined([
    subnetTable.among(db, 'network_id', ids),
    segmentsOfNetworks(db, ids),
    tagsOf(db, ids),
  ]);
  const pools = await subnetpoolTable.among(
    db,
    'id',
    named(subnets, (subnet) => subnet.subnetpool_id),
  );
  return {
    subnets: grouped(subnets, (subnet) => subnet.network_id),
    pools: byId(pools),
    segments,
    tags,
  };
}

export async function loadSubnetDetails(
  db: Db,
  subnets: readonly Subnet[],
): Promise<SubnetDetails> {
  const networkIds = subnets.map((subnet) => subnet.network_id);
  const [networks, tags] = await pipelined([
    networkTable.among(db, 'id', networkIds),
    tagsOf(db, idsOf(subnets)),
  ]);
  const external = networks.filter((network) => network['router:external']);
  return { externalNetworks: new Set(idsOf(external)), tags };
}

export const loadPortDetails = (db: Db, ports: readonly Port[]): Promise<PortDetails> =>
  portDetails(db, ports, trunksOfPorts);

/** Reads what clients see of ports that have just been created: none is in a trunk yet. */
export const loadNewPortDetails = (db: Db, ports: readonly Port[]): Promise<PortDetails> =>
  portDetails(db, ports, () =>
    Promise.resolve({ trunks: new Map(), subPorts: new Map(), macAddresses: new Map() }),
  );

async function portDetails(
  db: Db,
  ports: readonly Port[],
  loadTrunks: typeof trunksOfPorts,
): Promise<PortDetails> {
  const ids = idsOf(ports);
  const networkIds = ports.map((port) => port.network_id);
  const [found, fixedIps, securityGroups, trunks, tags] = await pipelined([
    networkTable.among(db, 'id', networkIds),
    addressesOf(db, ids),
    groupsOfPorts(db, ids),
    loadTrunks(db, ids),
    tagsOf(db, ids),
  ]);
  const networks = byId(found);
  const policyIds = named(ports, (port) => effectivePolicy(port, networks.get(port.network_id)));
  const rules = await qosRuleTable.among(db, 'qos_policy_id', policyIds, {
    type: ['minimum_bandwidth', 'minimum_packet_rate'],
  });
  return {
    fixedIps,
    securityGroups,
    ...trunks,
    networks,
    guarantees: grouped(rules, (rule) => rule.qos_policy_id),
    physicalNetworks: rules.length
      ? await firstPhysicalNetworks(db, [...networks.values()])
      : new Map(),
    tags,
  };
}

/** The trunks of parent ports. */
async function trunksOfPorts(
  db: Db,
  portIds: readonly string[],
): Promise<Pick<PortDetails, 'trunks' | 'subPorts' | 'macAddresses'>> {
  const trunks = await trunkTable.among(db, 'port_id', portIds);
  const subPorts = await subPortsOf(db, idsOf(trunks));
  const ids = [...subPorts.values()].flat().map(({ port_id }) => port_id);
  const ports = await portTable.among(db, 'id', ids);
  return {
    trunks: new Map(trunks.map((trunk) => [trunk.port_id, trunk])),
    subPorts,
    macAddresses: new Map(ports.map((port) => [port.id, port.mac_address])),
  };
}

export async function loadTrunkDetails(db: Db, trunks: readonly Trunk[]): Promise<TrunkDetails> {
  const ids = idsOf(trunks);
  const [subPorts, tags] = await pipelined([subPortsOf(db, ids), tagsOf(db, ids)]);
  return { subPorts, tags };
}

export async function loadRouterDetails(
  db: Db,
  routers: readonly Router[],
): Promise<RouterDetails> {
  const portIds = named(routers, (router) => router.gw_port_id);
  const [ports, fixedIps, helpers, tags] = await pipelined([
    portTable.among(db, 'id', portIds),
    addressesOf(db, portIds),
    conntrackHelperTable.among(db, 'router_id', idsOf(routers)),
    tagsOf(db, idsOf(routers)),
  ]);
  const networkIds = ports.map((port) => port.network_id);
  return {
    conntrackHelpers: grouped(helpers, (helper) => helper.router_id),
    gateways: byId(ports),
    networks: byId(await networkTable.among(db, 'id', networkIds)),
    fixedIps,
    tags,
  };
}

export async function loadFloatingipDetails(
  db: Db,
  floatingips: readonly Floatingip[],
): Promise<FloatingipDetails> {
  const ids = idsOf(floatingips);
  const portIds = named(floatingips, (floatingip) => floatingip.port_id);
  const [ports, forwardings, tags] = await pipelined([
    portTable.among(db, 'id', portIds),
    forwardingTable.among(db, 'floatingip_id', ids),
    tagsOf(db, ids),
  ]);
  return {
    ports: byId(ports),
    forwardings: grouped(forwardings, (forwarding) => forwarding.floatingip_id),
    tags,
  };
}

export async function loadGroupDetails(
  db: Db,
  groups: readonly SecurityGroup[],
): Promise<SecurityGroupDetails> {
  const ids = idsOf(groups);
  const [rules, tags] = await pipelined([
    ruleTable.among(db, 'security_group_id', ids),
    tagsOf(db, ids),
  ]);
  return { rules: grouped(rules, (rule) => rule.security_group_id), tags };
}

export async function loadQosPolicyDetails(
  db: Db,
  policies: readonly QosPolicy[],
): Promise<QosPolicyDetails> {
  const ids = idsOf(policies);
  const [rules, tags] = await pipelined([
    qosRuleTable.among(db, 'qos_policy_id', ids),
    tagsOf(db, ids),
  ]);
  return { rules: grouped(rules, (rule) => rule.qos_policy_id), tags };
}
