// Services in the catalog.
import { createService, deleteService, updateService } from '../../domain/catalog/services.ts';
import { findService, listServices } from '../../store/catalog/services.ts';
import { serviceView } from '../../views/catalog/services.ts';
import { handlersOf } from '../plain.ts';

/** The operations of /v3/services. Deleting a service deletes its endpoints. */
export const { list, show, create, update, remove } = handlersOf({
  noun: 'service',
  collection: 'services',
  filters: ['type', 'name'],
  list: listServices,
  find: findService,
  create: createService,
  update: updateService,
  remove: deleteService,
  view: serviceView,
});
