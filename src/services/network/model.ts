// The records of Network. Resources use the API's attribute names in snake_case, because generic
// code reads them from bodies, filters, sorts and shows them without renaming.
import type { Micros } from '../../kernel/clock.ts';
import type { Pool } from './ip.ts';

/** The standard attributes, which every resource has. */
export interface Standard {
  readonly id: string;
  readonly project_id: string;
  readonly description: string;
  readonly revision_number: number;
  readonly created_at: Micros;
  readonly updated_at: Micros;
}

/** The statuses of networks, ports, routers and floating IPs. */
export const resourceStatuses = ['ACTIVE', 'BUILD', 'DOWN', 'ERROR', 'N/A'] as const;
export type ResourceStatus = (typeof resourceStatuses)[number];

export interface Network extends Standard {
  readonly name: string;
  readonly admin_state_up: boolean;
  readonly status: ResourceStatus;
  readonly 'router:external': boolean;
  /** Whether it is the external network of automatic topologies; only one can be. */
  readonly is_default: boolean;
  readonly mtu: number;
  readonly port_security_enabled: boolean;
  /** Of the provider attributes, a network has those of its only segment. */
  readonly 'provider:network_type': string | null;
  readonly 'provider:physical_network': string | null;
  readonly 'provider:segmentation_id': number | null;
  readonly availability_zone_hints: readonly string[];
  readonly qos_policy_id: string | null;
}

/** The part of a network that is in one physical network, or in tunnels between the hosts. */
export interface Segment extends Standard {
  readonly name: string | null;
  readonly network_id: string;
  readonly network_type: string;
  readonly physical_network: string | null;
  /** 0 for a flat segment; null for a local one. */
  readonly segmentation_id: number | null;
  /** The order of a network's segments. */
  readonly segment_index: number;
}

export interface HostRoute {
  readonly destination: string;
  readonly nexthop: string;
}

export interface Subnet extends Standard {
  readonly name: string;
  readonly network_id: string;
  readonly ip_version: number;
  readonly cidr: string;
  readonly gateway_ip: string | null;
  readonly enable_dhcp: boolean;
  readonly ipv6_ra_mode: string | null;
  readonly ipv6_address_mode: string | null;
  readonly allocation_pools: readonly Pool[];
  readonly dns_nameservers: readonly string[];
  readonly host_routes: readonly HostRoute[];
  readonly subnetpool_id: string | null;
  /** The device owners of the ports that may use the subnet; any, if empty. */
  readonly service_types: readonly string[];
  /** The segment whose hosts use it; all hosts of the network, if null. */
  readonly segment_id: string | null;
}

export interface FixedIp {
  readonly subnet_id: string;
  readonly ip_address: string;
}

export interface AddressPair {
  readonly ip_address: string;
  readonly mac_address: string;
}

export interface DhcpOption {
  readonly opt_name: string;
  readonly opt_value: string;
  readonly ip_version: number;
}

export interface Port extends Standard {
  readonly name: string;
  readonly network_id: string;
  readonly mac_address: string;
  readonly admin_state_up: boolean;
  readonly status: ResourceStatus;
  readonly device_id: string;
  readonly device_owner: string;
  readonly port_security_enabled: boolean;
  readonly allowed_address_pairs: readonly AddressPair[];
  readonly 'binding:host_id': string;
  readonly 'binding:vnic_type': string;
  readonly 'binding:profile': Readonly<Record<string, unknown>>;
  readonly extra_dhcp_opts: readonly DhcpOption[];
  readonly qos_policy_id: string | null;
  readonly ip_allocation: IpAllocation;
  readonly propagate_uplink_status: boolean;
  /** Hints for the backend, by its name; null if there are none. */
  readonly hints: Readonly<Record<string, unknown>> | null;
}

export const ipAllocations = ['immediate', 'deferred', 'none'] as const;
/** When a new port got its addresses: deferred ones come with its host. */
export type IpAllocation = (typeof ipAllocations)[number];

/** A binding of a port to a host on which the port is not active. */
export interface InactiveBinding {
  readonly port_id: string;
  readonly host: string;
  readonly vnic_type: string;
  readonly profile: Port['binding:profile'];
  /** False once another binding has been activated in its place. */
  readonly is_bound: boolean;
}

export interface PortBinding extends InactiveBinding {
  readonly status: 'ACTIVE' | 'INACTIVE';
}

export interface Router extends Standard {
  readonly name: string;
  readonly admin_state_up: boolean;
  readonly status: ResourceStatus;
  readonly gw_port_id: string | null;
  readonly enable_snat: boolean;
  readonly routes: readonly HostRoute[];
  readonly availability_zone_hints: readonly string[];
  /** The QoS policy of the gateway. */
  readonly qos_policy_id: string | null;
}

export interface Floatingip extends Standard {
  readonly floating_network_id: string;
  readonly floating_ip_address: string;
  readonly floating_port_id: string;
  readonly port_id: string | null;
  readonly fixed_ip_address: string | null;
  readonly router_id: string | null;
  readonly status: ResourceStatus;
  readonly qos_policy_id: string | null;
}

/** Tracks the connections of a protocol that uses several ports. */
export interface Conntrack extends Standard {
  readonly router_id: string;
  readonly protocol: string;
  readonly port: number;
  readonly helper: string;
}

/** Forwards ports of a floating IP to as many ports of an address, or to one port. */
export interface PortForwarding extends Standard {
  readonly floatingip_id: string;
  readonly protocol: string;
  readonly internal_port_id: string;
  readonly internal_ip_address: string;
  readonly internal_port_start: number;
  readonly internal_port_end: number;
  readonly external_port_start: number;
  readonly external_port_end: number;
}

export interface Subnetpool extends Standard {
  readonly name: string;
  readonly prefixes: readonly string[];
  readonly ip_version: number;
  readonly min_prefixlen: number;
  readonly max_prefixlen: number;
  readonly default_prefixlen: number;
  /** The part of the pool that a project may use, counted in /32 (IPv4) or /64 (IPv6) prefixes. */
  readonly default_quota: number | null;
  readonly is_default: boolean;
  readonly address_scope_id: string | null;
}

export interface AddressScope extends Standard {
  readonly name: string;
  readonly ip_version: number;
}

/** The types of objects that policies share. */
export const objectTypes = [
  'network',
  'subnetpool',
  'address_scope',
  'security_group',
  'address_group',
  'qos_policy',
] as const;
export type ObjectType = (typeof objectTypes)[number];

export const rbacActions = ['access_as_shared', 'access_as_external'] as const;
export type RbacAction = (typeof rbacActions)[number];

/** Shares an object with a project. It belongs to the project that shares. */
export interface RbacPolicy extends Standard {
  readonly object_type: ObjectType;
  readonly object_id: string;
  readonly action: RbacAction;
  /** The id of a project, or * for all. */
  readonly target_tenant: string;
}

/** The network and the router that a project was given automatically. */
export interface AutoTopology {
  readonly project_id: string;
  readonly network_id: string;
  /** Null once the router has been deleted. */
  readonly router_id: string | null;
}

/** Traffic that is metered together. */
export interface MeteringLabel extends Standard {
  readonly name: string;
  readonly shared: boolean;
}

/** The traffic of a metering label. It belongs to no project. */
export interface MeteringLabelRule extends Standard {
  readonly metering_label_id: string;
  readonly direction: string;
  readonly excluded: boolean;
  readonly remote_ip_prefix: string | null;
  readonly source_ip_prefix: string | null;
  readonly destination_ip_prefix: string | null;
}

/** A kind of service that operators offer, by the service profiles that it has. */
export interface Flavor extends Standard {
  readonly name: string;
  /** The type of the service plugin. */
  readonly service_type: string;
  readonly enabled: boolean;
}

/** How a service is provided: the driver, or information for it. */
export interface ServiceProfile extends Standard {
  readonly driver: string;
  readonly metainfo: string;
  readonly enabled: boolean;
}

/** A service profile that a flavor has. */
export interface FlavorProfile {
  readonly flavor_id: string;
  readonly service_profile_id: string;
}

export interface SecurityGroup extends Standard {
  readonly name: string;
  readonly stateful: boolean;
}

/** What a rule of security groups allows. */
export interface Traffic {
  readonly direction: string;
  readonly ethertype: string;
  readonly protocol: string | null;
  readonly port_range_min: number | null;
  readonly port_range_max: number | null;
  readonly remote_ip_prefix: string | null;
  readonly remote_group_id: string | null;
  readonly remote_address_group_id: string | null;
}

export interface SecurityGroupRule extends Standard, Traffic {
  readonly security_group_id: string;
}

/** A rule that new security groups get. It belongs to no project. */
export interface DefaultRule extends Standard, Traffic {
  /** Whether the default groups of projects get it. */
  readonly used_in_default_sg: boolean;
  /** Whether other groups get it. */
  readonly used_in_non_default_sg: boolean;
}

export interface AddressGroup extends Standard {
  readonly name: string;
  readonly addresses: readonly string[];
}

/** A port in a trunk, whose traffic carries a tag. */
export interface SubPort {
  readonly port_id: string;
  readonly trunk_id: string;
  readonly segmentation_type: string;
  readonly segmentation_id: number;
}

export const trunkStatuses = ['ACTIVE', 'DOWN', 'BUILD', 'DEGRADED', 'ERROR'] as const;

/** Carries the traffic of subports over its parent port. */
export interface Trunk extends Standard {
  readonly name: string;
  readonly admin_state_up: boolean;
  readonly port_id: string;
  readonly status: (typeof trunkStatuses)[number];
}

export interface QosPolicy extends Standard {
  readonly name: string;
  /** The project whose default policy it is: its own, or null. */
  readonly default_of: string | null;
}

export const qosRuleTypes = [
  'bandwidth_limit',
  'dscp_marking',
  'minimum_bandwidth',
  'minimum_packet_rate',
  'packet_rate_limit',
] as const;
export type QosRuleType = (typeof qosRuleTypes)[number];

/** A rule of a QoS policy. It belongs to the project of its policy. */
export interface QosRule extends Standard {
  readonly qos_policy_id: string;
  readonly type: QosRuleType;
  readonly direction: string | null;
  readonly max_kbps: number | null;
  readonly max_burst_kbps: number | null;
  readonly min_kbps: number | null;
  readonly dscp_mark: number | null;
  readonly min_kpps: number | null;
  readonly max_kpps: number | null;
  readonly max_burst_kpps: number | null;
}

export type AgentType = 'DHCP agent' | 'L3 agent' | 'Open vSwitch agent';

/** A process of Network on a host. */
export interface Agent {
  readonly id: string;
  readonly type: AgentType;
  readonly host: string;
  /** Its administrative state. */
  readonly up: boolean;
  readonly description: string | null;
  readonly startedAt: Micros;
}

// What clients see of resources besides their attributes. It is loaded for all resources of a reply
// together, by id.

type ById<V> = ReadonlyMap<string, V>;

/** The tags of resources, by resource id. */
export interface Tags {
  readonly tags: ById<readonly string[]>;
}

export interface NetworkDetails extends Tags {
  /** By network id. */
  readonly subnets: ById<readonly Subnet[]>;
  /** The subnet pools of those subnets, by id. */
  readonly pools: ById<Subnetpool>;
  /** By network id, in their order. */
  readonly segments: ById<readonly Segment[]>;
}

export interface SubnetDetails extends Tags {
  /** The ids of the external networks. */
  readonly externalNetworks: ReadonlySet<string>;
}

export interface PortDetails extends Tags {
  /** By port id. */
  readonly fixedIps: ById<readonly FixedIp[]>;
  /** The ids of security groups, by port id. */
  readonly securityGroups: ById<readonly string[]>;
  /** The trunks of parent ports, by port id. */
  readonly trunks: ById<Trunk>;
  /** By trunk id. */
  readonly subPorts: ById<readonly SubPort[]>;
  /** The MAC addresses of the subports, by port id. */
  readonly macAddresses: ById<string>;
  /** By id. */
  readonly networks: ById<Network>;
  /** The rules of QoS policies that guarantee something, by policy id. */
  readonly guarantees: ById<readonly QosRule[]>;
  /** The physical networks of the networks, by id of the network, if there are such rules. */
  readonly physicalNetworks: ById<string | null>;
}

export interface RouterDetails extends Tags {
  /** By router id. */
  readonly conntrackHelpers: ById<readonly Conntrack[]>;
  /** The gateway ports, by id. */
  readonly gateways: ById<Port>;
  /** By the id of the gateway port. */
  readonly fixedIps: ById<readonly FixedIp[]>;
  /** The networks of the gateways, by id. */
  readonly networks: ById<Network>;
}

export interface QosPolicyDetails extends Tags {
  /** By policy id. */
  readonly rules: ById<readonly QosRule[]>;
}

export interface FloatingipDetails extends Tags {
  /** The ports that floating IPs are associated with, by id. */
  readonly ports: ById<Port>;
  /** By floating IP id. */
  readonly forwardings: ById<readonly PortForwarding[]>;
}

export interface SecurityGroupDetails extends Tags {
  /** By group id. */
  readonly rules: ById<readonly SecurityGroupRule[]>;
}

export interface FlavorDetails {
  /** By flavor id. */
  readonly profiles: ById<readonly FlavorProfile[]>;
}

export interface TrunkDetails extends Tags {
  /** By trunk id. */
  readonly subPorts: ById<readonly SubPort[]>;
}

/** The device owners of ports that Network creates or binds itself. */
export const deviceOwners = {
  routerInterface: 'network:router_interface',
  routerGateway: 'network:router_gateway',
  floatingip: 'network:floatingip',
  dhcp: 'network:dhcp',
  subPort: 'trunk:subport',
} as const;

/**
 * Whether a port is deleted with its network or subnet, instead of preventing the deletion.
 * Upstream: AUTO_DELETE_PORT_OWNERS in neutron/db/db_base_plugin_v2.py.
 */
export const isAutoDeleted = (deviceOwner: string): boolean =>
  ['network:dhcp', 'network:distributed', 'network:floatingip_agent_gateway'].includes(deviceOwner);

/**
 * Whether a port belongs to a device of Network itself, so that no security groups apply to it.
 * Upstream: neutron/common/utils.py, is_port_trusted.
 */
export const isTrusted = (deviceOwner: string): boolean => deviceOwner.startsWith('network:');

/** The QoS policy that applies to a port: its own, or that of its network. */
export const effectivePolicy = (port: Port, network: Network | undefined): string | null =>
  port.qos_policy_id ?? network?.qos_policy_id ?? null;

/** Whether hosts on a subnet configure their own addresses (SLAAC). */
export const isAutoAddressed = ({
  ipv6_address_mode: mode,
}: Pick<Subnet, 'ipv6_address_mode'>): boolean => mode === 'slaac' || mode === 'dhcpv6-stateless';
