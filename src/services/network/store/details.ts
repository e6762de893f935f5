// Reads what clients see of resources besides their own attributes, for all resources of a reply at
// once.
import type {
  Floatingip,
  FloatingipDetails,
  Network,
  NetworkDetails,
  Port,
  PortDetails,
  Router,
  RouterDetails,
  SecurityGroup,
  SecurityGroupDetails,
  Subnet,
  SubnetDetails,
  Tags,
  Trunk,
  TrunkDetails,
} from '../model.ts';
import { addressesOf } from './addresses.ts';
import { grouped } from '../../../kernel/db/grouping.ts';
import { groupsOfPorts } from './security-groups.ts';
import {
  networkTable,
  portTable,
  ruleTable,
  subnetpoolTable,
  subnetTable,
  trunkTable,
} from './tables.ts';
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
  const tags = await tagsOf(db, idsOf(networks));
  return { subnets: grouped(subnets, (subnet) => subnet.network_id), pools: byId(pools), tags };
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
  return {
    fixedIps: await addressesOf(db, ids),
    securityGroups: await groupsOfPorts(db, ids),
    ...(await trunksOfPorts(db, ids)),
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
  return {
    gateways,
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
  return { ports, tags: await tagsOf(db, idsOf(floatingips)) };
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
