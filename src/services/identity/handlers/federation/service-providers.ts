// Service providers. Upstream: keystone/api/os_federation.py.
import { plainHandlers } from '../../../../kernel/http/plain-resource.ts';
import type { Call } from '../../../../kernel/model.ts';
import type { Fields } from '../../domain/attributes.ts';
import {
  createServiceProvider,
  deleteServiceProvider,
  updateServiceProvider,
} from '../../domain/federation/service-providers.ts';
import type { ServiceProvider } from '../../model.ts';
import {
  findServiceProvider,
  listServiceProviders,
} from '../../store/federation/service-providers.ts';
import { serviceProviderView } from '../../views/federation/federation.ts';
import { bodiesOf, lookupsOf, type Shape } from '../plain.ts';

const shape: Shape<ServiceProvider> = {
  noun: 'service_provider',
  collection: 'service_providers',
  filters: ['id', 'enabled'],
  view: serviceProviderView,
};

/** The operations of /v3/OS-FEDERATION/service_providers. */
export const { list, show, create, update, remove } = plainHandlers<Call, ServiceProvider, Fields>({
  ...lookupsOf({ ...shape, list: (db) => listServiceProviders(db), find: findServiceProvider }),
  ...bodiesOf(shape),
  create: (call, fields) =>
    createServiceProvider(call, call.params['service_provider_id']!, fields),
  update: updateServiceProvider,
  remove: deleteServiceProvider,
});
