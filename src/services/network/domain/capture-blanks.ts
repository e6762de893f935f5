// What the attributes of captured resources are if a cloud does not show them.
import type {
  AddressGroup,
  AddressScope,
  Conntrack,
  DefaultRule,
  Flavor,
  Floatingip,
  MeteringLabel,
  MeteringLabelRule,
  Network,
  Port,
  PortForwarding,
  QosPolicy,
  RbacPolicy,
  Router,
  SecurityGroup,
  SecurityGroupRule,
  Segment,
  ServiceProfile,
  Standard,
  Subnet,
  Subnetpool,
  Traffic,
  Trunk,
} from '../model.ts';
import { everyone } from '../store/sharing.ts';

/** The attributes of a resource that a cloud may leave out or set to null. */
export type Blank<T extends Standard> = Omit<T, 'id' | 'created_at' | 'updated_at'>;

const standard = { project_id: '', description: '', revision_number: 0 };

export const blankNetwork: Blank<Network> = {
  ...standard,
  name: '',
  admin_state_up: true,
  status: 'ACTIVE',
  'router:external': false,
  is_default: false,
  mtu: 1500,
  port_security_enabled: true,
  'provider:network_type': null,
  'provider:physical_network': null,
  'provider:segmentation_id': null,
  availability_zone_hints: [],
  qos_policy_id: null,
};

export const blankSegment: Blank<Segment> = {
  ...standard,
  name: null,
  network_id: '',
  network_type: '',
  physical_network: null,
  segmentation_id: null,
  segment_index: 0,
};

export const blankSubnet: Blank<Subnet> = {
  ...standard,
  name: '',
  network_id: '',
  ip_version: 4,
  cidr: '',
  gateway_ip: null,
  enable_dhcp: true,
  ipv6_ra_mode: null,
  ipv6_address_mode: null,
  allocation_pools: [],
  dns_nameservers: [],
  host_routes: [],
  subnetpool_id: null,
  service_types: [],
  segment_id: null,
};

export const blankPort: Blank<Port> = {
  ...standard,
  name: '',
  network_id: '',
  mac_address: '',
  admin_state_up: true,
  status: 'DOWN',
  device_id: '',
  device_owner: '',
  port_security_enabled: true,
  propagate_uplink_status: true,
  hints: null,
  allowed_address_pairs: [],
  'binding:host_id': '',
  'binding:vnic_type': 'normal',
  'binding:profile': {},
  extra_dhcp_opts: [],
  qos_policy_id: null,
  ip_allocation: 'immediate',
};

export const blankRouter: Blank<Router> = {
  ...standard,
  name: '',
  admin_state_up: true,
  status: 'ACTIVE',
  gw_port_id: null,
  enable_snat: true,
  routes: [],
  availability_zone_hints: [],
  qos_policy_id: null,
};

export const blankFloatingip: Blank<Floatingip> = {
  ...standard,
  floating_network_id: '',
  floating_ip_address: '',
  floating_port_id: '',
  port_id: null,
  fixed_ip_address: null,
  router_id: null,
  status: 'DOWN',
  qos_policy_id: null,
};

export const blankForwarding: Blank<PortForwarding> = {
  ...standard,
  floatingip_id: '',
  protocol: '',
  internal_port_id: '',
  internal_ip_address: '',
  internal_port_start: 0,
  internal_port_end: 0,
  external_port_start: 0,
  external_port_end: 0,
};

export const blankConntrackHelper: Blank<Conntrack> = {
  ...standard,
  router_id: '',
  protocol: '',
  port: 0,
  helper: '',
};

export const blankScope: Blank<AddressScope> = { ...standard, name: '', ip_version: 4 };

export const blankPool: Blank<Subnetpool> = {
  ...standard,
  name: '',
  prefixes: [],
  ip_version: 4,
  min_prefixlen: 8,
  max_prefixlen: 32,
  default_prefixlen: 8,
  default_quota: null,
  is_default: false,
  address_scope_id: null,
};

export const blankQosPolicy: Blank<QosPolicy> = { ...standard, name: '', default_of: null };

export const blankAddressGroup: Blank<AddressGroup> = { ...standard, name: '', addresses: [] };

export const blankGroup: Blank<SecurityGroup> = { ...standard, name: '', stateful: true };

const blankTraffic: Traffic = {
  direction: 'ingress',
  ethertype: 'IPv4',
  protocol: null,
  port_range_min: null,
  port_range_max: null,
  remote_ip_prefix: null,
  remote_group_id: null,
  remote_address_group_id: null,
};

export const blankRule: Blank<SecurityGroupRule> = {
  ...standard,
  security_group_id: '',
  ...blankTraffic,
};

export const blankTrunk: Blank<Trunk> = {
  ...standard,
  name: '',
  admin_state_up: true,
  port_id: '',
  status: 'DOWN',
};

export const blankDefaultRule: Blank<DefaultRule> = {
  ...standard,
  ...blankTraffic,
  used_in_default_sg: false,
  used_in_non_default_sg: true,
};

export const blankPolicy: Blank<RbacPolicy> = {
  ...standard,
  object_type: 'network',
  object_id: '',
  action: 'access_as_shared',
  target_tenant: everyone,
};

export const blankFlavor: Blank<Flavor> = {
  ...standard,
  name: '',
  service_type: '',
  enabled: true,
};

export const blankServiceProfile: Blank<ServiceProfile> = {
  ...standard,
  driver: '',
  metainfo: '',
  enabled: true,
};

export const blankMeteringLabel: Blank<MeteringLabel> = { ...standard, name: '', shared: false };

export const blankMeteringRule: Blank<MeteringLabelRule> = {
  ...standard,
  metering_label_id: '',
  direction: 'ingress',
  excluded: false,
  remote_ip_prefix: null,
  source_ip_prefix: null,
  destination_ip_prefix: null,
};
