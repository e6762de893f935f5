// The tables of resources, with a column for each attribute that is stored.
import {
  ipAllocations,
  objectTypes,
  qosRuleTypes,
  rbacActions,
  resourceStatuses,
  trunkStatuses,
  type AddressGroup,
  type AddressScope,
  type Conntrack,
  type DefaultRule,
  type Flavor,
  type Floatingip,
  type MeteringLabel,
  type MeteringLabelRule,
  type Network,
  type Port,
  type PortForwarding,
  type QosPolicy,
  type QosRule,
  type RbacPolicy,
  type Router,
  type SecurityGroup,
  type SecurityGroupRule,
  type Segment,
  type Standard,
  type ServiceProfile,
  type Subnet,
  type Subnetpool,
  type Traffic,
  type Trunk,
} from '../model.ts';
import {
  boolean,
  integer,
  jsonTexts,
  jsonObject,
  micros,
  nullable,
  text,
  textOf,
  type Columns,
} from '../../../kernel/db/columns.ts';
import {
  address,
  addressPairs,
  cidr,
  cidrs,
  dhcpOptions,
  direction,
  ethertype,
  ipVersion,
  mac,
  pools,
  routes,
  textOrEmpty,
  trueOnce,
  versionedCidr,
} from './columns.ts';
import { ResourceTable } from './resource-table.ts';

const standard: Columns<Standard> = {
  id: text,
  project_id: text,
  description: text,
  revision_number: integer,
  created_at: micros,
  updated_at: micros,
};

export const networkTable = new ResourceTable<Network>('network_networks', 'network', {
  ...standard,
  name: text,
  admin_state_up: boolean,
  status: textOf(resourceStatuses),
  'router:external': boolean,
  is_default: trueOnce,
  mtu: integer,
  port_security_enabled: boolean,
  'provider:network_type': textOrEmpty,
  'provider:physical_network': nullable(text),
  'provider:segmentation_id': nullable(integer),
  availability_zone_hints: jsonTexts(),
  qos_policy_id: nullable(text),
});

export const segmentTable = new ResourceTable<Segment>('network_segments', 'segment', {
  ...standard,
  name: nullable(text),
  network_id: text,
  network_type: text,
  physical_network: textOrEmpty,
  segmentation_id: nullable(integer),
  segment_index: integer,
});

export const subnetTable = new ResourceTable<Subnet>('network_subnets', 'subnet', {
  ...standard,
  name: text,
  network_id: text,
  ip_version: ipVersion,
  cidr: versionedCidr,
  gateway_ip: nullable(address),
  enable_dhcp: boolean,
  ipv6_ra_mode: nullable(text),
  ipv6_address_mode: nullable(text),
  allocation_pools: pools,
  dns_nameservers: jsonTexts(),
  host_routes: routes,
  subnetpool_id: nullable(text),
  service_types: jsonTexts(),
  segment_id: nullable(text),
});

export const subnetpoolTable = new ResourceTable<Subnetpool>('network_subnetpools', 'subnet pool', {
  ...standard,
  name: text,
  prefixes: cidrs,
  ip_version: ipVersion,
  min_prefixlen: integer,
  max_prefixlen: integer,
  default_prefixlen: integer,
  default_quota: nullable(integer),
  is_default: boolean,
  address_scope_id: nullable(text),
});

export const addressScopeTable = new ResourceTable<AddressScope>(
  'network_address_scopes',
  'address scope',
  {
    ...standard,
    name: text,
    ip_version: ipVersion,
  },
);

export const portTable = new ResourceTable<Port>('network_ports', 'port', {
  ...standard,
  name: text,
  network_id: text,
  mac_address: mac,
  admin_state_up: boolean,
  status: textOf(resourceStatuses),
  device_id: text,
  device_owner: text,
  port_security_enabled: boolean,
  allowed_address_pairs: addressPairs,
  'binding:host_id': text,
  'binding:vnic_type': text,
  'binding:profile': jsonObject(),
  extra_dhcp_opts: dhcpOptions,
  qos_policy_id: nullable(text),
  ip_allocation: textOf(ipAllocations),
  propagate_uplink_status: boolean,
  hints: nullable(jsonObject()),
});

export const routerTable = new ResourceTable<Router>('network_routers', 'router', {
  ...standard,
  name: text,
  admin_state_up: boolean,
  status: textOf(resourceStatuses),
  gw_port_id: nullable(text),
  enable_snat: boolean,
  routes,
  availability_zone_hints: jsonTexts(),
  qos_policy_id: nullable(text),
});

export const floatingipTable = new ResourceTable<Floatingip>('network_floatingips', 'floating IP', {
  ...standard,
  floating_network_id: text,
  floating_ip_address: address,
  floating_port_id: text,
  port_id: nullable(text),
  fixed_ip_address: nullable(address),
  router_id: nullable(text),
  status: textOf(resourceStatuses),
  qos_policy_id: nullable(text),
});

export const forwardingTable = new ResourceTable<PortForwarding>(
  'network_port_forwardings',
  'port forwarding',
  {
    ...standard,
    floatingip_id: text,
    protocol: text,
    internal_port_id: text,
    internal_ip_address: address,
    internal_port_start: integer,
    internal_port_end: integer,
    external_port_start: integer,
    external_port_end: integer,
  },
);

export const conntrackHelperTable = new ResourceTable<Conntrack>(
  'network_conntrack_helpers',
  'conntrack helper',
  { ...standard, router_id: text, protocol: text, port: integer, helper: text },
);

export const groupTable = new ResourceTable<SecurityGroup>(
  'network_security_groups',
  'security group',
  {
    ...standard,
    name: text,
    stateful: boolean,
  },
);

const traffic: Columns<Traffic> = {
  direction,
  ethertype,
  protocol: nullable(text),
  port_range_min: nullable(integer),
  port_range_max: nullable(integer),
  remote_ip_prefix: nullable(cidr),
  remote_group_id: nullable(text),
  remote_address_group_id: nullable(text),
};

export const ruleTable = new ResourceTable<SecurityGroupRule>(
  'network_security_group_rules',
  'security group rule',
  {
    ...standard,
    ...traffic,
    security_group_id: text,
  },
);

export const defaultRuleTable = new ResourceTable<DefaultRule>(
  'network_default_rules',
  'default security group rule',
  { ...standard, ...traffic, used_in_default_sg: boolean, used_in_non_default_sg: boolean },
);

export const rbacTable = new ResourceTable<RbacPolicy>('network_rbac_policies', 'RBAC policy', {
  ...standard,
  object_type: textOf(objectTypes),
  object_id: text,
  action: textOf(rbacActions),
  target_tenant: text,
});

export const addressGroupTable = new ResourceTable<AddressGroup>(
  'network_address_groups',
  'address group',
  { ...standard, name: text, addresses: cidrs },
);

export const flavorTable = new ResourceTable<Flavor>('network_flavors', 'flavor', {
  ...standard,
  name: text,
  service_type: text,
  enabled: boolean,
});

export const serviceProfileTable = new ResourceTable<ServiceProfile>(
  'network_service_profiles',
  'service profile',
  { ...standard, driver: text, metainfo: text, enabled: boolean },
);

export const meteringLabelTable = new ResourceTable<MeteringLabel>(
  'network_metering_labels',
  'metering label',
  { ...standard, name: text, shared: boolean },
);

export const meteringRuleTable = new ResourceTable<MeteringLabelRule>(
  'network_metering_label_rules',
  'metering label rule',
  {
    ...standard,
    metering_label_id: text,
    direction,
    excluded: boolean,
    remote_ip_prefix: nullable(cidr),
    source_ip_prefix: nullable(cidr),
    destination_ip_prefix: nullable(cidr),
  },
);

export const trunkTable = new ResourceTable<Trunk>('network_trunks', 'trunk', {
  ...standard,
  name: text,
  admin_state_up: boolean,
  port_id: text,
  status: textOf(trunkStatuses),
});

export const qosPolicyTable = new ResourceTable<QosPolicy>('network_qos_policies', 'QoS policy', {
  ...standard,
  name: text,
  default_of: nullable(text),
});

export const qosRuleTable = new ResourceTable<QosRule>('network_qos_rules', 'QoS rule', {
  ...standard,
  qos_policy_id: text,
  type: textOf(qosRuleTypes),
  direction: nullable(text),
  max_kbps: nullable(integer),
  max_burst_kbps: nullable(integer),
  min_kbps: nullable(integer),
  dscp_mark: nullable(integer),
  min_kpps: nullable(integer),
  max_kpps: nullable(integer),
  max_burst_kpps: nullable(integer),
});
