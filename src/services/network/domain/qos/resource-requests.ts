// What ports request of Placement: the bandwidth and the packet rate that their QoS policies
// guarantee. Upstream: neutron/services/qos/qos_plugin.py.
import { grouped } from '../../../../kernel/db/grouping.ts';
import { once } from '../../../../kernel/db/transaction.ts';
import { uuidIn } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import { effectivePolicy, type Port, type QosRule } from '../../model.ts';
import { firstPhysicalNetworks } from '../../store/segments.ts';
import { networkTable, portTable, qosRuleTable } from '../../store/tables.ts';

/** A group of resources that one provider has to have. */
export interface ResourceGroup {
  readonly id: string;
  /** The traits of the provider. */
  readonly required: readonly string[];
  /** Amounts by resource class. */
  readonly resources: Readonly<Record<string, number>>;
}

/** What the host of a port must have. */
export interface ResourceRequest {
  readonly request_groups: readonly ResourceGroup[];
  /** The groups whose providers must be in one subtree. */
  readonly same_subtree: readonly string[];
}

/** The types of rules that guarantee something. */
export const guaranteeTypes = ['minimum_bandwidth', 'minimum_packet_rate'] as const;

export type GuaranteeType = (typeof guaranteeTypes)[number];

export const isGuarantee = ({ type }: Pick<QosRule, 'type'>): boolean =>
  (guaranteeTypes as readonly string[]).includes(type);

/** The resource classes of bandwidth and packet rates, by type of rule and direction. */
const resourceClasses: Readonly<Record<GuaranteeType, Readonly<Record<string, string>>>> = {
  minimum_bandwidth: {
    egress: 'NET_BW_EGR_KILOBIT_PER_SEC',
    ingress: 'NET_BW_IGR_KILOBIT_PER_SEC',
  },
  minimum_packet_rate: {
    egress: 'NET_PACKET_RATE_EGR_KILOPACKET_PER_SEC',
    ingress: 'NET_PACKET_RATE_IGR_KILOPACKET_PER_SEC',
    any: 'NET_PACKET_RATE_KILOPACKET_PER_SEC',
  },
};

export const resourceClassOf = (type: GuaranteeType, direction: string): string =>
  resourceClasses[type][direction]!;

const customTrait = (name: string): string =>
  `CUSTOM_${name.toUpperCase().replace(/[^A-Z0-9_]+/g, '_')}`;

export const physicalNetworkTrait = (name: string): string => customTrait(`PHYSNET_${name}`);
export const vnicTypeTrait = (type: string): string => customTrait(`VNIC_TYPE_${type}`);

/** The trait of the provider whose bandwidth the networks without a physical network share. */
export const tunnelTrait = 'CUSTOM_NETWORK_TUNNEL_PROVIDER';

/** The amounts that rules guarantee, by resource class. */
export const amountsOf = (rules: readonly QosRule[]): Record<string, number> =>
  Object.fromEntries(
    rules.map((rule) => [
      resourceClassOf(rule.type as GuaranteeType, rule.direction!),
      (rule.min_kbps ?? rule.min_kpps)!,
    ]),
  );

/** The id of the group that rules of one type make for a port. */
export const groupIdOf = (portId: string, rules: readonly QosRule[]): string =>
  uuidIn(portId, rules.map(({ id }) => id).join(':'));

/**
 * A group for the bandwidth, and one for the packet rate, that the rules of a port's QoS policy
 * guarantee; null if they guarantee nothing.
 * @param physical the physical network of its network, or of the first segment of several
 */
export function resourceRequestOf(
  port: Port,
  physical: string | null,
  rules: readonly QosRule[],
): ResourceRequest | null {
  const onNetwork = physical === null ? tunnelTrait : physicalNetworkTrait(physical);
  const ofType = vnicTypeTrait(port['binding:vnic_type']);
  const required = { minimum_bandwidth: [onNetwork, ofType], minimum_packet_rate: [ofType] };
  const groups = guaranteeTypes.flatMap((type) => {
    const own = rules.filter((rule) => rule.type === type);
    if (!own.length) return [];
    return { id: groupIdOf(port.id, own), required: required[type], resources: amountsOf(own) };
  });
  return groups.length
    ? { request_groups: groups, same_subtree: groups.map(({ id }) => id) }
    : null;
}

/** What a port requests, and from which providers it has it. */
export interface PortRequest extends ResourceRequest {
  /** The UUIDs of providers by group, as Compute has written them to the binding. */
  readonly allocation: Readonly<Record<string, string>>;
}

/** What ports request, by port. Ports that request nothing are left out. */
export const requestsOfPorts = (
  { db }: Reading,
  portIds: readonly string[],
): Promise<Map<string, PortRequest>> => requestsOf(db, () => portTable.among(db, 'id', portIds));

/** What the ports of a server request, by port. */
export const requestsOfServer = (
  { db }: Reading,
  server: string,
): Promise<Map<string, PortRequest>> =>
  requestsOf(db, () => portTable.list(db, { where: { device_id: server }, sort: ['created_at'] }));

type Reading = Pick<Context, 'db'>;

/** @param read returns the ports, which are not needed as long as no policy guarantees anything */
async function requestsOf(
  db: Context['db'],
  read: () => Promise<readonly Port[]>,
): Promise<Map<string, PortRequest>> {
  const found = new Map<string, PortRequest>();
  const type = [...guaranteeTypes];
  if (!(await once(db, 'network.guarantees', () => qosRuleTable.exists(db, { type }))))
    return found;
  const ports = await read();
  const networkIds = [...new Set(ports.map((port) => port.network_id))];
  const used = await networkTable.among(db, 'id', networkIds);
  const networks = new Map(used.map((network) => [network.id, network]));
  const policyOf = (port: Port): string | null =>
    effectivePolicy(port, networks.get(port.network_id));
  const policies = [...new Set(ports.flatMap((port) => policyOf(port) ?? []))];
  const rules = grouped(
    await qosRuleTable.among(db, 'qos_policy_id', policies, { type }),
    (rule) => rule.qos_policy_id,
  );
  const physical = rules.size ? await firstPhysicalNetworks(db, used) : new Map<string, null>();
  for (const port of ports) {
    const own = rules.get(policyOf(port) ?? '');
    const request = own && resourceRequestOf(port, physical.get(port.network_id) ?? null, own);
    if (request) found.set(port.id, { ...request, allocation: allocationOf(port) });
  }
  return found;
}

/** The providers by group that Compute has written to the profile of a port's binding. */
export function allocationOf({ 'binding:profile': { allocation } }: Port): Record<string, string> {
  const isMap = typeof allocation === 'object' && allocation !== null;
  const entries = isMap && !Array.isArray(allocation) ? Object.entries(allocation) : [];
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
