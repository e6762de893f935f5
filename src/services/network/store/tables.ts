// The tables of the things, attribute by attribute.
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
import type { Column, Table } from './table.ts';

const standard: Readonly<Record<keyof Standard, Column>> = {
  id: 'text',
  project_id: 'text',
  description: 'text',
  revision_number: 'number',
  created_at: 'number',
  updated_at: 'number',
};

export const networkTable: Table<Network> = {
  name: 'network_networks',
  noun: 'network',
  columns: {
    ...standard,
    name: 'text',
    admin_state_up: 'boolean',
    status: 'text',
    shared: 'boolean',
    'router:external': 'boolean',
    mtu: 'number',
    port_security_enabled: 'boolean',
    'provider:network_type': 'text',
    'provider:physical_network': 'text',
    'provider:segmentation_id': 'number',
    availability_zone_hints: 'json',
  },
};

export const subnetTable: Table<Subnet> = {
  name: 'network_subnets',
  noun: 'subnet',
  columns: {
    ...standard,
    name: 'text',
    network_id: 'text',
    ip_version: 'number',
    cidr: 'text',
    gateway_ip: 'text',
    enable_dhcp: 'boolean',
    ipv6_ra_mode: 'text',
    ipv6_address_mode: 'text',
    allocation_pools: 'json',
    dns_nameservers: 'json',
    host_routes: 'json',
    subnetpool_id: 'text',
  },
};

export const subnetpoolTable: Table<Subnetpool> = {
  name: 'network_subnetpools',
  noun: 'subnet pool',
  columns: {
    ...standard,
    name: 'text',
    prefixes: 'json',
    ip_version: 'number',
    min_prefixlen: 'number',
    max_prefixlen: 'number',
    default_prefixlen: 'number',
    default_quota: 'number',
    is_default: 'boolean',
    shared: 'boolean',
    address_scope_id: 'text',
  },
};

export const addressScopeTable: Table<AddressScope> = {
  name: 'network_address_scopes',
  noun: 'address scope',
  columns: { ...standard, name: 'text', shared: 'boolean', ip_version: 'number' },
};

export const portTable: Table<Port> = {
  name: 'network_ports',
  noun: 'port',
  columns: {
    ...standard,
    name: 'text',
    network_id: 'text',
    mac_address: 'text',
    admin_state_up: 'boolean',
    status: 'text',
    device_id: 'text',
    device_owner: 'text',
    port_security_enabled: 'boolean',
    allowed_address_pairs: 'json',
    'binding:host_id': 'text',
    'binding:vnic_type': 'text',
    'binding:profile': 'json',
    extra_dhcp_opts: 'json',
  },
};

export const routerTable: Table<Router> = {
  name: 'network_routers',
  noun: 'router',
  columns: {
    ...standard,
    name: 'text',
    admin_state_up: 'boolean',
    status: 'text',
    gw_port_id: 'text',
    enable_snat: 'boolean',
    routes: 'json',
    availability_zone_hints: 'json',
  },
};

export const floatingipTable: Table<Floatingip> = {
  name: 'network_floatingips',
  noun: 'floating IP',
  columns: {
    ...standard,
    floating_network_id: 'text',
    floating_ip_address: 'text',
    floating_port_id: 'text',
    port_id: 'text',
    fixed_ip_address: 'text',
    router_id: 'text',
    status: 'text',
  },
};

export const groupTable: Table<SecurityGroup> = {
  name: 'network_security_groups',
  noun: 'security group',
  columns: { ...standard, name: 'text', stateful: 'boolean' },
};

export const ruleTable: Table<SecurityGroupRule> = {
  name: 'network_security_group_rules',
  noun: 'security group rule',
  columns: {
    ...standard,
    security_group_id: 'text',
    direction: 'text',
    ethertype: 'text',
    protocol: 'text',
    port_range_min: 'number',
    port_range_max: 'number',
    remote_ip_prefix: 'text',
    remote_group_id: 'text',
  },
};
