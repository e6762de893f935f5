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
  const subnets = await subnetTable.among(db, 'network_id', idsOf(networks));
  const pools = await subnetpoolTable.among(
    db,
    'id',
    named(subnets, (subnet) => subnet.subnetpool_id),
  );
  return {
    subnets: grouped(subnets, (subnet) => subnet.network_id),
    pools: byId(pools),
    segments: await segmentsOfNetworks(db, idsOf(networks)),
    tags: await tagsOf(db, idsOf(networks)),
  };
}

export async function loadSubnetDetails(
  db: Db,
  subnets: readonly Subnet[],
): Promise<SubnetDetails> {
  const networks = await networkTable.among(
    db,
    'id',
    subnets.map((subnet) => subnet.network_id),
  );
  const external = networks.filter((network) => network['router:external']);
  return { externalNetworks: new Set(idsOf(external)), tags: await tagsOf(db, idsOf(subnets)) };
}

export async function loadPortDetails(db: Db, ports: readonly Port[]): Promise<PortDetails> {
  const ids = idsOf(ports);
  const networks = byId(
    await networkTable.among(
      db,
      'id',
      ports.map((port) => port.network_id),
    ),
  );
  const policyIds = named(ports, (port) => effectivePolicy(port, networks.get(port.network_id)));
  const rules = await qosRuleTable.among(db, 'qos_policy_id', policyIds, {
    type: ['minimum_bandwidth', 'minimum_packet_rate'],
  });
  return {
    fixedIps: await addressesOf(db, ids),
    securityGroups: await groupsOfPorts(db, ids),
    ...(await trunksOfPorts(db, ids)),
    networks,
    guarantees: grouped(rules, (rule) => rule.qos_policy_id),
    physicalNetworks: rules.length
      ? await firstPhysicalNetworks(db, [...networks.values()])
      : new Map(),
    tags: await tagsOf(db, ids),
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
  return { subPorts: await subPortsOf(db, ids), tags: await tagsOf(db, ids) };
}

export async function loadRouterDetails(
  db: Db,
  routers: readonly Router[],
): Promise<RouterDetails> {
  const portIds = named(routers, (router) => router.gw_port_id);
  const gateways = byId(await portTable.among(db, 'id', portIds));
  const networkIds = [...gateways.values()].map((port) => port.network_id);
  const helpers = await conntrackHelperTable.among(db, 'router_id', idsOf(routers));
  return {
    conntrackHelpers: grouped(helpers, (helper) => helper.router_id),
    gateways,
    networks: byId(await networkTable.among(db, 'id', networkIds)),
    fixedIps: await addressesOf(db, portIds),
    tags: await tagsOf(db, idsOf(routers)),
  };
}

export async function loadFloatingipDetails(
  db: Db,
  floatingips: readonly Floatingip[],
): Promise<FloatingipDetails> {
  const ports = byId(
    await portTable.among(
      db,
      'id',
      named(floatingips, (floatingip) => floatingip.port_id),
    ),
  );
  const forwardings = await forwardingTable.among(db, 'floatingip_id', idsOf(floatingips));
  return {
    ports,
    forwardings: grouped(forwardings, (forwarding) => forwarding.floatingip_id),
    tags: await tagsOf(db, idsOf(floatingips)),
  };
}

export async function loadGroupDetails(
  db: Db,
  groups: readonly SecurityGroup[],
): Promise<SecurityGroupDetails> {
  const rules = await ruleTable.among(db, 'security_group_id', idsOf(groups));
  return {
    rules: grouped(rules, (rule) => rule.security_group_id),
    tags: await tagsOf(db, idsOf(groups)),
  };
}

export async function loadQosPolicyDetails(
  db: Db,
  policies: readonly QosPolicy[],
): Promise<QosPolicyDetails> {
  const rules = await qosRuleTable.among(db, 'qos_policy_id', idsOf(policies));
  return {
    rules: grouped(rules, (rule) => rule.qos_policy_id),
    tags: await tagsOf(db, idsOf(policies)),
  };
}
