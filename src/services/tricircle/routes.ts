// The whole of Tricircle's admin API on one screen.
import * as tags from './handlers/affinity-tags.ts';
import * as bindings from './handlers/bindings.ts';
import * as jobs from './handlers/jobs.ts';
import * as pods from './handlers/pods.ts';
import * as routings from './handlers/routings.ts';
import * as usages from './handlers/usages.ts';
import * as versions from './handlers/versions.ts';
import type { TricircleRoute } from './call.ts';

const pod = '/v1.0/pods/:pod_id';
const binding = '/v1.0/bindings/:binding_id';
const routing = '/v1.0/routings/:routing_id';
const job = '/v1.0/jobs/:job_id';
const tag = '/v1.0/pod-affinity-tag/:tag_id';


export const tricircleRoutes: readonly TricircleRoute[] = [
  { method: 'GET',    path: '/',                        handler: versions.list, single: true },
  { method: 'GET',    path: '/v1.0',                    handler: versions.show, single: true },

  { method: 'GET',    path: '/v1.0/pods',               handler: pods.list,        policy: 'admin_api:pods:list',          denied: 'Unauthorized to list pods', single: true },
  { method: 'POST',   path: '/v1.0/pods',               handler: pods.create,      policy: 'admin_api:pods:create',        denied: 'Unauthorized to create pods' },
  { method: 'GET',    path: pod,                        handler: pods.show,        policy: 'admin_api:pods:show',          denied: 'Unauthorized to show pods', single: true },
  { method: 'PUT',    path: pod,                        handler: pods.update,      policy: 'admin_api:pods:update',        denied: 'Unauthorized to update pods' },
  { method: 'DELETE', path: pod,                        handler: pods.remove,      policy: 'admin_api:pods:delete',        denied: 'Unauthorized to delete pods' },

  { method: 'GET',    path: '/v1.0/bindings',           handler: bindings.list,    policy: 'admin_api:bindings:list',      denied: 'Unauthorized to list bindings' },
  { method: 'POST',   path: '/v1.0/bindings',           handler: bindings.create,  policy: 'admin_api:bindings:create',    denied: 'Unauthorized to create bindings' },
  { method: 'GET',    path: '/v1.0/bindings/history',   handler: bindings.history, policy: 'admin_api:bindings:list',      denied: 'Unauthorized to list bindings' },
  { method: 'GET',    path: binding,                    handler: bindings.show,    policy: 'admin_api:bindings:show',      denied: 'Unauthorized to show bindings', single: true },
  { method: 'DELETE', path: binding,                    handler: bindings.remove,  policy: 'admin_api:bindings:delete',    denied: 'Unauthorized to delete bindings' },

  { method: 'GET',    path: '/v1.0/routings',           handler: routings.list,    policy: 'admin_api:routings:list',      denied: 'Unauthorized to show all resource routings' },
  { method: 'POST',   path: '/v1.0/routings',           handler: routings.create,  policy: 'admin_api:routings:create',    denied: 'Unauthorized to create resource routing' },
  { method: 'GET',    path: routing,                    handler: routings.show,    policy: 'admin_api:routings:show',      denied: 'Unauthorized to show the resource routing', single: true },
  { method: 'PUT',    path: routing,                    handler: routings.update,  policy: 'admin_api:routings:put',       denied: 'Unauthorized to update resource routing' },
  { method: 'DELETE', path: routing,                    handler: routings.remove,  policy: 'admin_api:routings:delete',    denied: 'Unauthorized to delete the resource routing' },

  { method: 'GET',    path: '/v1.0/jobs',               handler: jobs.list,        policy: 'admin_api:jobs:list',          denied: 'Unauthorized to show all jobs' },
  { method: 'POST',   path: '/v1.0/jobs',               handler: jobs.create,      policy: 'admin_api:jobs:create',        denied: 'Unauthorized to create a job' },
  { method: 'GET',    path: '/v1.0/jobs/detail',        handler: jobs.detail,      policy: 'admin_api:jobs:schema_list',   denied: 'Unauthorized to show job information' },
  { method: 'GET',    path: '/v1.0/jobs/schemas',       handler: jobs.schemas,     policy: 'admin_api:jobs:schema_list',   denied: 'Unauthorized to show job information', single: true },
  { method: 'GET',    path: job,                        handler: jobs.show,        policy: 'admin_api:jobs:schema_list',   denied: 'Unauthorized to show job information' },
  { method: 'PUT',    path: job,                        handler: jobs.redo,        policy: 'admin_api:jobs:redo',          denied: 'Unauthorized to redo a job' },
  { method: 'DELETE', path: job,                        handler: jobs.remove,      policy: 'admin_api:jobs:delete',        denied: 'Unauthorized to delete a job' },

  { method: 'GET',    path: '/v1.0/usages',             handler: usages.list,      policy: 'admin_api:usages:list',        denied: 'Unauthorized to list usages' },
  { method: 'POST',   path: '/v1.0/usages',             handler: usages.collect,   policy: 'admin_api:usages:create',      denied: 'Unauthorized to collect usages', single: true },
  { method: 'GET',    path: '/v1.0/usages/:pod_id',     handler: usages.show,      policy: 'admin_api:usages:show',        denied: 'Unauthorized to show usages' },

  { method: 'GET',    path: '/v1.0/pod-affinity-tag',   handler: tags.list,        policy: 'admin_api:affinity_tag:list',   denied: 'Unauthorized to list pod affinity tag', single: true },
  { method: 'POST',   path: '/v1.0/pod-affinity-tag',   handler: tags.create,      policy: 'admin_api:affinity_tag:create', denied: 'Unauthorized to pod affinity tag' },
  { method: 'GET',    path: tag,                        handler: tags.show,        policy: 'admin_api:affinity_tag:show',   denied: 'Unauthorized to show pod affinity tag', single: true },
  { method: 'DELETE', path: tag,                        handler: tags.remove,      policy: 'admin_api:affinity_tag:delete', denied: 'Unauthorized to delete pod affinity tag' },
];
