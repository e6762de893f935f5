// The routes of the Reservation API.
import * as availability from './handlers/availability.ts';
import * as floatingIps from './handlers/floating-ips.ts';
import * as hosts from './handlers/hosts.ts';
import * as leases from './handlers/leases.ts';
import * as allocations from './handlers/allocations.ts';
import * as properties from './handlers/properties.ts';
import * as root from './handlers/versions.ts';
import { reservationLock } from './domain/lock.ts';
import type { ReservationRoute } from './call.ts';

const lease = '/v1/leases/:lease_id';
const host = '/v1/os-hosts/:host_id';
const floatingIp = '/v1/floatingips/:floatingip_id';

/** Writes run one at a time, because each depends on the allocations of all leases. */
const lock = reservationLock;

export const reservationRoutes: readonly ReservationRoute[] = [
  { method: 'GET',    path: '/',                                                                          handler: root.list, single: true },
  { method: 'GET',    path: '/versions',                                                                  handler: root.list, single: true },

  { method: 'GET',    path: '/v1/leases',                   policy: 'blazar:leases:get',                  handler: leases.list },
  { method: 'POST',   path: '/v1/leases',                   policy: 'blazar:leases:post',                 handler: leases.create, lock },
  { method: 'GET',    path: lease,                                                                        handler: leases.show },
  { method: 'PUT',    path: lease,                                                                        handler: leases.update, lock },
  { method: 'DELETE', path: lease,                                                                        handler: leases.remove, lock },

  { method: 'GET',    path: '/v1/os-hosts',                 policy: 'blazar:oshosts:get',                 handler: hosts.list },
  { method: 'POST',   path: '/v1/os-hosts',                 policy: 'blazar:oshosts:post',                handler: hosts.create, lock },
  { method: 'GET',    path: '/v1/os-hosts/allocations',     policy: 'blazar:oshosts:get_allocations',     handler: allocations.list },
  { method: 'GET',    path: '/v1/os-hosts/properties',      policy: 'blazar:oshosts:get_resource_properties',    handler: properties.list },
  { method: 'PATCH',  path: '/v1/os-hosts/properties/:property_name', policy: 'blazar:oshosts:update_resource_properties', handler: properties.update, lock },
  { method: 'GET',    path: host,                           policy: 'blazar:oshosts:get',                 handler: hosts.show },
  { method: 'PUT',    path: host,                           policy: 'blazar:oshosts:put',                 handler: hosts.update, lock },
  { method: 'DELETE', path: host,                           policy: 'blazar:oshosts:delete',              handler: hosts.remove, lock },
  { method: 'GET',    path: `${host}/allocation`,           policy: 'blazar:oshosts:get_allocations',     handler: allocations.show },

  { method: 'GET',    path: '/v1/floatingips',              policy: 'blazar:floatingips:get',             handler: floatingIps.list, single: true },
  { method: 'POST',   path: '/v1/floatingips',              policy: 'blazar:floatingips:post',            handler: floatingIps.create, lock },
  { method: 'GET',    path: floatingIp,                     policy: 'blazar:floatingips:get',             handler: floatingIps.show, single: true },
  { method: 'DELETE', path: floatingIp,                     policy: 'blazar:floatingips:delete',          handler: floatingIps.remove, lock },

  // An addition to Blazar's API.
  { method: 'GET',    path: '/availability',                policy: 'cumulet:availability:get',           handler: availability.list },
  { method: 'POST',   path: '/availability/next',           policy: 'cumulet:availability:get',           handler: availability.findNext },
  { method: 'POST',   path: '/availability/explain',        policy: 'cumulet:availability:get',           handler: availability.explain },
];
