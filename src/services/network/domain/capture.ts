// Captures the networks, subnets, ports, routers, floating IPs and security groups of a cloud.
import type { Captured, CaptureSource, Json } from '../../../emulator/capture/model.ts';
import type { Context } from '../../../kernel/model.ts';
import {
  deviceOwners,
  objectTypes,
  qosRuleTypes,
  type FixedIp,
  type Floatingip,
  type Network,
  type Port,
  type QosRule,
  type QosRuleType,
  type Router,
  type SubPort,
} from '../model.ts';
import { assignAddress } from '../store/addresses.ts';
import { beingChanged } from '../store/conflicts.ts';
import { associate } from '../store/flavors.ts';
import { deleteResourcesOf } from '../store/owned-rows.ts';
import { addGroups, setDefaultGroup } from '../store/security-groups.ts';
import {
  addressGroupTable,
  addressScopeTable,
  conntrackHelperTable,
  defaultRuleTable,
  flavorTable,
  floatingipTable,
  forwardingTable,
  groupTable,
  meteringLabelTable,
  meteringRuleTable,
  networkTable,
  portTable,
  qosPolicyTable,
  qosRuleTable,
  rbacTable,
  routerTable,
  ruleTable,
  segmentTable,
  serviceProfileTable,
  subnetpoolTable,
  subnetTable,
  trunkTable,
} from '../store/tables.ts';
import { insertSubPorts } from '../store/subports.ts';
import { captureAgents } from './capture-agents.ts';
import { portsIn } from './routers/port-forwardings.ts';
import {
  blankAddressGroup,
  blankConntrackHelper,
  blankDefaultRule,
  blankFlavor,
  blankFloatingip,
  blankForwarding,
  blankGroup,
  blankMeteringLabel,
  blankMeteringRule,
  blankNetwork,
  blankPolicy,
  blankPool,
  blankPort,
  blankQosPolicy,
  blankRouter,
  blankRule,
  blankScope,
  blankSegment,
  blankServiceProfile,
  blankSubnet,
  blankTrunk,
} from './capture-blanks.ts';
import { Reader } from './capture-reader.ts';
import { captureQuotas } from './capture-quotas.ts';
import { insertSegments } from './segments/segments.ts';
import { newStandard } from './standard.ts';
import { shareNew } from './sharing/shared-attributes.ts';

/** Captures what Network has. Its agents are those of a new cloud, and of the captured hosts. */
export async function captureNetwork(context: Context, source: CaptureSource): Promise<Captured> {
  await removeSeeded(context);
  const { extensions } = await source.get('network', '/v2.0/extensions');
  const aliases = new Set((extensions as readonly Json[]).map(({ alias }) => String(alias)));
  const read = new Reader(context, source, aliases);
  await read.all('address_scopes', addressScopeTable, blankScope, same);
  await read.all('subnetpools', subnetpoolTable, blankPool, (pool) => ({
    ...pool,
    min_prefixlen: Number(pool.min_prefixlen),
    max_prefixlen: Number(pool.max_prefixlen),
    default_prefixlen: Number(pool.default_prefixlen),
  }));
  await captureQos(context, read);
  await captureFlavors(context, read);
  await read.all('metering_labels', meteringLabelTable, blankMeteringLabel, same);
  await read.all('metering_label_rules', meteringRuleTable, blankMeteringRule, same);
  const order = new Map<string, readonly Json[]>();
  const networks = await read.all('networks', networkTable, blankNetwork, (network, shown) => {
    order.set(network.id, (shown['segments'] ?? []) as readonly Json[]);
    return network;
  });
  await captureSegments(context, read, networks, order);
  if (aliases.has('agent')) await captureAgents(context, source);
  const subnets = await read.all('subnets', subnetTable, blankSubnet, same);
  await read.all('address_groups', addressGroupTable, blankAddressGroup, same);
  const groups = await read.all('security_groups', groupTable, blankGroup, same);
  for (const { id, name, project_id } of groups)
    if (name === 'default') await setDefaultGroup(context.db, project_id, id);
  await read.all('security_group_rules', ruleTable, blankRule, same);
  if (aliases.has('security-groups-default-rules')) await captureDefaultRules(context, read);
  const ports = await capturePorts(context, read);
  await captureTrunks(context, read);
  const routers = await captureRouters(read, ports);
  await captureConntrackHelpers(read, routers);
  const floating = await captureFloatingIps(read, ports);
  await captureForwardings(read, floating);
  await captureSharing(context, read);
  await captureQuotas(context, source);
  return {
    networks: networks.length,
    subnets: subnets.length,
    'security groups': groups.length,
    ports: ports.length,
    routers: routers.length,
    'floating IPs': floating.length,
  };
}

/** Removes the networks and the router of a new cloud. */
async function removeSeeded({ db }: Context): Promise<void> {
  const seeded = [...(await networkTable.list(db)), ...(await routerTable.list(db))];
  await deleteResourcesOf(db, [...new Set(seeded.map(({ project_id }) => project_id))]);
}

const same = <T>(record: T): T => record;

/**
 * Captures the policies that share objects. Only the project that shares sees its policies, so what
 * is shared by others is shared with all projects in the copy.
 */
async function captureSharing(context: Context, read: Reader): Promise<void> {
  const policies = await read.all('rbac_policies', rbacTable, blankPolicy, (policy) =>
    objectTypes.includes(policy.object_type) && read.has(policy.object_id) ? policy : undefined,
  );
  const known = new Set(policies.map((policy) => `${policy.object_id} ${policy.action}`));
  for (const { type, object, action } of read.shared)
    if (!known.has(`${object.id} ${action}`)) await shareNew(context, type, object, action);
}

/** Captures service profiles, which only administrators see, and flavors. */
async function captureFlavors({ db }: Context, read: Reader): Promise<void> {
  const profiles = new Map<string, readonly string[]>();
  await read.all('service_profiles', serviceProfileTable, blankServiceProfile, same);
  const flavors = await read.all('flavors', flavorTable, blankFlavor, (flavor, shown) => {
    profiles.set(flavor.id, (shown['service_profiles'] ?? []) as readonly string[]);
    return flavor;
  });
  for (const { id: flavor_id } of flavors)
    for (const service_profile_id of profiles.get(flavor_id)!)
      if (read.has(service_profile_id)) await associate(db, { flavor_id, service_profile_id });
}

/** Captures QoS policies with their rules. Rules of unknown types are left out. */
async function captureQos({ db, now }: Context, read: Reader): Promise<void> {
  const rules = new Map<string, readonly Json[]>();
  const policies = await read.all('policies', qosPolicyTable, blankQosPolicy, (policy, shown) => {
    rules.set(policy.id, (shown['rules'] ?? []) as readonly Json[]);
    return { ...policy, default_of: shown['is_default'] === true ? policy.project_id : null };
  });
  for (const { id, project_id } of policies)
    for (const shown of rules.get(id)!)
      if (qosRuleTypes.includes(shown['type'] as QosRuleType))
        await qosRuleTable.create(db, capturedRule(shown, { id, project_id, now }));
}

function capturedRule(
  shown: Json,
  policy: { readonly id: string; readonly project_id: string; readonly now: number },
): QosRule {
  const number = (name: string): number | null => (shown[name] ?? null) as number | null;
  return {
    ...newStandard({ project_id: policy.project_id }, policy.now, String(shown['id'])),
    qos_policy_id: policy.id,
    type: shown['type'] as QosRuleType,
    direction: (shown['direction'] ?? null) as string | null,
    max_kbps: number('max_kbps'),
    max_burst_kbps: number('max_burst_kbps'),
    min_kbps: number('min_kbps'),
    dscp_mark: number('dscp_mark'),
    min_kpps: number('min_kpps'),
    max_kpps: number('max_kpps'),
    max_burst_kpps: number('max_burst_kpps'),
  };
}

/**
 * Captures segments, which only administrators see. The networks of a cloud without the extension
 * have one each.
 * @param order the segments that networks with several list
 */
async function captureSegments(
  context: Context,
  read: Reader,
  networks: readonly Network[],
  order: ReadonlyMap<string, readonly Json[]>,
): Promise<void> {
  const captured = await read.all('segments', segmentTable, blankSegment, (segment) => {
    const index = order
      .get(segment.network_id)!
      .findIndex(
        (one) =>
          one['provider:network_type'] === segment.network_type &&
          one['provider:physical_network'] === segment.physical_network &&
          one['provider:segmentation_id'] === segment.segmentation_id,
      );
    const isFlat = segment.network_type === 'flat';
    return {
      ...segment,
      segment_index: Math.max(0, index),
      segmentation_id: isFlat ? 0 : segment.segmentation_id,
    };
  });
  const known = new Set(captured.map((segment) => segment.network_id));
  for (const network of networks.filter(({ id }) => !known.has(id))) {
    const type = network['provider:network_type'];
    if (type === null) continue;
    const number = network['provider:segmentation_id'];
    const segment = {
      network_type: type,
      physical_network: network['provider:physical_network'],
      segmentation_id: type === 'flat' ? 0 : number,
    };
    await insertSegments(context, network.id, [segment]);
  }
}

/** Captures the rules that new groups get, instead of those of a new cloud. */
async function captureDefaultRules({ db }: Context, read: Reader): Promise<void> {
  for (const rule of await defaultRuleTable.list(db)) await defaultRuleTable.delete(db, rule);
  await read.all('default_security_group_rules', defaultRuleTable, blankDefaultRule, same);
}

/** Captures ports, with their addresses and security groups. */
async function capturePorts({ db }: Context, read: Reader): Promise<Port[]> {
  const details = new Map<string, Json>();
  const ports = await read.all('ports', portTable, blankPort, (port, shown) => {
    details.set(port.id, shown);
    return port;
  });
  for (const { id } of ports) {
    const shown = details.get(id)!;
    for (const fixed of (shown['fixed_ips'] ?? []) as readonly FixedIp[]) {
      const { subnet_id, ip_address } = fixed;
      if (!read.has(subnet_id)) continue;
      await assignAddress(db, id, { subnet_id, ip_address }, beingChanged('port'));
    }
    const groups = (shown['security_groups'] ?? []) as readonly string[];
    await addGroups(
      db,
      id,
      groups.filter((group) => read.has(group)),
    );
  }
  return ports;
}

/** Captures trunks, with the subports whose ports have been captured. */
async function captureTrunks({ db }: Context, read: Reader): Promise<void> {
  const details = new Map<string, Json>();
  const trunks = await read.all('trunks', trunkTable, blankTrunk, (trunk, shown) => {
    details.set(trunk.id, shown);
    return trunk;
  });
  for (const { id } of trunks) {
    const subPorts = (details.get(id)!['sub_ports'] ?? []) as readonly SubPort[];
    await insertSubPorts(
      db,
      subPorts
        .filter(({ port_id }) => read.has(port_id))
        .map((subPort) => ({ ...subPort, trunk_id: id })),
    );
  }
}

/** The ports of routers and floating IPs by what they belong to. */
const byDevice = (ports: readonly Port[], owner: string): ReadonlyMap<string, string> =>
  new Map(
    ports.filter((port) => port.device_owner === owner).map((port) => [port.device_id, port.id]),
  );

/** Captures routers, whose gateways are ports that the API shows only as such. */
function captureRouters(read: Reader, ports: readonly Port[]): Promise<Router[]> {
  const gateways = byDevice(ports, deviceOwners.routerGateway);
  return read.all('routers', routerTable, blankRouter, (router, shown) => {
    const gateway = shown['external_gateway_info'] as Json | null | undefined;
    const policy = gateway?.['qos_policy_id'] as string | null | undefined;
    return {
      ...router,
      gw_port_id: gateways.get(router.id) ?? null,
      enable_snat: gateway?.['enable_snat'] !== false,
      qos_policy_id: policy ?? null,
    };
  });
}

/** Captures the conntrack helpers of routers. */
async function captureConntrackHelpers(read: Reader, routers: readonly Router[]): Promise<void> {
  for (const { id: router_id, project_id } of routers)
    await read.all(
      'conntrack_helpers',
      conntrackHelperTable,
      blankConntrackHelper,
      (helper) => ({ ...helper, project_id, router_id }),
      `routers/${router_id}/conntrack_helpers`,
    );
}

/** Captures floating IPs; one without its own port is being made, and left out. */
function captureFloatingIps(read: Reader, ports: readonly Port[]): Promise<Floatingip[]> {
  const own = byDevice(ports, deviceOwners.floatingip);
  return read.all('floatingips', floatingipTable, blankFloatingip, (floating) => {
    const floatingPort = own.get(floating.id);
    return floatingPort === undefined ? undefined : { ...floating, floating_port_id: floatingPort };
  });
}

/** Captures the port forwardings of the floating IPs that are behind a router, but have no port. */
async function captureForwardings(read: Reader, floating: readonly Floatingip[]): Promise<void> {
  for (const { id, project_id } of floating.filter(
    (one) => one.router_id !== null && one.port_id === null,
  )) {
    const list = `floatingips/${id}/port_forwardings`;
    await read.all(
      'port_forwardings',
      forwardingTable,
      blankForwarding,
      (forwarding, shown) => ({
        ...forwarding,
        project_id,
        floatingip_id: id,
        ...portsIn('internal', shown['internal_port_range'] ?? shown['internal_port']),
        ...portsIn('external', shown['external_port_range'] ?? shown['external_port']),
      }),
      list,
    );
  }
}
