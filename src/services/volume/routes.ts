// The whole Volume API on one screen. Policy looks at what belongs to whom, so the handlers ask it themselves, as upstream's do.
import type { Route } from '../../kernel/http/service.ts';
import * as attachments from './handlers/attachments.ts';
import * as metadata from './handlers/metadata.ts';
import * as quotas from './handlers/quota-sets.ts';
import * as snapshots from './handlers/snapshots.ts';
import * as specs from './handlers/type-extra-specs.ts';
import * as types from './handlers/types.ts';
import * as versions from './handlers/versions.ts';
import * as actions from './handlers/volume-actions.ts';
import * as volumes from './handlers/volumes.ts';
import type { VolumeVersion } from './versions.ts';

const volume = '/v3/volumes/:volume_id';
const snapshot = '/v3/snapshots/:snapshot_id';
const type = '/v3/types/:type_id';
const attachment = '/v3/attachments/:attachment_id';
const quota = '/v3/os-quota-sets/:target_project_id';

// Paths may have a project after /v3. `actions`: the names that the body of an action may have.
// prettier-ignore
export const volumeRoutes: readonly Route<VolumeVersion>[] = [
  { method: 'GET',    path: '/',                                                  handler: versions.choose, open: true, single: true },
  { method: 'GET',    path: '/v3',                                                handler: versions.list, single: true },

  { method: 'GET',    path: '/v3/volumes',                                        handler: volumes.list },
  { method: 'POST',   path: '/v3/volumes',                                        handler: volumes.create },
  { method: 'GET',    path: '/v3/volumes/detail',                                 handler: volumes.listDetail },
  { method: 'GET',    path: '/v3/volumes/summary',            span: ['3.12'],     handler: volumes.summarize },
  { method: 'GET',    path: volume,                                               handler: volumes.show },
  { method: 'PUT',    path: volume,                                               handler: volumes.update },
  { method: 'DELETE', path: volume,                                               handler: volumes.remove },
  { method: 'POST',   path: `${volume}/action`,                                   handler: actions.act, actions: actions.actionNames },
  { method: 'GET',    path: `${volume}/metadata`,                                 handler: metadata.volumes.list },
  { method: 'POST',   path: `${volume}/metadata`,                                 handler: metadata.volumes.create },
  { method: 'PUT',    path: `${volume}/metadata`,                                 handler: metadata.volumes.replace },
  { method: 'GET',    path: `${volume}/metadata/:key`,                            handler: metadata.volumes.show },
  { method: 'PUT',    path: `${volume}/metadata/:key`,                            handler: metadata.volumes.update },
  { method: 'DELETE', path: `${volume}/metadata/:key`,                            handler: metadata.volumes.remove },

  { method: 'GET',    path: '/v3/snapshots',                                      handler: snapshots.list },
  { method: 'POST',   path: '/v3/snapshots',                                      handler: snapshots.create },
  { method: 'GET',    path: '/v3/snapshots/detail',                               handler: snapshots.listDetail },
  { method: 'GET',    path: snapshot,                                             handler: snapshots.show },
  { method: 'PUT',    path: snapshot,                                             handler: snapshots.update },
  { method: 'DELETE', path: snapshot,                                             handler: snapshots.remove },
  { method: 'POST',   path: `${snapshot}/action`,                                 handler: snapshots.act, actions: snapshots.actionNames },
  { method: 'GET',    path: `${snapshot}/metadata`,                               handler: metadata.snapshots.list },
  { method: 'POST',   path: `${snapshot}/metadata`,                               handler: metadata.snapshots.create },
  { method: 'PUT',    path: `${snapshot}/metadata`,                               handler: metadata.snapshots.replace },
  { method: 'GET',    path: `${snapshot}/metadata/:key`,                          handler: metadata.snapshots.show },
  { method: 'PUT',    path: `${snapshot}/metadata/:key`,                          handler: metadata.snapshots.update },
  { method: 'DELETE', path: `${snapshot}/metadata/:key`,                          handler: metadata.snapshots.remove },

  { method: 'GET',    path: '/v3/types',                                          handler: types.list },
  { method: 'POST',   path: '/v3/types',                                          handler: types.create },
  { method: 'GET',    path: type,                                                 handler: types.show },
  { method: 'PUT',    path: type,                                                 handler: types.update },
  { method: 'DELETE', path: type,                                                 handler: types.remove },
  { method: 'POST',   path: `${type}/action`,                                     handler: types.act, actions: types.actionNames },
  { method: 'GET',    path: `${type}/os-volume-type-access`,                      handler: types.listAccess },
  { method: 'GET',    path: `${type}/extra_specs`,                                handler: specs.list },
  { method: 'POST',   path: `${type}/extra_specs`,                                handler: specs.create },
  { method: 'GET',    path: `${type}/extra_specs/:key`,                           handler: specs.show },
  { method: 'PUT',    path: `${type}/extra_specs/:key`,                           handler: specs.update },
  { method: 'DELETE', path: `${type}/extra_specs/:key`,                           handler: specs.remove },

  { method: 'GET',    path: '/v3/attachments',                span: ['3.27'],     handler: attachments.list },
  { method: 'POST',   path: '/v3/attachments',                span: ['3.27'],     handler: attachments.create },
  { method: 'GET',    path: '/v3/attachments/detail',         span: ['3.27'],     handler: attachments.listDetail },
  { method: 'GET',    path: attachment,                       span: ['3.27'],     handler: attachments.show },
  { method: 'PUT',    path: attachment,                       span: ['3.27'],     handler: attachments.update },
  { method: 'DELETE', path: attachment,                       span: ['3.27'],     handler: attachments.remove },
  { method: 'POST',   path: `${attachment}/action`,           span: ['3.44'],     handler: attachments.act, actions: ['os-complete'] },

  { method: 'GET',    path: quota,                                                handler: quotas.show },
  { method: 'PUT',    path: quota,                                                handler: quotas.update },
  { method: 'DELETE', path: quota,                                                handler: quotas.remove },
  { method: 'GET',    path: `${quota}/defaults`,                                  handler: quotas.showDefaults },
  { method: 'GET',    path: '/v3/limits',                                         handler: quotas.showLimits },
  { method: 'GET',    path: '/v3/os-availability-zone',                           handler: quotas.listZones, single: true },
];
