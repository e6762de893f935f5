// The routes of both gateways. Other routes of Nova and Cinder, such as those of single
// hypervisors, return 404: the central region has nothing of the kind.
import * as zones from './handlers/availability-zones.ts';
import * as capacity from './handlers/capacity.ts';
import { fromCentre, writeEverywhere } from './handlers/central.ts';
import * as flavors from './handlers/flavors.ts';
import * as keypairs from './handlers/keypairs.ts';
import * as quotas from './handlers/quotas.ts';
import * as guests from './handlers/guests.ts';
import { routed } from './handlers/routed.ts';
import * as groups from './handlers/server-groups.ts';
import * as servers from './handlers/servers.ts';
import * as snapshots from './handlers/snapshots.ts';
import * as usages from './handlers/tenant-usages.ts';
import * as transfers from './handlers/transfers.ts';
import * as types from './handlers/volume-types.ts';
import * as volumes from './handlers/volumes.ts';
import type { RouteEntry } from './route-table.ts';

const server = '/v2.1/servers/:server_id';
const volume = '/v3/volumes/:volume_id';
const newTransfers = transfers.listsAt('/volume-transfers');
const oldTransfers = transfers.listsAt('/os-volume-transfer');


export const computeRoutes: readonly RouteEntry[] = [
  ['GET',                 '/',                                        fromCentre],
  ['GET',                 '/v2',                                      fromCentre],
  ['GET',                 '/v2/',                                     fromCentre],
  ['GET',                 '/v2.1',                                    fromCentre],
  ['GET',                 '/v2.1/',                                   fromCentre],
  ['GET',                 '/v2.1/extensions*',                        fromCentre],

  ['GET',                 '/v2.1/servers',                            servers.list],
  ['GET',                 '/v2.1/servers/detail',                     servers.detail],
  ['POST',                '/v2.1/servers',                            servers.create],
  ['POST',                '/v2.1/servers/:id/action',                 servers.act],
  ['POST',                `${server}/os-volume_attachments`,          servers.attachVolume],
  ['PUT',                 `${server}/os-volume_attachments/:id`,      servers.attachVolume],
  ['POST',                `${server}/os-interface`,                   guests.attachInterface],
  ['DELETE',              `${server}/os-interface/:id`,               guests.detachInterface],
  ['GET',                 `${server}/os-interface*`,                  guests.fromPorts],
  ['GET',                 `${server}/ips*`,                           guests.fromPorts],
  ['GET',                 `${server}/os-security-groups`,             guests.fromPorts],
  ['GET POST PUT DELETE', '/v2.1/servers/*',                          routed('server')],

  ['GET',                 '/v2.1/os-server-groups',                   groups.list],
  ['POST',                '/v2.1/os-server-groups',                   groups.create],
  ['GET DELETE',          '/v2.1/os-server-groups/:id',               routed('server_group')],
  ['GET',                 '/v2.1/os-availability-zone*',              zones.listComputeZones],

  ['GET',                 '/v2.1/os-hypervisors/statistics',          capacity.hypervisorStatistics],

  ['POST',                '/v2.1/flavors',                            flavors.create],
  ['GET',                 '/v2.1/flavors*',                           fromCentre],
  ['POST PUT DELETE',     '/v2.1/flavors/:flavor_id/os-extra_specs*', flavors.writeExtraSpecs],
  ['POST PUT DELETE',     '/v2.1/flavors*',                           writeEverywhere],
  ['POST',                '/v2.1/os-keypairs',                        keypairs.create],
  ['GET',                 '/v2.1/os-keypairs*',                       fromCentre],
  ['DELETE',              '/v2.1/os-keypairs/:id',                    writeEverywhere],

  ['GET POST PUT DELETE', '/v2.1/images*',                            fromCentre],
  ['GET POST PUT DELETE', '/v2.1/os-security-groups*',                fromCentre],
  ['POST DELETE',         '/v2.1/os-security-group-rules*',           fromCentre],
  ['GET POST DELETE',     '/v2.1/os-floating-ips*',                   fromCentre],
  ['GET',                 '/v2.1/os-floating-ip-pools',               fromCentre],
  ['GET',                 '/v2.1/os-networks*',                       fromCentre],
  ['GET',                 '/v2.1/os-tenant-networks*',                fromCentre],

  ['GET',                 '/v2.1/os-simple-tenant-usage',             usages.list],
  ['GET',                 '/v2.1/os-simple-tenant-usage/:id',         usages.show],

  ['GET',                 '/v2.1/limits',                             quotas.limits],
  ['GET',                 '/v2.1/os-quota-sets/:id/detail',           quotas.quotaUsage],
  ['GET',                 '/v2.1/os-quota-sets/*',                    fromCentre],
  ['PUT',                 '/v2.1/os-quota-sets/:id',                  quotas.writeServerQuotas],
  ['DELETE',              '/v2.1/os-quota-sets/:id',                  writeEverywhere],
  ['GET',                 '/v2.1/os-quota-class-sets/:id',            fromCentre],
  ['PUT',                 '/v2.1/os-quota-class-sets/:id',            writeEverywhere],
];


export const volumeRoutes: readonly RouteEntry[] = [
  ['GET',                 '/',                                        fromCentre],
  ['GET',                 '/v3',                                      fromCentre],
  ['GET',                 '/v3/extensions*',                          fromCentre],

  ['GET',                 '/v3/volumes',                              volumes.list],
  ['GET',                 '/v3/volumes/detail',                       volumes.detail],
  ['GET',                 '/v3/volumes/summary',                      volumes.summarize],
  ['POST',                '/v3/volumes',                              volumes.create],
  ['POST',                `${volume}/action`,                         volumes.act],
  ['GET POST PUT DELETE', `${volume}*`,                               routed('volume')],

  ['GET',                 '/v3/snapshots',                            snapshots.list],
  ['GET',                 '/v3/snapshots/detail',                     snapshots.detail],
  ['POST',                '/v3/snapshots',                            snapshots.create],
  ['GET POST PUT DELETE', '/v3/snapshots/:snapshot_id*',              routed('snapshot')],

  ['GET',                 '/v3/volume-transfers',                     newTransfers.list],
  ['GET',                 '/v3/volume-transfers/detail',              newTransfers.detail],
  ['GET',                 '/v3/os-volume-transfer',                   oldTransfers.list],
  ['GET',                 '/v3/os-volume-transfer/detail',            oldTransfers.detail],
  ['POST',                '/v3/volume-transfers',                     transfers.create],
  ['POST',                '/v3/os-volume-transfer',                   transfers.create],
  ['POST',                '/v3/volume-transfers/:transfer_id/accept', transfers.accept],
  ['POST',                '/v3/os-volume-transfer/:transfer_id/accept', transfers.accept],
  ['GET DELETE',          '/v3/volume-transfers/*',                   routed('transfer')],
  ['GET DELETE',          '/v3/os-volume-transfer/*',                 routed('transfer')],

  ['POST',                '/v3/types',                                types.create],
  ['GET',                 '/v3/types*',                               fromCentre],
  ['POST PUT DELETE',     '/v3/types/:type_id*',                      types.write],

  ['GET',                 '/v3/limits',                               quotas.limits],
  ['GET',                 '/v3/os-quota-sets/:target_project_id',     quotas.quotaUsage],
  ['GET',                 '/v3/os-quota-sets/*',                      fromCentre],
  ['PUT',                 '/v3/os-quota-sets/:target_project_id',     quotas.writeVolumeQuotas],
  ['DELETE',              '/v3/os-quota-sets/:target_project_id',     writeEverywhere],
  ['GET',                 '/v3/os-quota-class-sets/:class_name',      fromCentre],
  ['PUT',                 '/v3/os-quota-class-sets/:class_name',      writeEverywhere],
  ['GET',                 '/v3/os-availability-zone',                 zones.listVolumeZones],
  ['GET',                 '/v3/scheduler-stats/get_pools',            capacity.storagePools],
];
