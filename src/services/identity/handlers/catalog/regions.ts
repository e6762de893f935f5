// Regions: where services stand.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { badRequest, conflict } from '../../../../kernel/fault.ts';
import { isDuplicate } from '../../../../kernel/db/errors.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import { checkParent, removeRegion } from '../../domain/catalog/regions.ts';
import type { CatalogRegion } from '../../domain/records.ts';
import { found } from '../../domain/refusals.ts';
import { findRegion, insertRegion, listRegions, updateRegion } from '../../store/catalog/catalog.ts';
import { regionView } from '../../views/catalog/catalog.ts';
import { listReply } from '../../views/links.ts';
import { allow, bodyOf, extraOf, type Fields, normalized, refuseMove, textOf } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

const known = ['id', 'description', 'parent_region_id', 'links'];

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
  return add(call, (fields['id'] as string | null | undefined) || newHexId(), fields);
}

/** PUT /v3/regions/{region_id} */
export async function createById(call: Call): Promise<Reply> {
  allow(call, 'create_region');
  const fields = normalized(bodyOf(call, 'region'));
  const id = call.params['region_id']!;
  if ('id' in fields && fields['id'] !== id)
    throw badRequest(`Conflicting region IDs specified: "${id}" != "${textOf(fields, 'id')}"`);
  return add(call, id, fields);
}

async function add(call: Call, id: string, fields: Fields): Promise<Reply> {
  const region: CatalogRegion = {
    id,
    description: (fields['description'] as string | null | undefined) ?? '',
    parentId: (fields['parent_region_id'] as string | null | undefined) ?? null,
    extra: extraOf(fields, known),
  };
  const taken = conflict(`Conflict occurred attempting to store region - Duplicate ID, ${id}..`);
  if (await findRegion(call.db, id)) throw taken;
  await checkParent(call.db, region);
  try {
    await insertRegion(call.db, region);
  } catch (error) {
    throw isDuplicate(error) ? taken : error;
  }
  return created({ region: regionView(call, region) });
}

/** GET /v3/regions/{region_id} */
export async function show(call: Call): Promise<Reply> {
  const region = await target(call, 'get_region');
  return ok({ region: regionView(call, region) });
}

/** PATCH /v3/regions/{region_id} */
export async function update(call: Call): Promise<Reply> {
  const region = await target(call, 'update_region');
  const fields = bodyOf(call, 'region');
  refuseMove(fields, region);
  const next: CatalogRegion = {
    ...region,
    description: 'description' in fields ? ((fields['description'] as string | null) ?? '') : region.description,
    parentId: 'parent_region_id' in fields ? (fields['parent_region_id'] as string | null) : region.parentId,
    extra: { ...region.extra, ...extraOf(fields, known) },
  };
  await checkParent(call.db, next);
  await updateRegion(call.db, next);
  return ok({ region: regionView(call, next) });
}

/** DELETE /v3/regions/{region_id} */
export async function remove(call: Call): Promise<Reply> {
  await removeRegion(call.db, (await target(call, 'delete_region')).id);
  return noContent();
}

async function target(call: Call, rule: string): Promise<CatalogRegion> {
  allow(call, rule);
  const id = call.params['region_id']!;
  return found(await findRegion(call.db, id), 'region', id);
}
