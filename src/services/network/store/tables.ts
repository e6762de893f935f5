// The tables of the resources: a column for each attribute.
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
} from '../model.ts';
import {
  boolean,
  json,
  number,
  numberOrNull,
  tableOf,
  text,
  textOrNull,
  type Columns,
} from './table.ts';

const standard: Columns<Standard> = {
  id: text,
  project_id: text,
  description: text,
  revision_number: number,
  created_at: number,
  updated_at: number,
};

export const networkTable = tableOf<Network>('network_networks', 'network', {
  ...standard,
  name: text,
  admin_state_up: boolean,
  status: text,
  shared: boolean,
  'router:external': boolean,
  mtu: number,
  port_security_enabled: boolean,
  'provider:network_type': text,
  'provider:physical_network': textOrNull,
  'provider:segmentation_id': numberOrNull,
  availability_zone_hints: json(),
});

export const subnetTable = tableOf<Subnet>('network_subnets', 'subnet', {
  ...standard,
  name: text,
  network_id: text,
  ip_version: number,
  cidr: text,
  gateway_ip: textOrNull,
  enable_dhcp: boolean,
  ipv6_ra_mode: textOrNull,
  ipv6_address_mode: textOrNull,
  allocation_pools: json(),
  dns_nameservers: json(),
  host_routes: json(),
  subnetpool_id: textOrNull,
});

export const subnetpoolTable = tableOf<Subnetpool>('network_subnetpools', 'subnet pool', {
  ...standard,
  name: text,
  prefixes: json(),
  ip_version: number,
  min_prefixlen: number,
  max_prefixlen: number,
  default_prefixlen: number,
  default_quota: numberOrNull,
  is_default: boolean,
  shared: boolean,
  address_scope_id: textOrNull,
});

export const addressScopeTable = tableOf<AddressScope>('network_address_scopes', 'address scope', {
  ...standard,
  name: text,
  shared: boolean,
  ip_version: number,
});

export const portTable = tableOf<Port>('network_ports', 'port', {
  ...standard,
  name: text,
  network_id: text,
  mac_address: text,
  admin_state_up: boolean,
  status: text,
  device_id: text,
  device_owner: text,
  port_security_enabled: boolean,
  allowed_address_pairs: json(),
  'binding:host_id': text,
  'binding:vnic_type': text,
  'binding:profile': json(),
  extra_dhcp_opts: json(),
});

export const routerTable = tableOf<Router>('network_routers', 'router', {
  ...standard,
  name: text,
  admin_state_up: boolean,
  status: text,
  gw_port_id: textOrNull,
  enable_snat: boolean,
  routes: json(),
  availability_zone_hints: json(),
});

export const floatingipTable = tableOf<Floatingip>('network_floatingips', 'floating IP', {
  ...standard,
  floating_network_id: text,
  floating_ip_address: text,
  floating_port_id: text,
  port_id: textOrNull,
  fixed_ip_address: textOrNull,
  router_id: textOrNull,
  status: text,
});

export const groupTable = tableOf<SecurityGroup>('network_security_groups', 'security group', {
  ...standard,
  name: text,
  stateful: boolean,
});

export const ruleTable = tableOf<SecurityGroupRule>(
  'network_security_group_rules',
  'security group rule',
  {
    ...standard,
    security_group_id: text,
    direction: text,
    ethertype: text,
    protocol: textOrNull,
    port_range_min: numberOrNull,
    port_range_max: numberOrNull,
    remote_ip_prefix: textOrNull,
    remote_group_id: textOrNull,
  },
);
