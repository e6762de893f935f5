// The routes of the Volume API. Policy depends on the project of a resource, so the handlers enforce
// it, as upstream's do.
import { act } from '../../kernel/http/actions.ts';
import type { VolumeRoute } from './call.ts';
import { quotaLock } from './domain/quotas.ts';
import * as attachments from './handlers/attachments.ts';
import * as zones from './handlers/backend/availability-zones.ts';
import * as clusters from './handlers/backend/clusters.ts';
import * as capabilities from './handlers/backend/capabilities.ts';
import * as hosts from './handlers/backend/hosts.ts';
import * as manageable from './handlers/backend/manageable.ts';
import * as pools from './handlers/backend/scheduler-stats.ts';
import * as services from './handlers/backend/services.ts';
import * as workers from './handlers/backend/workers.ts';
import * as extensions from './handlers/extensions.ts';
import * as backups from './handlers/backups/backups.ts';
import { collectionActions, groupActions } from './handlers/groups/actions.ts';
import * as cgsnapshots from './handlers/groups/cgsnapshots.ts';
import * as consistencyGroups from './handlers/groups/consistency-groups.ts';
import * as groupSnapshots from './handlers/groups/group-snapshots.ts';
import * as groupTypes from './handlers/groups/group-types.ts';
import * as groups from './handlers/groups/groups.ts';
import * as messages from './handlers/messages.ts';
import * as metadata from './handlers/metadata.ts';
import * as limits from './handlers/quotas/limits.ts';
import * as classes from './handlers/quotas/quota-class-sets.ts';
import * as quotas from './handlers/quotas/quota-sets.ts';
import * as filterLists from './handlers/resource-filters.ts';
import { snapshotActions } from './handlers/snapshots/actions.ts';
import * as snapshots from './handlers/snapshots/snapshots.ts';
import * as transfers from './handlers/transfers.ts';
import * as defaultTypes from './handlers/types/default-types.ts';
import * as encryption from './handlers/types/encryption.ts';
import * as specs from './handlers/types/extra-specs.ts';
import * as qos from './handlers/types/qos-specs.ts';
import * as types from './handlers/types/types.ts';
import * as versions from './handlers/versions.ts';
import { volumeActions } from './handlers/volumes/actions.ts';
import * as volumes from './handlers/volumes/volumes.ts';

const volume = '/v3/volumes/:volume_id';
const snapshot = '/v3/snapshots/:snapshot_id';
const type = '/v3/types/:type_id';
const attachment = '/v3/attachments/:attachment_id';
const quota = '/v3/os-quota-sets/:target_project_id';
const quotaClass = '/v3/os-quota-class-sets/:class_name';
const qosSpecs = '/v3/qos-specs/:qos_id';
const transfer = '/v3/volume-transfers/:transfer_id';
const oldTransfer = '/v3/os-volume-transfer/:transfer_id';
const defaultType = '/v3/default-types/:project_id';
const message = '/v3/messages/:message_id';
const backup = '/v3/backups/:backup_id';
const groupType = '/v3/group_types/:group_type_id';
const group = '/v3/groups/:group_id';
const consistencyGroup = '/v3/consistencygroups/:group_id';
const cgsnapshot = '/v3/cgsnapshots/:group_snapshot_id';
const groupSnapshot = '/v3/group_snapshots/:group_snapshot_id';

// Every path may also have a project after /v3.

export const volumeRoutes: readonly VolumeRoute[] = [
  { method: 'GET',    path: '/',                                                  handler: versions.choose, open: true, single: true },
  { method: 'GET',    path: '/v3',                                                handler: versions.list, single: true },

  { method: 'GET',    path: '/v3/volumes',                                        handler: volumes.list },
  { method: 'POST',   path: '/v3/volumes',                                        handler: volumes.create },
  { method: 'GET',    path: '/v3/volumes/detail',                                 handler: volumes.listDetail },
  { method: 'GET',    path: '/v3/volumes/summary',            span: ['3.12'],     handler: volumes.summarize },
  { method: 'GET',    path: volume,                                               handler: volumes.show },
  { method: 'PUT',    path: volume,                                               handler: volumes.update },
  { method: 'DELETE', path: volume,                                               handler: volumes.remove },
  { method: 'POST',   path: `${volume}/action`,                                   handler: act, actions: volumeActions },
  { method: 'GET',    path: `${volume}/metadata`,                                 handler: metadata.volumes.list },
  { method: 'POST',   path: `${volume}/metadata`,                                 handler: metadata.volumes.create },
  { method: 'PUT',    path: `${volume}/metadata`,                                 handler: metadata.volumes.replace },
  { method: 'GET',    path: `${volume}/metadata/:key`,                            handler: metadata.volumes.show },
  { method: 'PUT',    path: `${volume}/metadata/:key`,                            handler: metadata.volumes.update },
  { method: 'DELETE', path: `${volume}/metadata/:key`,                            handler: metadata.volumes.remove },
  { method: 'GET',    path: `${volume}/encryption`,                               handler: encryption.showOfVolume },
  { method: 'GET',    path: `${volume}/encryption/:encryption_id`,                handler: encryption.showFieldOfVolume },

  { method: 'GET',    path: '/v3/snapshots',                                      handler: snapshots.list },
  { method: 'POST',   path: '/v3/snapshots',                                      handler: snapshots.create },
  { method: 'GET',    path: '/v3/snapshots/detail',                               handler: snapshots.listDetail },
  { method: 'GET',    path: snapshot,                                             handler: snapshots.show },
  { method: 'PUT',    path: snapshot,                                             handler: snapshots.update },
  { method: 'DELETE', path: snapshot,                                             handler: snapshots.remove },
  { method: 'POST',   path: `${snapshot}/action`,                                 handler: act, actions: snapshotActions },
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
  { method: 'POST',   path: `${type}/action`,                                     handler: act, actions: types.typeActions },
  { method: 'GET',    path: `${type}/os-volume-type-access`,                      handler: types.listAccess },
  { method: 'GET',    path: `${type}/extra_specs`,                                handler: specs.list },
  { method: 'POST',   path: `${type}/extra_specs`,                                handler: specs.create },
  { method: 'GET',    path: `${type}/extra_specs/:key`,                           handler: specs.show },
  { method: 'PUT',    path: `${type}/extra_specs/:key`,                           handler: specs.update },
  { method: 'DELETE', path: `${type}/extra_specs/:key`,                           handler: specs.remove },
  { method: 'GET',    path: `${type}/encryption`,                                handler: encryption.list },
  { method: 'POST',   path: `${type}/encryption`,                                handler: encryption.create },
  { method: 'GET',    path: `${type}/encryption/:encryption_id`,                           handler: encryption.show },
  { method: 'PUT',    path: `${type}/encryption/:encryption_id`,                 handler: encryption.update },
  { method: 'DELETE', path: `${type}/encryption/:encryption_id`,                 handler: encryption.remove },

  { method: 'GET',    path: '/v3/attachments',                span: ['3.27'],     handler: attachments.list },
  { method: 'POST',   path: '/v3/attachments',                span: ['3.27'],     handler: attachments.create },
  { method: 'GET',    path: '/v3/attachments/detail',         span: ['3.27'],     handler: attachments.listDetail },
  { method: 'GET',    path: attachment,                       span: ['3.27'],     handler: attachments.show },
  { method: 'PUT',    path: attachment,                       span: ['3.27'],     handler: attachments.update },
  { method: 'DELETE', path: attachment,                       span: ['3.27'],     handler: attachments.remove },
  { method: 'POST',   path: `${attachment}/action`,           span: ['3.44'],     handler: act, actions: attachments.attachmentActions },

  { method: 'GET',    path: '/v3/volume-transfers',                              handler: transfers.list },
  { method: 'POST',   path: '/v3/volume-transfers',                              handler: transfers.create },
  { method: 'GET',    path: '/v3/volume-transfers/detail',                       handler: transfers.listDetail },
  { method: 'GET',    path: transfer,                                            handler: transfers.show },
  { method: 'DELETE', path: transfer,                                            handler: transfers.remove },
  { method: 'POST',   path: `${transfer}/accept`,                                handler: transfers.accept },
  { method: 'GET',    path: '/v3/os-volume-transfer',                            handler: transfers.list },
  { method: 'POST',   path: '/v3/os-volume-transfer',                            handler: transfers.createOlder },
  { method: 'GET',    path: '/v3/os-volume-transfer/detail',                     handler: transfers.listDetail },
  { method: 'GET',    path: oldTransfer,                                         handler: transfers.show },
  { method: 'DELETE', path: oldTransfer,                                         handler: transfers.remove },
  { method: 'POST',   path: `${oldTransfer}/accept`,                             handler: transfers.accept },

  { method: 'GET',    path: '/v3/qos-specs',                                     handler: qos.list },
  { method: 'POST',   path: '/v3/qos-specs',                                     handler: qos.create },
  { method: 'GET',    path: qosSpecs,                                            handler: qos.show },
  { method: 'PUT',    path: qosSpecs,                                            handler: qos.update },
  { method: 'DELETE', path: qosSpecs,                                            handler: qos.remove },
  { method: 'PUT',    path: `${qosSpecs}/delete_keys`,                           handler: qos.deleteKeys },
  { method: 'GET',    path: `${qosSpecs}/associations`,                          handler: qos.listAssociations },
  { method: 'GET',    path: `${qosSpecs}/associate`,                             handler: qos.associateType, lock: quotaLock },
  { method: 'GET',    path: `${qosSpecs}/disassociate`,                          handler: qos.disassociateType, lock: quotaLock },
  { method: 'GET',    path: `${qosSpecs}/disassociate_all`,                      handler: qos.disassociateAll, lock: quotaLock },

  { method: 'GET',    path: '/v3/backups',                                                       handler: backups.list },
  { method: 'POST',   path: '/v3/backups',                                                       handler: backups.create },
  { method: 'GET',    path: '/v3/backups/detail',                                                handler: backups.listDetail },
  { method: 'POST',   path: '/v3/backups/import_record',                                         handler: backups.importFrom },
  { method: 'GET',    path: backup,                                                              handler: backups.show },
  { method: 'PUT',    path: backup,                                          span: ['3.9'],      handler: backups.update },
  { method: 'DELETE', path: backup,                                                              handler: backups.remove },
  { method: 'POST',   path: `${backup}/restore`,                                                 handler: backups.restore },
  { method: 'GET',    path: `${backup}/export_record`,                                           handler: backups.exportTo },
  { method: 'POST',   path: `${backup}/action`,                                                  handler: act, actions: backups.backupActions },

  { method: 'GET',    path: '/v3/consistencygroups',                              handler: consistencyGroups.list },
  { method: 'POST',   path: '/v3/consistencygroups',                              handler: consistencyGroups.create },
  { method: 'GET',    path: '/v3/consistencygroups/detail',                       handler: consistencyGroups.listDetail },
  { method: 'POST',   path: '/v3/consistencygroups/create_from_src',              handler: consistencyGroups.createFromSource },
  { method: 'GET',    path: consistencyGroup,                                     handler: consistencyGroups.show },
  { method: 'PUT',    path: consistencyGroup,                                     handler: consistencyGroups.updateFrom36 },
  { method: 'PUT',    path: `${consistencyGroup}/update`,                         handler: consistencyGroups.update },
  { method: 'POST',   path: `${consistencyGroup}/delete`,                         handler: consistencyGroups.remove },
  { method: 'GET',    path: '/v3/cgsnapshots',                                    handler: cgsnapshots.list },
  { method: 'POST',   path: '/v3/cgsnapshots',                                    handler: cgsnapshots.create },
  { method: 'GET',    path: '/v3/cgsnapshots/detail',                             handler: cgsnapshots.listDetail },
  { method: 'GET',    path: cgsnapshot,                                           handler: cgsnapshots.show },
  { method: 'DELETE', path: cgsnapshot,                                           handler: cgsnapshots.remove },
  { method: 'GET',    path: '/v3/group_types',                               span: ['3.11'],     handler: groupTypes.list },
  { method: 'POST',   path: '/v3/group_types',                               span: ['3.11'],     handler: groupTypes.create },
  { method: 'GET',    path: groupType,                                       span: ['3.11'],     handler: groupTypes.show },
  { method: 'PUT',    path: groupType,                                       span: ['3.11'],     handler: groupTypes.update },
  { method: 'DELETE', path: groupType,                                       span: ['3.11'],     handler: groupTypes.remove },
  { method: 'GET',    path: `${groupType}/group_specs`,                      span: ['3.11'],     handler: groupTypes.listSpecs },
  { method: 'POST',   path: `${groupType}/group_specs`,                      span: ['3.11'],     handler: groupTypes.createSpecs },
  { method: 'GET',    path: `${groupType}/group_specs/:key`,                 span: ['3.11'],     handler: groupTypes.showSpec },
  { method: 'PUT',    path: `${groupType}/group_specs/:key`,                 span: ['3.11'],     handler: groupTypes.updateSpec },
  { method: 'DELETE', path: `${groupType}/group_specs/:key`,                 span: ['3.11'],     handler: groupTypes.removeSpec },
  { method: 'GET',    path: '/v3/groups',                                    span: ['3.13'],     handler: groups.list },
  { method: 'POST',   path: '/v3/groups',                                    span: ['3.13'],     handler: groups.create },
  { method: 'GET',    path: '/v3/groups/detail',                             span: ['3.13'],     handler: groups.listDetail },
  { method: 'POST',   path: '/v3/groups/action',                             span: ['3.14'],     handler: act, actions: collectionActions },
  { method: 'GET',    path: group,                                           span: ['3.13'],     handler: groups.show },
  { method: 'PUT',    path: group,                                           span: ['3.13'],     handler: groups.update },
  { method: 'POST',   path: `${group}/action`,                               span: ['3.13'],     handler: act, actions: groupActions },
  { method: 'GET',    path: '/v3/group_snapshots',                           span: ['3.14'],     handler: groupSnapshots.list },
  { method: 'POST',   path: '/v3/group_snapshots',                           span: ['3.14'],     handler: groupSnapshots.create },
  { method: 'GET',    path: '/v3/group_snapshots/detail',                    span: ['3.14'],     handler: groupSnapshots.listDetail },
  { method: 'GET',    path: groupSnapshot,                                   span: ['3.14'],     handler: groupSnapshots.show },
  { method: 'DELETE', path: groupSnapshot,                                   span: ['3.14'],     handler: groupSnapshots.remove },
  { method: 'POST',   path: `${groupSnapshot}/action`,                       span: ['3.19'],     handler: act, actions: groupSnapshots.groupSnapshotActions },

  { method: 'GET',    path: '/v3/messages',                 span: ['3.3'],       handler: messages.list },
  { method: 'GET',    path: message,                        span: ['3.3'],       handler: messages.show },
  { method: 'DELETE', path: message,                        span: ['3.3'],       handler: messages.remove },

  { method: 'GET',    path: '/v3/os-services',                                   handler: services.list },
  { method: 'PUT',    path: '/v3/os-services/enable',                            handler: services.enable },
  { method: 'PUT',    path: '/v3/os-services/disable',                           handler: services.disable },
  { method: 'PUT',    path: '/v3/os-services/disable-log-reason',                handler: services.disableWithReason },
  { method: 'PUT',    path: '/v3/os-services/freeze',                            handler: services.freeze },
  { method: 'PUT',    path: '/v3/os-services/thaw',                              handler: services.thaw },
  { method: 'PUT',    path: '/v3/os-services/failover_host',                     handler: services.failOver },
  { method: 'GET',    path: '/v3/clusters',                 span: ['3.7'],       handler: clusters.list },
  { method: 'GET',    path: '/v3/clusters/detail',          span: ['3.7'],       handler: clusters.list },
  { method: 'PUT',    path: '/v3/clusters/enable',          span: ['3.7'],       handler: clusters.update },
  { method: 'PUT',    path: '/v3/clusters/disable',         span: ['3.7'],       handler: clusters.update },
  { method: 'GET',    path: '/v3/clusters/:cluster_id',     span: ['3.7'],       handler: clusters.show },
  { method: 'POST',   path: '/v3/workers/cleanup',          span: ['3.24'],      handler: workers.cleanUp },
  { method: 'GET',    path: '/v3/manageable_volumes',           span: ['3.8'],   handler: manageable.volumes.list },
  { method: 'POST',   path: '/v3/manageable_volumes',           span: ['3.8'],   handler: manageable.volumes.create },
  { method: 'GET',    path: '/v3/manageable_volumes/detail',    span: ['3.8'],   handler: manageable.volumes.listDetail },
  { method: 'GET',    path: '/v3/os-volume-manage',                              handler: manageable.volumes.list },
  { method: 'POST',   path: '/v3/os-volume-manage',                              handler: manageable.volumes.create },
  { method: 'GET',    path: '/v3/os-volume-manage/detail',                       handler: manageable.volumes.listDetail },
  { method: 'GET',    path: '/v3/manageable_snapshots',         span: ['3.8'],   handler: manageable.snapshots.list },
  { method: 'POST',   path: '/v3/manageable_snapshots',         span: ['3.8'],   handler: manageable.snapshots.create },
  { method: 'GET',    path: '/v3/manageable_snapshots/detail',  span: ['3.8'],   handler: manageable.snapshots.listDetail },
  { method: 'GET',    path: '/v3/os-snapshot-manage',                            handler: manageable.snapshots.list },
  { method: 'POST',   path: '/v3/os-snapshot-manage',                            handler: manageable.snapshots.create },
  { method: 'GET',    path: '/v3/os-snapshot-manage/detail',                     handler: manageable.snapshots.listDetail },
  { method: 'GET',    path: '/v3/os-hosts',                                      handler: hosts.list },
  { method: 'GET',    path: '/v3/os-hosts/:host_name',                           handler: hosts.show },
  { method: 'GET',    path: '/v3/scheduler-stats/get_pools',                     handler: pools.listPools },
  { method: 'GET',    path: '/v3/capabilities/:hostname',                        handler: capabilities.show },

  { method: 'GET',    path: '/v3/default-types',            span: ['3.62'],      handler: defaultTypes.list },
  { method: 'GET',    path: defaultType,                    span: ['3.62'],      handler: defaultTypes.show },
  { method: 'PUT',    path: defaultType,                    span: ['3.62'],      handler: defaultTypes.update },
  { method: 'DELETE', path: defaultType,                    span: ['3.62'],      handler: defaultTypes.remove },
  { method: 'GET',    path: '/v3/resource_filters',         span: ['3.33'],      handler: filterLists.list, single: true },

  { method: 'GET',    path: quota,                                                handler: quotas.show },
  { method: 'PUT',    path: quota,                                                handler: quotas.update },
  { method: 'DELETE', path: quota,                                                handler: quotas.remove },
  { method: 'GET',    path: `${quota}/defaults`,                                  handler: quotas.showDefaults },
  { method: 'GET',    path: quotaClass,                                          handler: classes.show },
  { method: 'PUT',    path: quotaClass,                                          handler: classes.update },
  { method: 'GET',    path: '/v3/limits',                                         handler: limits.show },
  { method: 'GET',    path: '/v3/os-availability-zone',                           handler: zones.list, single: true },
  { method: 'GET',    path: '/v3/extensions',                                    handler: extensions.list, single: true },
  { method: 'GET',    path: '/v3/extensions/:alias',                             handler: extensions.show, single: true },
];
