// The routes of the proxies to other services, which Nova removed in 2.36.
import * as floating from '../handlers/proxies/floating-ips.ts';
import * as metadata from '../handlers/proxies/image-metadata.ts';
import * as images from '../handlers/proxies/images.ts';
import * as networks from '../handlers/proxies/networks.ts';
import * as rules from '../handlers/proxies/security-group-rules.ts';
import * as groups from '../handlers/proxies/security-groups.ts';
import * as serverGroups from '../handlers/servers/security-groups.ts';
import * as snapshots from '../handlers/proxies/snapshots.ts';
import * as volumes from '../handlers/proxies/volumes.ts';
import type { ComputeRoute } from '../call.ts';
import type { ComputeVersion } from '../versions.ts';

const policy = (name: string): { policy: string } => ({ policy: `os_compute_api:${name}` });

const image = '/v2.1/images/:image_id/metadata';
const group = '/v2.1/os-security-groups';
const floatingIp = '/v2.1/os-floating-ips';
const volume = '/v2.1/os-volumes';
const snapshot = '/v2.1/os-snapshots';

/**
 * Removed in 2.36. Upstream: MAX_PROXY_API_SUPPORT_VERSION in api/openstack/api_version_request.py.
 */
const proxies: readonly ComputeRoute[] = [
  { method: 'GET', path: '/v2.1/images', handler: images.list },
  { method: 'GET', path: '/v2.1/images/detail', handler: images.detail },
  { method: 'GET', path: '/v2.1/images/:id', handler: images.show },
  { method: 'DELETE', path: '/v2.1/images/:id', handler: images.remove },

  { method: 'GET', path: group, handler: groups.list, ...policy('os-security-groups:get') },
  { method: 'POST', path: group, handler: groups.create, ...policy('os-security-groups:create') },
  {
    method: 'GET',
    path: `${group}/:id`,
    handler: groups.show,
    ...policy('os-security-groups:show'),
  },
  {
    method: 'PUT',
    path: `${group}/:id`,
    handler: groups.update,
    ...policy('os-security-groups:update'),
  },
  {
    method: 'DELETE',
    path: `${group}/:id`,
    handler: groups.remove,
    ...policy('os-security-groups:delete'),
  },
  {
    method: 'POST',
    path: '/v2.1/os-security-group-rules',
    handler: rules.create,
    ...policy('os-security-groups:rule:create'),
  },
  {
    method: 'DELETE',
    path: '/v2.1/os-security-group-rules/:id',
    handler: rules.remove,
    ...policy('os-security-groups:rule:delete'),
  },

  {
    method: 'GET',
    path: '/v2.1/os-floating-ip-pools',
    handler: floating.listPools,
    ...policy('os-floating-ip-pools'),
  },
  { method: 'GET', path: floatingIp, handler: floating.list, ...policy('os-floating-ips:list') },
  {
    method: 'POST',
    path: floatingIp,
    handler: floating.create,
    ...policy('os-floating-ips:create'),
  },
  {
    method: 'GET',
    path: `${floatingIp}/:id`,
    handler: floating.show,
    ...policy('os-floating-ips:show'),
  },
  {
    method: 'DELETE',
    path: `${floatingIp}/:id`,
    handler: floating.remove,
    ...policy('os-floating-ips:delete'),
  },

  {
    method: 'GET',
    path: '/v2.1/os-networks',
    handler: networks.list,
    ...policy('os-networks:list'),
  },
  {
    method: 'GET',
    path: '/v2.1/os-networks/:id',
    handler: networks.show,
    ...policy('os-networks:show'),
  },
  {
    method: 'GET',
    path: '/v2.1/os-tenant-networks',
    handler: networks.listOfTenant,
    ...policy('os-tenant-networks:list'),
  },
  {
    method: 'GET',
    path: '/v2.1/os-tenant-networks/:id',
    handler: networks.showOfTenant,
    ...policy('os-tenant-networks:show'),
  },

  { method: 'GET', path: volume, handler: volumes.list, ...policy('os-volumes:list') },
  { method: 'POST', path: volume, handler: volumes.create, ...policy('os-volumes:create') },
  {
    method: 'GET',
    path: `${volume}/detail`,
    handler: volumes.list,
    ...policy('os-volumes:detail'),
  },
  { method: 'GET', path: `${volume}/:id`, handler: volumes.show, ...policy('os-volumes:show') },
  {
    method: 'DELETE',
    path: `${volume}/:id`,
    handler: volumes.remove,
    ...policy('os-volumes:delete'),
  },
  {
    method: 'GET',
    path: snapshot,
    handler: snapshots.list,
    ...policy('os-volumes:snapshots:list'),
  },
  {
    method: 'POST',
    path: snapshot,
    handler: snapshots.create,
    ...policy('os-volumes:snapshots:create'),
  },
  {
    method: 'GET',
    path: `${snapshot}/detail`,
    handler: snapshots.list,
    ...policy('os-volumes:snapshots:detail'),
  },
  {
    method: 'GET',
    path: `${snapshot}/:id`,
    handler: snapshots.show,
    ...policy('os-volumes:snapshots:show'),
  },
  {
    method: 'DELETE',
    path: `${snapshot}/:id`,
    handler: snapshots.remove,
    ...policy('os-volumes:snapshots:delete'),
  },
];

/** Removed in 2.39. */
const imageMetadata: readonly ComputeRoute[] = [
  { method: 'GET', path: image, handler: metadata.list },
  { method: 'POST', path: image, handler: metadata.create },
  { method: 'PUT', path: image, handler: metadata.replace },
  { method: 'GET', path: `${image}/:id`, handler: metadata.show },
  { method: 'PUT', path: `${image}/:id`, handler: metadata.update },
  { method: 'DELETE', path: `${image}/:id`, handler: metadata.remove },
];

const until = (last: ComputeVersion, routes: readonly ComputeRoute[]): ComputeRoute[] =>
  routes.map((route) => ({ ...route, span: ['2.1', last] }));

export const proxyRoutes: readonly ComputeRoute[] = [
  ...until('2.35', proxies),
  ...until('2.38', imageMetadata),
  // Not removed: every version has it.
  {
    method: 'GET',
    path: '/v2.1/servers/:server_id/os-security-groups',
    handler: serverGroups.list,
  },
];
