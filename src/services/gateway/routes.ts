// The API of both gateways, on one screen. Of what is not here, such as hypervisors, the central region has nothing: pods do.
import type { Line } from './table.ts';
import * as central from './handlers/central.ts';
import * as groups from './handlers/groups.ts';
import { routed } from './handlers/routed.ts';
import * as servers from './handlers/servers.ts';
import * as types from './handlers/volume-types.ts';
import * as volumes from './handlers/volumes.ts';

const server = '/v2.1/servers/:server_id';
const volume = '/v3/volumes/:volume_id';


export const computeLines: readonly Line[] = [
  ['GET',                 '/',                                        central.central],
  ['GET',                 '/v2',                                      central.central],
  ['GET',                 '/v2/',                                     central.central],
  ['GET',                 '/v2.1',                                    central.central],
  ['GET',                 '/v2.1/',                                   central.central],
  ['GET',                 '/v2.1/extensions*',                        central.central],

  ['GET',                 '/v2.1/servers',                            servers.list],
  ['GET',                 '/v2.1/servers/detail',                     servers.detail],
  ['POST',                '/v2.1/servers',                            servers.create],
  ['POST',                '/v2.1/servers/:id/action',                 servers.act],
  ['POST',                `${server}/os-volume_attachments`,          servers.attach],
  ['PUT',                 `${server}/os-volume_attachments/:id`,      servers.attach],
  ['POST',                `${server}/os-interface`,                   servers.plug],
  ['GET POST PUT DELETE', '/v2.1/servers/*',                          routed('server')],

  ['GET',                 '/v2.1/os-server-groups',                   groups.list],
  ['POST',                '/v2.1/os-server-groups',                   groups.create],
  ['GET DELETE',          '/v2.1/os-server-groups/:id',               routed('server_group')],
  ['GET',                 '/v2.1/os-availability-zone*',              groups.computeZones],

  ['POST',                '/v2.1/flavors',                            central.createFlavor],
  ['GET',                 '/v2.1/flavors*',                           central.central],
  ['POST PUT DELETE',     '/v2.1/flavors/:flavor_id/os-extra_specs*', central.writeFlavorSpecs],
  ['POST PUT DELETE',     '/v2.1/flavors*',                           central.everywhere()],
  ['POST',                '/v2.1/os-keypairs',                        central.createKeypair],
  ['GET',                 '/v2.1/os-keypairs*',                       central.central],
  ['DELETE',              '/v2.1/os-keypairs/:id',                    central.everywhere()],

  ['GET',                 '/v2.1/limits',                             central.limits],
  ['GET',                 '/v2.1/os-quota-sets/:id/detail',           central.quotaUsage],
  ['GET',                 '/v2.1/os-quota-sets/*',                    central.central],
  ['PUT DELETE',          '/v2.1/os-quota-sets/:id',                  central.everywhere()],
  ['GET',                 '/v2.1/os-quota-class-sets/:id',            central.central],
  ['PUT',                 '/v2.1/os-quota-class-sets/:id',            central.everywhere()],
];


export const volumeLines: readonly Line[] = [
  ['GET',                 '/',                                        central.central],
  ['GET',                 '/v3',                                      central.central],
  ['GET',                 '/v3/extensions*',                          central.central],

  ['GET',                 '/v3/volumes',                              volumes.list],
  ['GET',                 '/v3/volumes/detail',                       volumes.detail],
  ['POST',                '/v3/volumes',                              volumes.create],
  ['POST',                `${volume}/action`,                         volumes.act],
  ['GET POST PUT DELETE', `${volume}*`,                               routed('volume')],

  ['GET',                 '/v3/snapshots',                            volumes.listSnapshots],
  ['GET',                 '/v3/snapshots/detail',                     volumes.detailSnapshots],
  ['POST',                '/v3/snapshots',                            volumes.createSnapshot],
  ['GET POST PUT DELETE', '/v3/snapshots/:snapshot_id*',              routed('snapshot')],

  ['POST',                '/v3/types',                                types.create],
  ['GET',                 '/v3/types*',                               central.central],
  ['POST PUT DELETE',     '/v3/types/:type_id*',                      types.write],

  ['GET',                 '/v3/limits',                               central.limits],
  ['GET',                 '/v3/os-quota-sets/:target_project_id',     central.quotaUsage],
  ['GET',                 '/v3/os-quota-sets/*',                      central.central],
  ['PUT DELETE',          '/v3/os-quota-sets/:target_project_id',     central.everywhere()],
  ['GET',                 '/v3/os-quota-class-sets/:class_name',      central.central],
  ['PUT',                 '/v3/os-quota-class-sets/:class_name',      central.everywhere()],
  ['GET',                 '/v3/os-availability-zone',                 groups.volumeZones],
];
