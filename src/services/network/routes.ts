// The whole API. Handlers enforce the policy rules themselves, because most rules depend on the
// resource and its network.
import * as addressGroups from './handlers/address-groups.ts';
import * as addressScopes from './handlers/address-scopes.ts';
import * as agents from './handlers/agents.ts';
import * as autoTopologies from './handlers/auto-topologies.ts';
import * as availability from './handlers/availability.ts';
import * as conntrackHelpers from './handlers/routers/conntrack.ts';
import * as defaultRules from './handlers/security-groups/default-rules.ts';
import * as extensions from './handlers/extensions.ts';
import * as flavors from './handlers/flavors/flavors.ts';
import * as floatingips from './handlers/floatingips.ts';
import * as meteringLabels from './handlers/metering/labels.ts';
import * as meteringRules from './handlers/metering/rules.ts';
import * as networks from './handlers/networks.ts';
import * as portForwardings from './handlers/port-forwardings.ts';
import * as portBindings from './handlers/port-bindings.ts';
import * as ports from './handlers/ports.ts';
import * as qosPolicies from './handlers/qos/policies.ts';
import { aliasHandlers, ruleHandlers } from './handlers/qos/rules.ts';
import * as qosRuleTypes from './handlers/qos/rule-types.ts';
import * as quotas from './handlers/quotas.ts';
import * as rbacPolicies from './handlers/rbac-policies.ts';
import * as routers from './handlers/routers/routers.ts';
import * as serviceProfiles from './handlers/flavors/service-profiles.ts';
import * as rules from './handlers/security-groups/rules.ts';
import * as segments from './handlers/segments.ts';
import * as groups from './handlers/security-groups/groups.ts';
import * as subnetpools from './handlers/subnetpools.ts';
import * as subnets from './handlers/subnets.ts';
import type { TagOperations } from './handlers/tags.ts';
import * as trunks from './handlers/trunks.ts';
import type { NetworkVersion } from './versions.ts';
import type { QosRuleType } from './model.ts';
import type { PlainHandlers } from '../../kernel/http/plain-resource.ts';
import type { Call, Route } from '../../kernel/model.ts';

type NetworkRoute = Route<NetworkVersion>;

// `open`: needs no token. `single`: makes at most one query.

export const networkRoutes: readonly NetworkRoute[] = [
  { method: 'GET', path: '/', handler: extensions.listVersions, open: true, single: true },
  { method: 'GET', path: '/v2.0', handler: extensions.listResources, open: true, single: true },
  { method: 'GET', path: '/v2.0/extensions', handler: extensions.list, single: true },
  { method: 'GET', path: '/v2.0/extensions/:alias', handler: extensions.show, single: true },

  ...resourceRoutes('networks', networks),
  ...operationRoutes('/v2.0/segments', segments),
  ...resourceRoutes('subnets', subnets),
  ...resourceRoutes('subnetpools', subnetpools),
  { method: 'PUT', path: '/v2.0/subnetpools/:id/add_prefixes', handler: subnetpools.addPoolPrefixes },
  { method: 'PUT', path: '/v2.0/subnetpools/:id/remove_prefixes', handler: subnetpools.removePoolPrefixes },
  { method: 'PUT', path: '/v2.0/subnetpools/:id/onboard_network_subnets', handler: subnetpools.onboard },
  { method: 'GET', path: '/v2.0/address-scopes', handler: addressScopes.list },
  { method: 'POST', path: '/v2.0/address-scopes', handler: addressScopes.create },
  { method: 'GET', path: '/v2.0/address-scopes/:id', handler: addressScopes.show },
  { method: 'PUT', path: '/v2.0/address-scopes/:id', handler: addressScopes.update },
  { method: 'DELETE', path: '/v2.0/address-scopes/:id', handler: addressScopes.remove },
  { method: 'GET', path: '/v2.0/address-groups', handler: addressGroups.list },
  { method: 'POST', path: '/v2.0/address-groups', handler: addressGroups.create },
  { method: 'GET', path: '/v2.0/address-groups/:id', handler: addressGroups.show },
  { method: 'PUT', path: '/v2.0/address-groups/:id', handler: addressGroups.update },
  { method: 'DELETE', path: '/v2.0/address-groups/:id', handler: addressGroups.remove },
  { method: 'PUT', path: '/v2.0/address-groups/:id/add_addresses', handler: addressGroups.addGroupAddresses },
  { method: 'PUT', path: '/v2.0/address-groups/:id/remove_addresses', handler: addressGroups.removeGroupAddresses },
  { method: 'GET', path: '/v2.0/rbac-policies', handler: rbacPolicies.list },
  { method: 'POST', path: '/v2.0/rbac-policies', handler: rbacPolicies.create },
  { method: 'GET', path: '/v2.0/rbac-policies/:id', handler: rbacPolicies.show },
  { method: 'PUT', path: '/v2.0/rbac-policies/:id', handler: rbacPolicies.update },
  { method: 'DELETE', path: '/v2.0/rbac-policies/:id', handler: rbacPolicies.remove },
  ...resourceRoutes('ports', ports),
  { method: 'GET', path: '/v2.0/ports/:id/bindings', handler: portBindings.list },
  { method: 'POST', path: '/v2.0/ports/:id/bindings', handler: portBindings.create },
  { method: 'GET', path: '/v2.0/ports/:id/bindings/:host', handler: portBindings.show },
  { method: 'PUT', path: '/v2.0/ports/:id/bindings/:host', handler: portBindings.update },
  { method: 'DELETE', path: '/v2.0/ports/:id/bindings/:host', handler: portBindings.remove },
  { method: 'PUT', path: '/v2.0/ports/:id/bindings/:host/activate', handler: portBindings.activate },
  ...resourceRoutes('trunks', trunks),
  { method: 'PUT', path: '/v2.0/trunks/:id/add_subports', handler: trunks.addTrunkSubPorts },
  { method: 'PUT', path: '/v2.0/trunks/:id/remove_subports', handler: trunks.removeTrunkSubPorts },
  { method: 'GET', path: '/v2.0/trunks/:id/get_subports', handler: trunks.getSubPorts },
  ...resourceRoutes('routers', routers),
  { method: 'PUT', path: '/v2.0/routers/:id/add_router_interface', handler: routers.addRouterInterface },
  { method: 'PUT', path: '/v2.0/routers/:id/remove_router_interface', handler: routers.removeRouterInterface },
  { method: 'PUT', path: '/v2.0/routers/:id/add_extraroutes', handler: routers.addExtraRoutes },
  { method: 'PUT', path: '/v2.0/routers/:id/remove_extraroutes', handler: routers.removeExtraRoutes },
  { method: 'GET', path: '/v2.0/routers/:router_id/conntrack_helpers', handler: conntrackHelpers.list },
  { method: 'POST', path: '/v2.0/routers/:router_id/conntrack_helpers', handler: conntrackHelpers.create },
  { method: 'GET', path: '/v2.0/routers/:router_id/conntrack_helpers/:id', handler: conntrackHelpers.show },
  { method: 'PUT', path: '/v2.0/routers/:router_id/conntrack_helpers/:id', handler: conntrackHelpers.update },
  { method: 'DELETE', path: '/v2.0/routers/:router_id/conntrack_helpers/:id', handler: conntrackHelpers.remove },
  ...resourceRoutes('floatingips', floatingips),
  { method: 'GET', path: '/v2.0/floatingip_pools', handler: floatingips.listPools },
  { method: 'GET', path: '/v2.0/floatingips/:id/port_forwardings', handler: portForwardings.list },
  { method: 'POST', path: '/v2.0/floatingips/:id/port_forwardings', handler: portForwardings.create },
  { method: 'GET', path: '/v2.0/floatingips/:id/port_forwardings/:port_forwarding_id', handler: portForwardings.show },
  { method: 'PUT', path: '/v2.0/floatingips/:id/port_forwardings/:port_forwarding_id', handler: portForwardings.update },
  { method: 'DELETE', path: '/v2.0/floatingips/:id/port_forwardings/:port_forwarding_id', handler: portForwardings.remove },
  ...resourceRoutes('security-groups', groups),
  { method: 'GET', path: '/v2.0/security-group-rules', handler: rules.list },
  { method: 'POST', path: '/v2.0/security-group-rules', handler: rules.create },
  { method: 'GET', path: '/v2.0/security-group-rules/:id', handler: rules.show },
  { method: 'DELETE', path: '/v2.0/security-group-rules/:id', handler: rules.remove },
  { method: 'GET', path: '/v2.0/default-security-group-rules', handler: defaultRules.list },
  { method: 'POST', path: '/v2.0/default-security-group-rules', handler: defaultRules.create },
  { method: 'GET', path: '/v2.0/default-security-group-rules/:id', handler: defaultRules.show },
  { method: 'DELETE', path: '/v2.0/default-security-group-rules/:id', handler: defaultRules.remove },

  ...resourceRoutes('qos/policies', qosPolicies),
  ...tagRoutes('policies', qosPolicies.tags),
  ...qosRuleRoutes('bandwidth_limit'),
  ...qosRuleRoutes('dscp_marking'),
  ...qosRuleRoutes('minimum_bandwidth'),
  ...qosRuleRoutes('minimum_packet_rate'),
  ...qosRuleRoutes('packet_rate_limit'),
  ...qosAliasRoutes('bandwidth_limit'),
  ...qosAliasRoutes('dscp_marking'),
  ...qosAliasRoutes('minimum_bandwidth'),
  ...qosAliasRoutes('minimum_packet_rate'),
  { method: 'GET', path: '/v2.0/qos/rule-types', handler: qosRuleTypes.list, single: true },
  { method: 'GET', path: '/v2.0/qos/rule-types/:rule_type', handler: qosRuleTypes.show, single: true },

  { method: 'GET', path: '/v2.0/metering/metering-labels', handler: meteringLabels.list },
  { method: 'POST', path: '/v2.0/metering/metering-labels', handler: meteringLabels.create },
  { method: 'GET', path: '/v2.0/metering/metering-labels/:id', handler: meteringLabels.show },
  { method: 'DELETE', path: '/v2.0/metering/metering-labels/:id', handler: meteringLabels.remove },
  { method: 'GET', path: '/v2.0/metering/metering-label-rules', handler: meteringRules.list },
  { method: 'POST', path: '/v2.0/metering/metering-label-rules', handler: meteringRules.create },
  { method: 'GET', path: '/v2.0/metering/metering-label-rules/:id', handler: meteringRules.show },
  { method: 'DELETE', path: '/v2.0/metering/metering-label-rules/:id', handler: meteringRules.remove },

  ...operationRoutes('/v2.0/flavors', flavors),
  ...operationRoutes('/v2.0/service_profiles', serviceProfiles),
  { method: 'POST', path: '/v2.0/flavors/:flavor_id/service_profiles', handler: flavors.addProfile },
  { method: 'DELETE', path: '/v2.0/flavors/:flavor_id/service_profiles/:service_profile_id', handler: flavors.removeProfile },

  { method: 'GET', path: '/v2.0/agents', handler: agents.list },
  { method: 'GET', path: '/v2.0/agents/:id', handler: agents.show },
  { method: 'PUT', path: '/v2.0/agents/:id', handler: agents.update },
  { method: 'DELETE', path: '/v2.0/agents/:id', handler: agents.remove },
  { method: 'GET', path: '/v2.0/agents/:id/dhcp-networks', handler: agents.listNetworks },
  { method: 'POST', path: '/v2.0/agents/:id/dhcp-networks', handler: agents.createNetwork },
  { method: 'DELETE', path: '/v2.0/agents/:id/dhcp-networks/:network_id', handler: agents.deleteNetwork },
  { method: 'GET', path: '/v2.0/agents/:id/l3-routers', handler: agents.listRouters },
  { method: 'POST', path: '/v2.0/agents/:id/l3-routers', handler: agents.createRouter },
  { method: 'DELETE', path: '/v2.0/agents/:id/l3-routers/:router_id', handler: agents.deleteRouter },
  { method: 'GET', path: '/v2.0/networks/:id/dhcp-agents', handler: agents.listOfNetwork },
  { method: 'GET', path: '/v2.0/routers/:id/l3-agents', handler: agents.listOfRouter },

  { method: 'GET', path: '/v2.0/quotas', handler: quotas.list },
  { method: 'GET', path: '/v2.0/quotas/tenant', handler: quotas.showTenant, single: true },
  { method: 'GET', path: '/v2.0/quotas/project', handler: quotas.showProject, single: true },
  { method: 'GET', path: '/v2.0/quotas/:project_id', handler: quotas.show },
  { method: 'GET', path: '/v2.0/quotas/:project_id/default', handler: quotas.showDefault, single: true },
  { method: 'GET', path: '/v2.0/quotas/:project_id/details', handler: quotas.showDetails },
  { method: 'PUT', path: '/v2.0/quotas/:project_id', handler: quotas.update },
  { method: 'DELETE', path: '/v2.0/quotas/:project_id', handler: quotas.remove },

  { method: 'GET', path: '/v2.0/auto-allocated-topology/:project_id', handler: autoTopologies.show },
  { method: 'DELETE', path: '/v2.0/auto-allocated-topology/:project_id', handler: autoTopologies.remove },

  { method: 'GET', path: '/v2.0/availability_zones', handler: availability.listZones, single: true },
  { method: 'GET', path: '/v2.0/service-providers', handler: availability.listProviders, single: true },
  { method: 'GET', path: '/v2.0/network-ip-availabilities', handler: availability.listAddresses },
  { method: 'GET', path: '/v2.0/network-ip-availabilities/:network_id', handler: availability.showAddresses },
];

/** The routes of a resource's five operations, and those of its tags. */
function resourceRoutes(
  collection: string,
  { tags, ...handlers }: PlainHandlers<Call> & { readonly tags: TagOperations },
): NetworkRoute[] {
  return [...operationRoutes(`/v2.0/${collection}`, handlers), ...tagRoutes(collection, tags)];
}

/** The routes of a resource's five operations. */
function operationRoutes(
  path: string,
  { list, create, show, update, remove }: PlainHandlers<Call>,
): NetworkRoute[] {
  return [
    { method: 'GET', path, handler: list },
    { method: 'POST', path, handler: create },
    { method: 'GET', path: `${path}/:id`, handler: show },
    { method: 'PUT', path: `${path}/:id`, handler: update },
    { method: 'DELETE', path: `${path}/:id`, handler: remove },
  ];
}

function tagRoutes(collection: string, tags: TagOperations): NetworkRoute[] {
  const path = `/v2.0/${collection}`;
  return [
    { method: 'GET', path: `${path}/:id/tags`, handler: tags.list },
    { method: 'POST', path: `${path}/:id/tags`, handler: tags.create },
    { method: 'PUT', path: `${path}/:id/tags`, handler: tags.replace },
    { method: 'DELETE', path: `${path}/:id/tags`, handler: tags.clear },
    { method: 'GET', path: `${path}/:id/tags/:tag`, handler: tags.check },
    { method: 'PUT', path: `${path}/:id/tags/:tag`, handler: tags.add },
    { method: 'DELETE', path: `${path}/:id/tags/:tag`, handler: tags.remove },
  ];
}

/** The routes of a type of rules below QoS policies. */
function qosRuleRoutes(type: QosRuleType): NetworkRoute[] {
  return operationRoutes(`/v2.0/qos/policies/:policy_id/${type}_rules`, ruleHandlers(type));
}

/** The routes of a type of QoS rules without their policy. */
function qosAliasRoutes(type: QosRuleType): NetworkRoute[] {
  const path = `/v2.0/qos/alias-${type.replaceAll('_', '-')}-rules/:id`;
  const { show, update, remove } = aliasHandlers(type);
  return [
    { method: 'GET', path, handler: show },
    { method: 'PUT', path, handler: update },
    { method: 'DELETE', path, handler: remove },
  ];
}
