// Service profiles, which only administrators see.
import { profileAttributes } from '../../domain/flavors/attributes.ts';
import {
  createServiceProfile,
  deleteServiceProfile,
  updateServiceProfile,
} from '../../domain/flavors/flavors.ts';
import { getServiceProfile, visibility } from '../../domain/visibility.ts';
import type { ServiceProfile } from '../../model.ts';
import { serviceProfileTable } from '../../store/tables.ts';
import { plainView } from '../../views/view.ts';
import { resourceHandlers, sequentially, type UpdatableResource } from '../resources.ts';

export const serviceProfileResource: UpdatableResource<ServiceProfile> = {
  map: profileAttributes,
  table: serviceProfileTable,
  visibility: visibility.all,
  unknownMarkers: 'ignored',
  get: getServiceProfile,
  create: sequentially(createServiceProfile),
  update: updateServiceProfile,
  delete: deleteServiceProfile,
  views: (_db, profiles) => Promise.resolve(profiles.map(plainView)),
};

export const { list, show, create, update, remove } = resourceHandlers(serviceProfileResource);
