// Creates, updates and deletes regions of the catalog, which can have a parent region. Upstream:
// keystone/catalog/core.py.
import { badRequest, conflict, forbidden } from '../../../../kernel/errors.ts';
import { grouped } from '../../../../kernel/db/grouping.ts';
import { listEndpoints } from '../../store/catalog/endpoints.ts';
import * as store from '../../store/catalog/regions.ts';
import { deleteAssociationsOf } from '../../store/policy/policies.ts';
import { extraOf, nullableText, refuseIdChange, updatedText, type Fields } from '../attributes.ts';
import type { CatalogRegion } from '../../model.ts';
import { found, refuseOnDuplicate } from '../refusals.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Context } from '../../../../kernel/model.ts';

const apiAttributes = ['id', 'description', 'parent_region_id', 'links'];

/** Creates a region. @throws 400, 404 for an unknown parent, 409 */
export async function createRegion(
  { db }: Context,
  id: string,
  fields: Fields,
): Promise<CatalogRegion> {
  const region: CatalogRegion = {
    id,
    description: nullableText(fields, 'description') ?? '',
    parentId: nullableText(fields, 'parent_region_id') ?? null,
    extra: extraOf(fields, apiAttributes),
  };
  const taken = () =>
    conflict(`Conflict occurred attempting to store region - Duplicate ID, ${id}..`);
  if (await store.findRegion(db, id)) throw taken();
  await checkParent(db, region);
  await refuseOnDuplicate(store.insertRegion(db, region), taken);
  return region;
}

/** Updates a region. @throws 400, 404 for an unknown parent */
export async function updateRegion(
  { db }: Context,
  region: CatalogRegion,
  fields: Fields,
): Promise<CatalogRegion> {
  refuseIdChange(fields, region);
  const next: CatalogRegion = {
    ...region,
    description:
      'description' in fields
        ? ((fields['description'] as string | null) ?? '')
        : region.description,
    parentId: updatedText(fields, 'parent_region_id', region.parentId),
    extra: { ...region.extra, ...extraOf(fields, apiAttributes) },
  };
  await checkParent(db, next);
  await store.updateRegion(db, next);
  return next;
}

/**
 * Checks the parent of a region.
 * @throws 404 if the parent does not exist, 400 if it is the region itself or below it
 */
async function checkParent(db: Db, region: Pick<CatalogRegion, 'id' | 'parentId'>): Promise<void> {
  let ancestorId = region.parentId;
  while (ancestorId !== null) {
    if (ancestorId === region.id) {
      throw badRequest(
        `The specified parent region ${region.parentId} would create a circular region hierarchy.`,
      );
    }
    ancestorId = found(await store.findRegion(db, ancestorId), 'region', ancestorId).parentId;
  }
}

/** Deletes a region and its child regions. @throws 403 if one of them has endpoints */
export async function deleteRegion({ db }: Context, { id }: CatalogRegion): Promise<void> {
  const children = grouped(await store.listRegions(db), (region) => region.parentId);
  const descendantIds = (parentId: string): string[] =>
    (children.get(parentId) ?? []).flatMap((region) => [...descendantIds(region.id), region.id]);
  const ids = [...descendantIds(id), id];
  const used = new Set((await listEndpoints(db)).map((endpoint) => endpoint.regionId));
  if (ids.some((regionId) => used.has(regionId))) {
    throw forbidden(
      `Unable to delete region ${id} because it or its child regions have associated endpoints.`,
    );
  }
  for (const regionId of ids) await deleteAssociationsOf(db, { regionId });
  for (const regionId of ids) await store.deleteRegion(db, regionId);
}
