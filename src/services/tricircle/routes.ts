// The routes of Tricircle's admin API.
import * as tags from './handlers/affinity-tags.ts';
import * as bindings from './handlers/bindings.ts';
import * as jobs from './handlers/jobs.ts';
import * as migrations from './handlers/migrations.ts';
import * as pods from './handlers/pods.ts';
import * as routings from './handlers/routings.ts';
import * as usages from './handlers/usages.ts';
import * as versions from './handlers/versions.ts';
import * as volumePlacement from './handlers/volume-placement.ts';
import type { TricircleRoute } from './call.ts';

const pod = '/v1.0/pods/:pod_id';
const binding = '/v1.0/bindings/:binding_id';
const routing = '/v1.0/routings/:routing_id';
const job = '/v1.0/jobs/:job_id';
const migration = '/v1.0/migrations/:migration_id';
const tag = '/v1.0/pod-affinity-tag/:tag_id';

export const tricircleRoutes: readonly TricircleRoute[] = [
  { method: 'GET',    path: '/',                        handler: versions.list, single: true },
  { method: 'GET',    path: '/v1.0',                    handler: versions.show, single: true },

  { method: 'GET',    path: '/v1.0/pods',               handler: pods.list,        policy: 'admin_api:pods:list', single: true },
  { method: 'POST',   path: '/v1.0/pods',               handler: pods.create,      policy: 'admin_api:pods:create' },
  { method: 'GET',    path: pod,                        handler: pods.show,        policy: 'admin_api:pods:show', single: true },
  { method: 'PUT',    path: pod,                        handler: pods.update,      policy: 'admin_api:pods:update' },
  { method: 'DELETE', path: pod,                        handler: pods.remove,      policy: 'admin_api:pods:delete' },

  { method: 'GET',    path: '/v1.0/bindings',           handler: bindings.list,    policy: 'admin_api:bindings:list' },
  { method: 'POST',   path: '/v1.0/bindings',           handler: bindings.create,  policy: 'admin_api:bindings:create' },
  { method: 'GET',    path: '/v1.0/bindings/history',   handler: bindings.history, policy: 'admin_api:bindings:list' },
  { method: 'GET',    path: binding,                    handler: bindings.show,    policy: 'admin_api:bindings:show', single: true },
  { method: 'DELETE', path: binding,                    handler: bindings.remove,  policy: 'admin_api:bindings:delete' },

  { method: 'GET',    path: '/v1.0/routings',           handler: routings.list,    policy: 'admin_api:routings:list' },
  { method: 'POST',   path: '/v1.0/routings',           handler: routings.create,  policy: 'admin_api:routings:create' },
  { method: 'GET',    path: routing,                    handler: routings.show,    policy: 'admin_api:routings:show', single: true },
  { method: 'PUT',    path: routing,                    handler: routings.update,  policy: 'admin_api:routings:put' },
  { method: 'DELETE', path: routing,                    handler: routings.remove,  policy: 'admin_api:routings:delete' },

  { method: 'GET',    path: '/v1.0/jobs',               handler: jobs.list,        policy: 'admin_api:jobs:list' },
  { method: 'POST',   path: '/v1.0/jobs',               handler: jobs.create,      policy: 'admin_api:jobs:create' },
  { method: 'GET',    path: '/v1.0/jobs/detail',        handler: jobs.detail,      policy: 'admin_api:jobs:schema_list' },
  { method: 'GET',    path: '/v1.0/jobs/schemas',       handler: jobs.schemas,     policy: 'admin_api:jobs:schema_list', single: true },
  { method: 'GET',    path: job,                        handler: jobs.show,        policy: 'admin_api:jobs:schema_list' },
  { method: 'PUT',    path: job,                        handler: jobs.redo,        policy: 'admin_api:jobs:redo' },
  { method: 'DELETE', path: job,                        handler: jobs.remove,      policy: 'admin_api:jobs:delete' },

  { method: 'GET',    path: '/v1.0/usages',             handler: usages.list,      policy: 'admin_api:usages:list' },
  { method: 'POST',   path: '/v1.0/usages',             handler: usages.collect,   policy: 'admin_api:usages:create', single: true },
  { method: 'GET',    path: '/v1.0/usages/:pod_id',     handler: usages.show,      policy: 'admin_api:usages:show' },

  { method: 'GET',    path: '/v1.0/pod-affinity-tag',   handler: tags.list,        policy: 'admin_api:affinity_tag:list', single: true },
  { method: 'POST',   path: '/v1.0/pod-affinity-tag',   handler: tags.create,      policy: 'admin_api:affinity_tag:create' },
  { method: 'GET',    path: tag,                        handler: tags.show,        policy: 'admin_api:affinity_tag:show', single: true },
  { method: 'DELETE', path: tag,                        handler: tags.remove,      policy: 'admin_api:affinity_tag:delete' },

  { method: 'GET',    path: '/v1.0/migrations',         handler: migrations.list,    policy: 'admin_api:migrations:list', single: true },
  { method: 'POST',   path: '/v1.0/migrations',         handler: migrations.create,  policy: 'admin_api:migrations:create', single: true },
  { method: 'GET',    path: migration,                  handler: migrations.show,    policy: 'admin_api:migrations:show', single: true },
  { method: 'DELETE', path: migration,                  handler: migrations.cancel,  policy: 'admin_api:migrations:cancel', single: true },

  { method: 'GET',    path: '/v1.0/volume-placement',   handler: volumePlacement.show,   policy: 'volume_placement:show', single: true },
  { method: 'PUT',    path: '/v1.0/volume-placement',   handler: volumePlacement.update, policy: 'volume_placement:update', single: true },
];
