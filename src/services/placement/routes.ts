// The routes of the whole Placement API.
import * as aggregates from './handlers/aggregates.ts';
import * as allocations from './handlers/allocations.ts';
import * as candidates from './handlers/allocation-candidates.ts';
import * as inventories from './handlers/inventories.ts';
import * as classes from './handlers/resource-classes.ts';
import * as providers from './handlers/resource-providers.ts';
import * as reshaper from './handlers/reshaper.ts';
import * as traits from './handlers/traits.ts';
import * as usages from './handlers/usages.ts';
import * as root from './handlers/versions.ts';
import type { PlacementRoute } from './call.ts';

const provider = '/resource_providers/:uuid';

export const placementRoutes: readonly PlacementRoute[] = [
  { method: 'GET',    path: '/',                                                                                                                                   handler: root.show, single: true, anyAccept: true },

  { method: 'GET',    path: '/resource_classes',             span: ['1.2'],           policy: 'placement:resource_classes:list',                  handler: classes.list, single: true },
  { method: 'POST',   path: '/resource_classes',             span: ['1.2'],           policy: 'placement:resource_classes:create',                handler: classes.create },
  { method: 'GET',    path: '/resource_classes/:name',       span: ['1.2'],           policy: 'placement:resource_classes:show',                  handler: classes.show, single: true },
  { method: 'PUT',    path: '/resource_classes/:name',       span: ['1.2', '1.6'],    policy: 'placement:resource_classes:update',                handler: classes.rename },
  { method: 'PUT',    path: '/resource_classes/:name',       span: ['1.7'],           policy: 'placement:resource_classes:update',                handler: classes.ensure },
  { method: 'DELETE', path: '/resource_classes/:name',       span: ['1.2'],           policy: 'placement:resource_classes:delete',                handler: classes.remove },

  { method: 'GET',    path: '/resource_providers',                                    policy: 'placement:resource_providers:list',                handler: providers.list },
  { method: 'POST',   path: '/resource_providers',                                    policy: 'placement:resource_providers:create',              handler: providers.create },
  { method: 'GET',    path: provider,                                                 policy: 'placement:resource_providers:show',                handler: providers.show, single: true },
  { method: 'DELETE', path: provider,                                                 policy: 'placement:resource_providers:delete',              handler: providers.remove },
  { method: 'PUT',    path: provider,                                                 policy: 'placement:resource_providers:update',              handler: providers.update },

  { method: 'GET',    path: `${provider}/inventories`,                                policy: 'placement:resource_providers:inventories:list',    handler: inventories.list, single: true },
  { method: 'POST',   path: `${provider}/inventories`,                                policy: 'placement:resource_providers:inventories:create',  handler: inventories.create },
  { method: 'PUT',    path: `${provider}/inventories`,                                policy: 'placement:resource_providers:inventories:update',  handler: inventories.replace },
  { method: 'DELETE', path: `${provider}/inventories`,       span: ['1.5'], statusOutsideSpan: 405, policy: 'placement:resource_providers:inventories:delete', handler: inventories.removeAll },
  { method: 'GET',    path: `${provider}/inventories/:resource_class`,                            policy: 'placement:resource_providers:inventories:show',    handler: inventories.show },
  { method: 'PUT',    path: `${provider}/inventories/:resource_class`,                            policy: 'placement:resource_providers:inventories:update',  handler: inventories.update },
  { method: 'DELETE', path: `${provider}/inventories/:resource_class`,                            policy: 'placement:resource_providers:inventories:delete',  handler: inventories.remove },

  { method: 'GET',    path: `${provider}/usages`,                                     policy: 'placement:resource_providers:usages',              handler: usages.show, single: true },
  { method: 'GET',    path: `${provider}/aggregates`,        span: ['1.1'],           policy: 'placement:resource_providers:aggregates:list',     handler: aggregates.list },
  { method: 'PUT',    path: `${provider}/aggregates`,        span: ['1.1'],           policy: 'placement:resource_providers:aggregates:update',   handler: aggregates.update },
  { method: 'GET',    path: `${provider}/allocations`,                                policy: 'placement:resource_providers:allocations:list',    handler: allocations.listOfProvider },
  { method: 'GET',    path: `${provider}/traits`,            span: ['1.6'],           policy: 'placement:resource_providers:traits:list',         handler: traits.listOfProvider },
  { method: 'PUT',    path: `${provider}/traits`,            span: ['1.6'],           policy: 'placement:resource_providers:traits:update',       handler: traits.updateOfProvider, schemaFirst: true },
  { method: 'DELETE', path: `${provider}/traits`,            span: ['1.6'],           policy: 'placement:resource_providers:traits:delete',       handler: traits.removeOfProvider },

  { method: 'GET',    path: '/traits',                       span: ['1.6'],           policy: 'placement:traits:list',                            handler: traits.list, single: true },
  { method: 'GET',    path: '/traits/:name',                 span: ['1.6'],           policy: 'placement:traits:show',                            handler: traits.show, single: true, anyAccept: true },
  { method: 'PUT',    path: '/traits/:name',                 span: ['1.6'],           policy: 'placement:traits:update',                          handler: traits.ensure },
  { method: 'DELETE', path: '/traits/:name',                 span: ['1.6'],           policy: 'placement:traits:delete',                          handler: traits.remove },

  { method: 'POST',   path: '/allocations',                  span: ['1.13'],          policy: 'placement:allocations:manage',                     handler: allocations.create },
  { method: 'GET',    path: '/allocations/:consumer_uuid',                                 policy: 'placement:allocations:list',                       handler: allocations.list },
  { method: 'PUT',    path: '/allocations/:consumer_uuid',                                 policy: 'placement:allocations:update',                     handler: allocations.update },
  { method: 'DELETE', path: '/allocations/:consumer_uuid',                                 policy: 'placement:allocations:delete',                     handler: allocations.remove },
  { method: 'GET',    path: '/allocation_candidates',        span: ['1.10'],          policy: 'placement:allocation_candidates:list',             handler: candidates.list },
  { method: 'POST',   path: '/reshaper',                     span: ['1.30'],          policy: 'placement:reshaper:reshape',                       handler: reshaper.create },
  { method: 'GET',    path: '/usages',                       span: ['1.9'],                                                                       handler: usages.list },
];
