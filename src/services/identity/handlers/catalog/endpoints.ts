// Endpoints: the URLs of services in regions.
import { createEndpoint, deleteEndpoint, updateEndpoint } from '../../domain/catalog/endpoints.ts';
import { findEndpoint, listEndpoints } from '../../store/catalog/endpoints.ts';
import { endpointView } from '../../views/catalog/endpoints.ts';
import { handlersOf } from '../plain.ts';

/** The operations of /v3/endpoints. */
export const { list, show, create, update, remove } = handlersOf({
  noun: 'endpoint',
  collection: 'endpoints',
  filters: ['interface', 'service_id', 'region_id'],
  list: listEndpoints,
  find: findEndpoint,
  create: createEndpoint,
  update: updateEndpoint,
  remove: deleteEndpoint,
  view: endpointView,
});
