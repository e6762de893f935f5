// The settings of Network, which an operator can change at runtime. Upstream reads them from
// neutron.conf.
import {
  integerSetting,
  ServiceSettings,
  setting,
  type SettingDeclaration,
} from '../../../kernel/contract/service-settings.ts';
import type { JsonObject } from '../../../kernel/json.ts';

/** Declares a default quota. -1 is unlimited. */
const quota = (upstream: string, limit: number, resources: string): SettingDeclaration<number> =>
  integerSetting({
    default: limit,
    minimum: -1,
    upstream: `[QUOTAS] ${upstream}`,
    help: `The most ${resources} of a project without a quota of its own; -1 for unlimited.`,
  });

/** The physical networks of hosts, by host. */
type PhysicalNetworks = Readonly<Record<string, readonly string[]>>;

/** Rates by direction of traffic; a direction that is left out has no inventory. */
type Rates = Readonly<Partial<Record<'egress' | 'ingress', number>>>;

/** Bandwidths in kilobits per second, by host and bridge. */
type Bandwidths = Readonly<Record<string, Readonly<Record<string, Rates>>>>;

/** Packet rates in thousands per second, by host: of either direction, or of both together. */
type PacketRates = Readonly<
  Record<string, Readonly<Partial<Record<'egress' | 'ingress' | 'any', number>>>>
>;

/** The fields of inventories besides their totals. */
type InventoryDefaults = Readonly<
  Partial<Record<'allocation_ratio' | 'min_unit' | 'max_unit' | 'step_size' | 'reserved', number>>
>;

const rate: JsonObject = { type: 'integer', minimum: 1, maximum: 2_147_483_647 };

const ratesBy = (...directions: readonly string[]): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: Object.fromEntries(directions.map((direction) => [direction, rate])),
});

/** Declares the fields of the inventories of bandwidths or of packet rates. */
const inventoryDefaults = (
  upstream: string,
  amounts: string,
): SettingDeclaration<InventoryDefaults> =>
  setting<InventoryDefaults>({
    default: { allocation_ratio: 1, min_unit: 1, step_size: 1, reserved: 0 },
    schema: {
      type: 'object',
      additionalProperties: false,
      properties: {
        allocation_ratio: { type: 'number', exclusiveMinimum: 0, maximum: 1_000_000 },
        min_unit: rate,
        max_unit: rate,
        step_size: rate,
        reserved: { type: 'integer', minimum: 0, maximum: 2_147_483_647 },
      },
    },
    upstream: `[ovs] ${upstream}`,
    help: `The fields of the inventories of ${amounts}, besides their totals.`,
  });

const maximum = (upstream: string, value: number, help: string): SettingDeclaration<number> =>
  integerSetting({ default: value, minimum: 0, upstream: `[DEFAULT] ${upstream}`, help });

export const networkSettings = new ServiceSettings('network', {
  defaultQuota: quota('default_quota', -1, 'resources without a setting, such as subnet pools,'),
  quotaNetwork: quota('quota_network', 100, 'networks'),
  quotaSubnet: quota('quota_subnet', 100, 'subnets'),
  quotaPort: quota('quota_port', 500, 'ports'),
  quotaRouter: quota('quota_router', 10, 'routers'),
  quotaFloatingip: quota('quota_floatingip', 50, 'floating IPs'),
  quotaSecurityGroup: quota('quota_security_group', 10, 'security groups'),
  quotaSecurityGroupRule: quota('quota_security_group_rule', 100, 'rules of security groups'),
  quotaRbacPolicy: quota('quota_rbac_policy', 10, 'RBAC policies'),
  maxDnsNameservers: maximum('max_dns_nameservers', 5, 'The most DNS nameservers of a subnet.'),
  maxSubnetHostRoutes: maximum('max_subnet_host_routes', 20, 'The most host routes of a subnet.'),
  maxAllowedAddressPair: maximum(
    'max_allowed_address_pair',
    10,
    'The most allowed address pairs of a port.',
  ),
  maxRoutes: maximum('max_routes', 30, 'The most routes of a router.'),
  globalPhysnetMtu: integerSetting({
    default: 1500,
    minimum: 128,
    maximum: 65_535,
    upstream: '[DEFAULT] global_physnet_mtu',
    help:
      'The MTU of the physical networks, and so the largest MTU of flat and VLAN networks; tunnels ' +
      'leave up to 58 bytes less. Networks keep the MTU that they were created with.',
  }),
  physicalNetworks: setting<PhysicalNetworks>({
    default: {},
    schema: {
      type: 'object',
      additionalProperties: {
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: 64 },
        uniqueItems: true,
      },
    },
    upstream: '[ovs] bridge_mappings',
    help:
      'The physical networks that hosts are connected to, by host, such as ' +
      '`{"compute-1": ["rack1"]}`. Hosts that are not listed are connected to `public`. It decides ' +
      'which segments a host reaches.',
  }),
  resourceProviderBandwidths: setting<Bandwidths>({
    default: {},
    schema: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: ratesBy('egress', 'ingress'),
      },
    },
    upstream: '[ovs] resource_provider_bandwidths',
    help:
      'The bandwidths of the bridges of hosts in kilobits per second, such as ' +
      '`{"compute-1": {"br-ex": {"egress": 1000000, "ingress": 1000000}}}`. The agents of these ' +
      'hosts have providers with these inventories in Placement. The bridge of the physical ' +
      'network `public` is `br-ex`, that of `rack1` is `br-rack1`; `rp_tunnelled` has the ' +
      'bandwidth of all networks without a physical network.',
  }),
  resourceProviderInventoryDefaults: inventoryDefaults(
    'resource_provider_inventory_defaults',
    'bandwidths',
  ),
  resourceProviderPacketProcessing: setting<PacketRates>({
    default: {},
    schema: {
      type: 'object',
      additionalProperties: { oneOf: [ratesBy('any'), ratesBy('egress', 'ingress')] },
    },
    upstream: '[ovs] resource_provider_packet_processing_without_direction, ..._with_direction',
    help:
      'How many thousands of packets per second hosts process, by host: `{"any": 10000}` for both ' +
      'directions together, or `{"egress": 5000, "ingress": 5000}`. The agents of these hosts ' +
      'have providers with these inventories in Placement.',
  }),
  resourceProviderPacketProcessingInventoryDefaults: inventoryDefaults(
    'resource_provider_packet_processing_inventory_defaults',
    'packet rates',
  ),
  dhcpLeaseDuration: integerSetting({
    default: 86_400,
    minimum: -1,
    upstream: '[DEFAULT] dhcp_lease_duration',
    help:
      'For how many seconds the DHCP agents lease addresses; -1 forever. It only shows in the ' +
      'configurations of the agents.',
  }),
  paginationMaxLimit: integerSetting({
    default: -1,
    minimum: -1,
    upstream: '[DEFAULT] pagination_max_limit',
    help: 'The largest page of a list, also without a limit in the request; -1 for unlimited.',
  }),
});

/** The name of the bridge that connects a host to a physical network. */
export const bridgeOf = (physicalNetwork: string): string =>
  physicalNetwork === 'public' ? 'br-ex' : `br-${physicalNetwork}`;

/** The physical networks that a host is connected to. */
export const physicalNetworksOf = (byHost: PhysicalNetworks, host: string): readonly string[] =>
  Object.hasOwn(byHost, host) ? byHost[host]! : ['public'];

export type NetworkSettings = typeof networkSettings.defaults;
