// The default policy rules of Network. Upstream: neutron/conf/policies, as of 2025.
import type { RuleDefault, RuleDefaults } from '../../kernel/oslo/policy.ts';

const admin = 'rule:admin_only';
const service = 'rule:service_api';
const advsvc = 'rule:context_is_advsvc';
const adminOrService = `${admin} or ${service}`;
const reader = '(role:reader and project_id:%(project_id)s)';
const member = '(role:member and project_id:%(project_id)s)';
const manager = '(role:manager and project_id:%(project_id)s)';
const parentReader = '(role:reader and rule:ext_parent_owner)';
const parentMember = '(role:member and rule:ext_parent_owner)';
const parentManager = '(role:manager and rule:ext_parent_owner)';
const netReader = '(role:reader and rule:network_owner)';
const netMember = '(role:member and rule:network_owner)';
const netManager = '(role:manager and rule:network_owner)';
const sgReader = '(role:reader and rule:sg_owner)';
const sgMember = '(role:member and rule:sg_owner)';
const adminOrReader = `${admin} or ${reader}`;
const adminOrMember = `${admin} or ${member}`;
const adminOrManager = `${admin} or ${manager}`;

/** Sets one default for several rules, all of them for project-scoped tokens. */
const each = (rule: string, ...names: string[]): Record<string, RuleDefault> =>
  Object.fromEntries(names.map((name) => [name, { rule, scopes: ['project'] }]));

const shared: RuleDefaults = {
  context_is_admin: 'role:admin',
  admin_only: 'rule:context_is_admin',
  context_is_advsvc: 'role:advsvc',
  service_api: 'role:service',
  owner: 'project_id:%(project_id)s',
  ext_parent_owner: 'project_id:%(ext_parent:project_id)s',
  network_owner: 'project_id:%(network:project_id)s',
  sg_owner: 'project_id:%(security_group:project_id)s',
  shared: 'field:networks:shared=True',
  external: 'field:networks:router:external=True',
  external_network: 'field:subnets:router:external=True',
  network_device: 'field:port:device_owner=~^network:',
};

/** The rules for sending attributes in a POST and in a PUT. */
const both = (noun: string, ...names: string[]): string[] =>
  names.flatMap((name) => [`create_${noun}:${name}`, `update_${noun}:${name}`]);

const provider = ['provider:network_type', 'provider:physical_network', 'provider:segmentation_id'];

const networks: RuleDefaults = {
  ...each(adminOrMember, 'create_network', 'update_network', 'delete_network'),
  ...each(
    adminOrMember,
    ...both('network', 'port_security_enabled', 'tags'),
    'delete_network:tags',
  ),
  ...each(
    admin,
    ...both('network', 'shared', 'router:external', 'is_default', 'segments', ...provider),
  ),
  ...each(admin, ...['segments', ...provider].map((name) => `get_network:${name}`)),
  ...each(admin, 'create_segment', 'get_segment', 'update_segment', 'delete_segment'),
  ...each(
    `${adminOrReader} or ${service} or rule:shared or rule:external or ${advsvc}`,
    'get_network',
  ),
  ...each(`${adminOrReader} or rule:shared or rule:external or ${advsvc}`, 'get_network:tags'),
};

const sharedOrExternal = 'rule:shared or rule:external_network';
const subnetReader = `${admin} or ${reader} or ${netReader} or ${sharedOrExternal}`;
const subnetMember = `${admin} or ${member} or ${netMember}`;

const subnets: RuleDefaults = {
  ...each(`${admin} or ${netMember}`, 'create_subnet'),
  ...each(`${subnetReader} or ${service}`, 'get_subnet'),
  ...each(subnetReader, 'get_subnet:tags'),
  ...each(admin, ...both('subnet', 'segment_id'), 'get_subnet:segment_id'),
  ...each(
    subnetMember,
    'update_subnet',
    'delete_subnet',
    ...both('subnet', 'tags'),
    'delete_subnet:tags',
  ),
};

const subnetpools: RuleDefaults = {
  shared_subnetpools: 'field:subnetpools:shared=True',
  ...each(
    adminOrMember,
    'create_subnetpool',
    'update_subnetpool',
    'delete_subnetpool',
    'add_prefixes',
    'remove_prefixes',
    'onboard_network_subnets',
  ),
  ...each(adminOrMember, ...both('subnetpool', 'tags'), 'delete_subnetpool:tags'),
  ...each(admin, 'create_subnetpool:shared', ...both('subnetpool', 'is_default')),
  ...each(`${adminOrReader} or rule:shared_subnetpools`, 'get_subnetpool', 'get_subnetpool:tags'),
  shared_address_scopes: 'field:address_scopes:shared=True',
  ...each(adminOrMember, 'create_address_scope', 'update_address_scope', 'delete_address_scope'),
  ...each(admin, ...both('address_scope', 'shared')),
  ...each(`${adminOrReader} or rule:shared_address_scopes`, 'get_address_scope'),
};

const netOwner = `${adminOrService} or ${netMember}`;

const ports: RuleDefaults = {
  ...each(
    `${netOwner} or rule:shared`,
    'create_port',
    'create_port:fixed_ips',
    'create_port:fixed_ips:subnet_id',
  ),
  ...each(`${adminOrMember} or ${service}`, ...both('port', 'device_id', 'binding:vnic_type')),
  ...each(`not rule:network_device or ${netOwner}`, ...both('port', 'device_owner')),
  ...each(
    netOwner,
    'create_port:mac_address',
    'create_port:fixed_ips:ip_address',
    ...both('port', 'port_security_enabled'),
  ),
  ...each(netOwner, 'update_port:fixed_ips', 'update_port:fixed_ips:ip_address'),
  ...each(`${adminOrService} or ${netManager}`, 'update_port:mac_address'),
  ...each(`${netOwner} or rule:shared`, 'update_port:fixed_ips:subnet_id'),
  ...each(
    netOwner,
    ...both(
      'port',
      'allowed_address_pairs',
      'allowed_address_pairs:mac_address',
      'allowed_address_pairs:ip_address',
    ),
  ),
  ...each(adminOrService, ...both('port', 'binding:host_id')),
  ...each(service, ...both('port', 'binding:profile')),
  ...each(
    adminOrService,
    'get_port:binding:vif_type',
    'get_port:binding:vif_details',
    'get_port:binding:host_id',
    'get_port:binding:profile',
  ),
  ...each(admin, 'get_port:resource_request', 'get_port:hints', ...both('port', 'hints')),
  ...each(`${adminOrService} or ${netReader} or ${reader}`, 'get_port'),
  ...each(`${admin} or ${netReader} or ${reader} or ${advsvc}`, 'get_port:tags'),
  ...each(`${adminOrService} or ${member}`, 'update_port'),
  ...each(`${adminOrService} or ${netMember} or ${member}`, 'delete_port'),
  ...each(`${adminOrMember} or ${advsvc}`, 'create_port:tags', 'update_port:tags'),
  ...each(`${admin} or ${netMember} or ${member} or ${advsvc}`, 'delete_port:tags'),
};

/** Upstream has no rule for updates of bindings: its default rule allows them to administrators. */
const bindings: RuleDefaults = {
  ...each(adminOrService, 'get_port_binding'),
  ...each(service, 'create_port_binding', 'delete_port_binding', 'activate'),
  ...each(admin, 'update_port_binding'),
};

const routers: RuleDefaults = {
  ...each(
    adminOrMember,
    'create_router',
    'update_router',
    'delete_router',
    'add_router_interface',
    'remove_router_interface',
    'add_extraroutes',
    'remove_extraroutes',
  ),
  ...each(
    adminOrMember,
    ...both('router', 'external_gateway_info', 'external_gateway_info:network_id', 'tags'),
    'delete_router:tags',
  ),
  ...each(
    admin,
    ...both(
      'router',
      'external_gateway_info:enable_snat',
      'external_gateway_info:external_fixed_ips',
    ),
  ),
  ...each(adminOrReader, 'get_router', 'get_router:tags'),
  ...each(adminOrMember, 'create_floatingip', 'update_floatingip', 'delete_floatingip'),
  ...each(adminOrMember, ...both('floatingip', 'tags'), 'delete_floatingip:tags'),
  ...each(adminOrManager, 'create_floatingip:floating_ip_address'),
  ...each(adminOrReader, 'get_floatingip', 'get_floatingip:tags', 'get_floatingip_pool'),
  ...each(
    `${admin} or ${parentMember}`,
    'create_router_conntrack_helper',
    'update_router_conntrack_helper',
    'delete_router_conntrack_helper',
    'create_floatingip_port_forwarding',
    'update_floatingip_port_forwarding',
    'delete_floatingip_port_forwarding',
  ),
  ...each(
    `${admin} or ${parentReader}`,
    'get_floatingip_port_forwarding',
    'get_router_conntrack_helper',
  ),
};

const groups: RuleDefaults = {
  shared_security_group: 'field:security_groups:shared=True',
  ...each(adminOrMember, 'create_security_group', 'update_security_group', 'delete_security_group'),
  ...each(adminOrMember, ...both('security_group', 'tags'), 'delete_security_group:tags'),
  ...each(
    `${adminOrReader} or rule:shared_security_group`,
    'get_security_group',
    'get_security_group:tags',
  ),
  ...each(`${admin} or ${sgMember}`, 'create_security_group_rule', 'delete_security_group_rule'),
  ...each(`${admin} or ${sgReader}`, 'get_security_group_rule'),
  ...each(admin, 'create_default_security_group_rule', 'delete_default_security_group_rule'),
  ...each('role:reader', 'get_default_security_group_rule'),
};

const addressGroups: RuleDefaults = {
  shared_address_groups: 'field:address_groups:shared=True',
  ...each(
    adminOrMember,
    'create_address_group',
    'update_address_group',
    'delete_address_group',
    'add_addresses',
    'remove_addresses',
  ),
  ...each(`${adminOrReader} or rule:shared_address_groups`, 'get_address_group'),
};

const trunks: RuleDefaults = {
  ...each(
    adminOrMember,
    'create_trunk',
    'update_trunk',
    'delete_trunk',
    'add_subports',
    'remove_subports',
    ...both('trunk', 'tags'),
    'delete_trunk:tags',
  ),
  ...each(adminOrReader, 'get_trunk', 'get_trunk:tags', 'get_subports'),
};

/** The rules of QoS policies that also have a path of their own. */
const aliases = ['bandwidth_limit', 'dscp_marking', 'minimum_bandwidth', 'minimum_packet_rate'];
const qosRules = [
  ...[...aliases, 'packet_rate_limit'].map((type) => `policy_${type}_rule`),
  ...aliases.map((type) => `alias_${type}_rule`),
];

const qos: RuleDefaults = {
  shared_qos_policy: 'field:policies:shared=True',
  ...each(`${adminOrReader} or rule:shared_qos_policy`, 'get_policy', 'get_policy:tags'),
  ...each(adminOrManager, 'create_policy', 'update_policy', 'delete_policy'),
  ...each(adminOrManager, ...both('policy', 'tags'), 'delete_policy:tags'),
  ...each('role:reader', 'get_rule_type'),
  ...each(`${admin} or ${parentReader}`, ...qosRules.map((noun) => `get_${noun}`)),
  ...each(
    `${admin} or ${parentManager}`,
    ...qosRules.flatMap((noun) => [`create_${noun}`, `update_${noun}`, `delete_${noun}`]),
  ),
};

const toOneProject =
  '(not field:rbac_policy:target_tenant=* and not field:rbac_policy:target_project=*)';

const rbac: RuleDefaults = {
  restrict_wildcard: `${toOneProject} or ${admin}`,
  ...each(adminOrMember, 'create_rbac_policy', 'update_rbac_policy', 'delete_rbac_policy'),
  ...each(`${admin} or ${toOneProject}`, ...both('rbac_policy', 'target_tenant')),
  ...each(
    `${admin} or not field:rbac_policy:target_project=*`,
    ...both('rbac_policy', 'target_project'),
  ),
  ...each(adminOrReader, 'get_rbac_policy'),
};

const metering: RuleDefaults = {
  ...each(
    adminOrManager,
    'create_metering_label',
    'delete_metering_label',
    'create_metering_label_rule',
    'delete_metering_label_rule',
  ),
  ...each(adminOrReader, 'get_metering_label', 'get_metering_label_rule'),
};

const flavors: RuleDefaults = {
  ...each(admin, 'create_flavor', 'update_flavor', 'delete_flavor'),
  ...each('role:reader', 'get_flavor'),
  ...each(
    admin,
    'create_service_profile',
    'get_service_profile',
    'update_service_profile',
    'delete_service_profile',
    'create_flavor_service_profile',
    'delete_flavor_service_profile',
  ),
  ...each(adminOrReader, 'get_flavor_service_profile'),
};

const others: RuleDefaults = {
  ...each(adminOrReader, 'get_auto_allocated_topology'),
  ...each(adminOrMember, 'delete_auto_allocated_topology'),
  ...each(adminOrManager, 'get_quota'),
  ...each(
    admin,
    'update_quota',
    'delete_quota',
    'get_agent',
    'update_agent',
    'delete_agent',
    'get_dhcp-agents',
    'get_l3-agents',
  ),
  ...each(admin, 'get_dhcp-networks', 'create_dhcp-network', 'delete_dhcp-network'),
  ...each(admin, 'get_l3-routers', 'create_l3-router', 'delete_l3-router'),
  ...each('role:reader', 'get_availability_zone', 'get_service_provider'),
  ...each(adminOrService, 'get_network_ip_availability'),
};

export const networkPolicy: RuleDefaults = {
  ...shared,
  ...networks,
  ...subnets,
  ...subnetpools,
  ...ports,
  ...bindings,
  ...routers,
  ...groups,
  ...addressGroups,
  ...trunks,
  ...qos,
  ...rbac,
  ...metering,
  ...flavors,
  ...others,
};
