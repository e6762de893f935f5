// The settings of Network, which an operator can change at runtime. Upstream reads them from
// neutron.conf.
import {
  integerSetting,
  ServiceSettings,
  setting,
  type SettingDeclaration,
} from '../../../kernel/contract/service-settings.ts';

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

/** The physical networks that a host is connected to. */
export const physicalNetworksOf = (byHost: PhysicalNetworks, host: string): readonly string[] =>
  Object.hasOwn(byHost, host) ? byHost[host]! : ['public'];

export type NetworkSettings = typeof networkSettings.defaults;
