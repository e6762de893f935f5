// Floating IPs. A project sees its own.
import {
  createFloatingip,
  deleteFloatingip,
  updateFloatingip,
} from '../domain/routers/floatingips.ts';
import { floatingipAttributes } from '../domain/routers/floatingip-attributes.ts';
import { reportFloatingip } from '../domain/ports/server-events.ts';
import type { Floatingip } from '../model.ts';
import { getFloatingip, visibility } from '../domain/visibility.ts';
import { loadFloatingipDetails } from '../store/details.ts';
import { floatingipTable } from '../store/tables.ts';
import { floatingipView } from '../views/routers.ts';
import { sequentially, resourceHandlers, viewsWith, type UpdatableResource } from './resources.ts';
import { tagHandlers } from './tags.ts';

export const floatingipResource: UpdatableResource<Floatingip> = {
  map: floatingipAttributes,
  table: floatingipTable,
  visibility: visibility.own,
  get: getFloatingip,
  create: sequentially(async (context, fields) => {
    const floating = await createFloatingip(context, fields);
    await reportFloatingip(context, null, floating.port_id);
    return floating;
  }),
  async update(context, floating, fields) {
    const updated = await updateFloatingip(context, floating, fields);
    await reportFloatingip(context, floating.port_id, updated.port_id);
    return updated;
  },
  async delete(context, floating) {
    await deleteFloatingip(context, floating);
    await reportFloatingip(context, floating.port_id, null);
  },
  views: viewsWith(loadFloatingipDetails, floatingipView),
};

export const { list, show, create, update, remove } = resourceHandlers(floatingipResource);
export const tags = tagHandlers(floatingipResource);
