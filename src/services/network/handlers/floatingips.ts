// Floating IPs, which are shown to who owns them.
import {
  createFloatingip,
  deleteFloatingip,
  updateFloatingip,
} from '../domain/routers/floatingips.ts';
import { floatingipAttributes } from '../domain/routers/floatingip-attributes.ts';
import type { Floatingip } from '../model.ts';
import { getFloatingip, visibility } from '../domain/visibility.ts';
import { loadFloatingipDetails } from '../store/details.ts';
import { floatingipTable } from '../store/tables.ts';
import { floatingipView } from '../views/routers.ts';
import { each, resourceHandlers, shown, type UpdatableResource } from './resources.ts';
import { tagHandlers } from './tags.ts';

export const floatingipResource: UpdatableResource<Floatingip> = {
  map: floatingipAttributes,
  table: floatingipTable,
  visibility: visibility.own,
  get: getFloatingip,
  create: each(createFloatingip),
  update: updateFloatingip,
  delete: deleteFloatingip,
  views: shown(loadFloatingipDetails, floatingipView),
};

export const { list, show, create, update, remove } = resourceHandlers(floatingipResource);
export const tags = tagHandlers(floatingipResource);
