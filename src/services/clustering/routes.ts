// The table of Clustering's routes.
import * as actions from './handlers/actions.ts';
import * as clusters from './handlers/clusters.ts';
import * as events from './handlers/events.ts';
import * as nodes from './handlers/nodes.ts';
import * as policies from './handlers/policies.ts';
import * as profiles from './handlers/profiles.ts';
import * as receivers from './handlers/receivers.ts';
import * as services from './handlers/services.ts';
import * as types from './handlers/types.ts';
import * as versions from './handlers/versions.ts';
import type { ClusteringRoute } from './call.ts';

const profile = '/v1/profiles/:profile_id';
const policy = '/v1/policies/:policy_id';
const cluster = '/v1/clusters/:cluster_id';
const node = '/v1/nodes/:node_id';
const receiver = '/v1/receivers/:receiver_id';

export const clusteringRoutes: readonly ClusteringRoute[] = [
  { method: 'GET',    path: '/',                                                                                     handler: versions.choose, open: true, single: true, unversioned: true },
  { method: 'GET',    path: '/versions',                                                                             handler: versions.choose, open: true, single: true, unversioned: true },
  { method: 'GET',    path: '/v1',                                                                                   handler: versions.show, open: true, single: true },
  { method: 'GET',    path: '/v1/',                                                                                  handler: versions.show, single: true },
  { method: 'GET',    path: '/v1/build-info',                                    policy: 'build_info:build_info',    handler: versions.buildInfo, single: true },

  { method: 'GET',    path: '/v1/profile-types',                                 policy: 'profile_types:index',      handler: types.listProfileTypes, single: true },
  { method: 'GET',    path: '/v1/profile-types/:type',                           policy: 'profile_types:get',        handler: types.showProfileType, single: true },
  { method: 'GET',    path: '/v1/profile-types/:type/ops', span: ['1.4'],        policy: 'profile_types:ops',        handler: types.listOperations, single: true, statusOutsideSpan: 400 },
  { method: 'GET',    path: '/v1/policy-types',                                  policy: 'policy_types:index',       handler: types.listPolicyTypes, single: true },
  { method: 'GET',    path: '/v1/policy-types/:type',                            policy: 'policy_types:get',         handler: types.showPolicyType, single: true },

  { method: 'GET',    path: '/v1/profiles',                                      policy: 'profiles:index',           handler: profiles.list },
  { method: 'POST',   path: '/v1/profiles',                                      policy: 'profiles:create',          handler: profiles.create, needsBody: true, single: true },
  { method: 'POST',   path: '/v1/profiles/validate',      span: ['1.2'],         policy: 'profiles:validate',        handler: profiles.validate, needsBody: true, statusOutsideSpan: 400, single: true },
  { method: 'GET',    path: profile,                                             policy: 'profiles:get',             handler: profiles.show },
  { method: 'PATCH',  path: profile,                                             policy: 'profiles:update',          handler: profiles.update, needsBody: true },
  { method: 'DELETE', path: profile,                                             policy: 'profiles:delete',          handler: profiles.remove, unversioned: true },

  { method: 'GET',    path: '/v1/policies',                                      policy: 'policies:index',           handler: policies.list },
  { method: 'POST',   path: '/v1/policies',                                      policy: 'policies:create',          handler: policies.create, needsBody: true },
  { method: 'POST',   path: '/v1/policies/validate',      span: ['1.2'],         policy: 'policies:validate',        handler: policies.validate, needsBody: true, statusOutsideSpan: 400 },
  { method: 'GET',    path: policy,                                              policy: 'policies:get',             handler: policies.show },
  { method: 'PATCH',  path: policy,                                              policy: 'policies:update',          handler: policies.update, needsBody: true },
  { method: 'DELETE', path: policy,                                              policy: 'policies:delete',          handler: policies.remove, unversioned: true },

  { method: 'GET',    path: '/v1/clusters',                                      policy: 'clusters:index',           handler: clusters.list },
  { method: 'POST',   path: '/v1/clusters',                                      policy: 'clusters:create',          handler: clusters.create, needsBody: true },
  { method: 'GET',    path: cluster,                                             policy: 'clusters:get',             handler: clusters.show },
  { method: 'PATCH',  path: cluster,                                             policy: 'clusters:update',          handler: clusters.update, needsBody: true },
  { method: 'DELETE', path: cluster,                                             policy: 'clusters:delete',          handler: clusters.remove },
  { method: 'POST',   path: `${cluster}/actions`,                                policy: 'clusters:action',          handler: clusters.act },
  { method: 'POST',   path: `${cluster}/ops`,             span: ['1.4'],         policy: 'clusters:operation',       handler: clusters.operate, statusOutsideSpan: 400 },
  { method: 'GET',    path: `${cluster}/attrs/:path`,     span: ['1.2'],         policy: 'clusters:collect',         handler: clusters.collect, statusOutsideSpan: 400, single: true },
  { method: 'GET',    path: `${cluster}/policies`,                               policy: 'cluster_policies:index',   handler: clusters.listPolicies },
  { method: 'GET',    path: `${cluster}/policies/:policy_id`,                    policy: 'cluster_policies:get',     handler: clusters.showPolicy },

  { method: 'GET',    path: '/v1/nodes',                                         policy: 'nodes:index',              handler: nodes.list },
  { method: 'POST',   path: '/v1/nodes',                                         policy: 'nodes:create',             handler: nodes.create, needsBody: true },
  { method: 'POST',   path: '/v1/nodes/adopt',            span: ['1.7'],         policy: 'nodes:adopt',              handler: nodes.adopt, needsBody: true, statusOutsideSpan: 400 },
  { method: 'POST',   path: '/v1/nodes/adopt-preview',    span: ['1.7'],         policy: 'nodes:adopt_preview',      handler: nodes.preview, needsBody: true, statusOutsideSpan: 400 },
  { method: 'GET',    path: node,                                                policy: 'nodes:get',                handler: nodes.show, single: true },
  { method: 'PATCH',  path: node,                                                policy: 'nodes:update',             handler: nodes.update, needsBody: true },
  { method: 'DELETE', path: node,                                                policy: 'nodes:delete',             handler: nodes.remove },
  { method: 'POST',   path: `${node}/actions`,                                   policy: 'nodes:action',             handler: nodes.act },
  { method: 'POST',   path: `${node}/ops`,                span: ['1.4'],         policy: 'nodes:operation',          handler: nodes.operate, statusOutsideSpan: 400 },

  { method: 'GET',    path: '/v1/actions',                                       policy: 'actions:index',            handler: actions.list },
  { method: 'POST',   path: '/v1/actions',                                       policy: 'actions:create',           handler: actions.create },
  { method: 'GET',    path: '/v1/actions/:action_id',                            policy: 'actions:get',              handler: actions.show },
  { method: 'PATCH',  path: '/v1/actions/:action_id',     span: ['1.12'],        policy: 'actions:update',           handler: actions.update, needsBody: true, statusOutsideSpan: 400 },

  { method: 'GET',    path: '/v1/receivers',                                     policy: 'receivers:index',          handler: receivers.list },
  { method: 'POST',   path: '/v1/receivers',                                     policy: 'receivers:create',         handler: receivers.create, needsBody: true },
  { method: 'GET',    path: receiver,                                            policy: 'receivers:get',            handler: receivers.show },
  { method: 'PATCH',  path: receiver,                                            policy: 'receivers:update',         handler: receivers.update, needsBody: true },
  { method: 'DELETE', path: receiver,                                            policy: 'receivers:delete',         handler: receivers.remove, unversioned: true },
  { method: 'POST',   path: `${receiver}/notify`,                                policy: 'receivers:notify',         handler: receivers.notify, unversioned: true },
  { method: 'POST',   path: '/v1/webhooks/:receiver_id/trigger',                                                     handler: receivers.trigger, open: true },

  { method: 'GET',    path: '/v1/events',                                        policy: 'events:index',             handler: events.list },
  { method: 'GET',    path: '/v1/events/:event_id',                              policy: 'events:get',               handler: events.show },
  { method: 'GET',    path: '/v1/services',                                      policy: 'services:index',           handler: services.list, single: true },
];
