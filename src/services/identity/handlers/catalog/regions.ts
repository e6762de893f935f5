// Regions of the catalog.
import { badRequest } from '../../../../kernel/errors.ts';
import { created } from '../../../../kernel/http/reply.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';
import { normalized, nullableText, textOf } from '../../domain/attributes.ts';
import { createRegion, deleteRegion, updateRegion } from '../../domain/catalog/regions.ts';
import { findRegion, listRegions } from '../../store/catalog/regions.ts';
import { regionView } from '../../views/catalog/regions.ts';
import { handlersOf } from '../plain.ts';
import { bodyOf, enforce } from '../requests.ts';

/** The operations of /v3/regions. */
export const { list, show, create, update, remove } = handlersOf({
  noun: 'region',
  collection: 'regions',
  filters: ['parent_region_id'],
  list: listRegions,
  find: findRegion,
  create: (context, fields) =>
    createRegion(context, nullableText(fields, 'id') || newHexId(), fields),
  update: updateRegion,
  remove: deleteRegion,
  view: regionView,
});

/** PUT /v3/regions/{region_id} */
export async function createById(call: Call): Promise<Reply> {
  enforce(call, 'create_region');
  const fields = normalized(bodyOf(call, 'region'));
  const id = call.params['region_id']!;
  if ('id' in fields && fields['id'] !== id)
    throw badRequest(`Conflicting region IDs specified: "${id}" != "${textOf(fields, 'id')}"`);
  return created({ region: regionView(call, await createRegion(call, id, fields)) });
}
