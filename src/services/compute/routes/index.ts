// The routes of Compute. Those of servers, os-hosts and proxies are in files of their own.
import * as aggregates from '../handlers/hosts/aggregates.ts';
import * as assisted from '../handlers/assisted-volume-snapshots.ts';
import * as zones from '../handlers/hosts/availability-zones.ts';
import * as extensions from '../handlers/extensions.ts';
import * as events from '../handlers/external-events.ts';
import * as access from '../handlers/flavors/access.ts';
import * as specs from '../handlers/flavors/extra-specs.ts';
import * as flavors from '../handlers/flavors/flavors.ts';
import * as hypervisors from '../handlers/hosts/hypervisors.ts';
import * as keypairs from '../handlers/keypairs.ts';
import * as limits from '../handlers/limits.ts';
import * as classes from '../handlers/quota-class-sets.ts';
import * as quotas from '../handlers/quota-sets.ts';
import * as groups from '../handlers/server-groups.ts';
import * as services from '../handlers/hosts/services.ts';
import * as usages from '../handlers/tenant-usages.ts';
import * as versions from '../handlers/versions.ts';
import { operatorLock } from '../domain/hosts/hosts.ts';
import { hostRoutes } from './hosts.ts';
import { proxyRoutes } from './proxies.ts';
import { serverRoutes } from './servers.ts';
import type { ComputeRoute } from '../call.ts';
import { act } from '../../../kernel/http/actions.ts';

const policy = (name: string): { policy: string } => ({ policy: `os_compute_api:${name}` });

const flavor = '/v2.1/flavors/:id';
const flavorSpecs = '/v2.1/flavors/:flavor_id/os-extra_specs';
const hypervisor = '/v2.1/os-hypervisors/:id';
const aggregate = '/v2.1/os-aggregates/:id';
const quota = '/v2.1/os-quota-sets/:id';

// If a route has no `policy`, its handler enforces the rule, because it knows the target.
const ownRoutes: readonly ComputeRoute[] = [
  { method: 'GET', path: '/', handler: versions.list, single: true, open: true },
  { method: 'GET', path: '/v2', handler: versions.showLegacy, single: true, open: true },
  { method: 'GET', path: '/v2/', handler: versions.showLegacy, single: true, open: true },
  { method: 'GET', path: '/v2.1', handler: versions.show, single: true, open: true },
  { method: 'GET', path: '/v2.1/', handler: versions.show, single: true, open: true },
  {
    method: 'GET',
    path: '/v2.1/extensions',
    handler: extensions.list,
    ...policy('extensions'),
    single: true,
  },
  {
    method: 'GET',
    path: '/v2.1/extensions/:id',
    handler: extensions.show,
    ...policy('extensions'),
    single: true,
  },

  {
    method: 'GET',
    path: '/v2.1/os-server-groups',
    handler: groups.list,
    ...policy('os-server-groups:index'),
  },
  {
    method: 'POST',
    path: '/v2.1/os-server-groups',
    handler: groups.create,
    ...policy('os-server-groups:create'),
  },
  { method: 'GET', path: '/v2.1/os-server-groups/:id', handler: groups.show },
  { method: 'DELETE', path: '/v2.1/os-server-groups/:id', handler: groups.remove },

  { method: 'GET', path: '/v2.1/flavors', handler: flavors.list },
  {
    method: 'POST',
    path: '/v2.1/flavors',
    handler: flavors.create,
    ...policy('os-flavor-manage:create'),
  },
  { method: 'GET', path: '/v2.1/flavors/detail', handler: flavors.detail },
  { method: 'GET', path: flavor, handler: flavors.show },
  {
    method: 'PUT',
    path: flavor,
    span: ['2.55'],
    handler: flavors.update,
    ...policy('os-flavor-manage:update'),
  },
  { method: 'DELETE', path: flavor, handler: flavors.remove, ...policy('os-flavor-manage:delete') },
  {
    method: 'POST',
    path: `${flavor}/action`,
    handler: act,
    actions: { addTenantAccess: access.add, removeTenantAccess: access.remove },
  },
  {
    method: 'GET',
    path: '/v2.1/flavors/:flavor_id/os-flavor-access',
    handler: access.list,
    ...policy('os-flavor-access'),
  },
  {
    method: 'GET',
    path: flavorSpecs,
    handler: specs.list,
    ...policy('os-flavor-extra-specs:index'),
  },
  {
    method: 'POST',
    path: flavorSpecs,
    handler: specs.create,
    ...policy('os-flavor-extra-specs:create'),
  },
  {
    method: 'GET',
    path: `${flavorSpecs}/:id`,
    handler: specs.show,
    ...policy('os-flavor-extra-specs:show'),
  },
  {
    method: 'PUT',
    path: `${flavorSpecs}/:id`,
    handler: specs.update,
    ...policy('os-flavor-extra-specs:update'),
  },
  {
    method: 'DELETE',
    path: `${flavorSpecs}/:id`,
    handler: specs.remove,
    ...policy('os-flavor-extra-specs:delete'),
  },

  { method: 'GET', path: '/v2.1/os-keypairs', handler: keypairs.list },
  { method: 'POST', path: '/v2.1/os-keypairs', handler: keypairs.create },
  { method: 'GET', path: '/v2.1/os-keypairs/:id', handler: keypairs.show },
  { method: 'DELETE', path: '/v2.1/os-keypairs/:id', handler: keypairs.remove },

  {
    method: 'GET',
    path: '/v2.1/os-hypervisors',
    handler: hypervisors.list,
    ...policy('os-hypervisors:list'),
  },
  {
    method: 'GET',
    path: '/v2.1/os-hypervisors/detail',
    handler: hypervisors.detail,
    ...policy('os-hypervisors:list-detail'),
  },
  {
    method: 'GET',
    path: '/v2.1/os-hypervisors/statistics',
    span: ['2.1', '2.87'],
    handler: hypervisors.statistics,
    ...policy('os-hypervisors:statistics'),
  },
  { method: 'GET', path: hypervisor, handler: hypervisors.show, ...policy('os-hypervisors:show') },
  {
    method: 'GET',
    path: `${hypervisor}/uptime`,
    span: ['2.1', '2.87'],
    handler: hypervisors.uptime,
    ...policy('os-hypervisors:uptime'),
  },
  {
    method: 'GET',
    path: `${hypervisor}/search`,
    span: ['2.1', '2.52'],
    handler: hypervisors.search,
    ...policy('os-hypervisors:search'),
  },
  {
    method: 'GET',
    path: `${hypervisor}/servers`,
    span: ['2.1', '2.52'],
    handler: hypervisors.servers,
    ...policy('os-hypervisors:servers'),
  },

  {
    method: 'GET',
    path: '/v2.1/os-services',
    handler: services.list,
    ...policy('os-services:list'),
  },
  {
    method: 'PUT',
    path: '/v2.1/os-services/:id',
    span: ['2.1', '2.52'],
    handler: services.perform,
    ...policy('os-services:update'),
  },
  {
    method: 'PUT',
    path: '/v2.1/os-services/:id',
    span: ['2.53'],
    handler: services.update,
    ...policy('os-services:update'),
  },
  {
    method: 'DELETE',
    path: '/v2.1/os-services/:id',
    handler: services.remove,
    ...policy('os-services:delete'),
  },

  {
    method: 'GET',
    path: '/v2.1/os-aggregates',
    handler: aggregates.list,
    ...policy('os-aggregates:index'),
  },
  {
    method: 'POST',
    path: '/v2.1/os-aggregates',
    handler: aggregates.create,
    ...policy('os-aggregates:create'),
  },
  { method: 'GET', path: aggregate, handler: aggregates.show, ...policy('os-aggregates:show') },
  { method: 'PUT', path: aggregate, handler: aggregates.update, ...policy('os-aggregates:update') },
  {
    method: 'DELETE',
    path: aggregate,
    handler: aggregates.remove,
    ...policy('os-aggregates:delete'),
  },
  {
    method: 'POST',
    path: `${aggregate}/action`,
    handler: act,
    actions: {
      add_host: aggregates.addHost,
      remove_host: aggregates.removeHost,
      set_metadata: aggregates.setMetadata,
    },
  },
  {
    method: 'POST',
    path: `${aggregate}/images`,
    span: ['2.81'],
    handler: aggregates.cacheImages,
    policy: 'compute:aggregates:images',
  },

  {
    method: 'GET',
    path: '/v2.1/os-availability-zone',
    handler: zones.list,
    ...policy('os-availability-zone:list'),
  },
  {
    method: 'GET',
    path: '/v2.1/os-availability-zone/detail',
    handler: zones.detail,
    ...policy('os-availability-zone:detail'),
  },

  { method: 'GET', path: '/v2.1/limits', handler: limits.list, ...policy('limits') },
  { method: 'GET', path: quota, handler: quotas.show },
  { method: 'PUT', path: quota, handler: quotas.update },
  { method: 'DELETE', path: quota, handler: quotas.remove },
  { method: 'GET', path: `${quota}/defaults`, handler: quotas.defaults },
  { method: 'GET', path: `${quota}/detail`, handler: quotas.detail },
  {
    method: 'GET',
    path: '/v2.1/os-quota-class-sets/:id',
    handler: classes.show,
    ...policy('os-quota-class-sets:show'),
  },
  {
    method: 'PUT',
    path: '/v2.1/os-quota-class-sets/:id',
    handler: classes.update,
    ...policy('os-quota-class-sets:update'),
  },

  {
    method: 'GET',
    path: '/v2.1/os-simple-tenant-usage',
    handler: usages.list,
    ...policy('os-simple-tenant-usage:list'),
  },
  { method: 'GET', path: '/v2.1/os-simple-tenant-usage/:id', handler: usages.show },
  {
    method: 'POST',
    path: '/v2.1/os-assisted-volume-snapshots',
    handler: assisted.create,
    ...policy('os-assisted-volume-snapshots:create'),
  },
  {
    method: 'DELETE',
    path: '/v2.1/os-assisted-volume-snapshots/:id',
    handler: assisted.remove,
    ...policy('os-assisted-volume-snapshots:delete'),
  },
  {
    method: 'POST',
    path: '/v2.1/os-server-external-events',
    handler: events.create,
    ...policy('os-server-external-events:create'),
  },
];

/**
 * Adds a lock to routes that write. Operators write rarely, and their writes depend on each other's
 * rows, so they run one at a time. Writes to servers, which are frequent, rely on optimistic
 * locking.
 */
const withLock = (route: ComputeRoute): ComputeRoute =>
  route.method === 'GET' ? route : { ...route, lock: operatorLock };

export const computeRoutes: readonly ComputeRoute[] = [
  ...[...ownRoutes, ...hostRoutes].map(withLock),
  ...serverRoutes,
  ...proxyRoutes,
];
