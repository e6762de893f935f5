// Regions of the catalog.
import { badRequest } from '../../../../kernel/errors.ts';
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import { normalized, textOf } from '../../domain/attributes.ts';
import { createRegion, deleteRegion, updateRegion } from '../../domain/catalog/regions.ts';
import type { CatalogRegion } from '../../model.ts';
import { found } from '../../domain/refusals.ts';
import { findRegion, listRegions } from '../../store/catalog/regions.ts';
import { regionView } from '../../views/catalog/regions.ts';
import { listReply } from '../lists.ts';
import { allow, bodyOf } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** GET /v3/regions */
export async function list(call: Call): Promise<Reply> {
  allow(call, 'list_regions');
  const views = (await listRegions(call.db)).map((region) => regionView(call, region));
  return listReply(call, 'regions', views, ['parent_region_id']);
}

/** POST /v3/regions */
export async function create(call: Call): Promise<Reply> {
  allow(call, 'create_region');
  const fields = normalized(bodyOf(call, 'region'));
  const region = await createRegion(
    call,
    (fields['id'] as string | null | undefined) || newHexId(),
    fields,
  );
  return created({ region: regionView(call, region) });
}

/** PUT /v3/regions/{region_id} */
export async function createById(call: Call): Promise<Reply> {
  allow(call, 'create_region');
  const fields = normalized(bodyOf(call, 'region'));
  const id = call.params['region_id']!;
  if ('id' in fields && fields['id'] !== id)
    throw badRequest(`Conflicting region IDs specified: "${id}" != "${textOf(fields, 'id')}"`);
  return created({ region: regionView(call, await createRegion(call, id, fields)) });
}

/** GET /v3/regions/{region_id} */
export async function show(call: Call): Promise<Reply> {
  return ok({ region: regionView(call, await target(call, 'get_region')) });
}

/** PATCH /v3/regions/{region_id} */
export async function update(call: Call): Promise<Reply> {
  const region = await updateRegion(
    call,
    await target(call, 'update_region'),
    bodyOf(call, 'region'),
  );
  return ok({ region: regionView(call, region) });
}

/** DELETE /v3/regions/{region_id} */
export async function remove(call: Call): Promise<Reply> {
  await deleteRegion(call, (await target(call, 'delete_region')).id);
  return noContent();
}

async function target(call: Call, rule: string): Promise<CatalogRegion> {
  allow(call, rule);
  const id = call.params['region_id']!;
  return found(await findRegion(call.db, id), 'region', id);
}
