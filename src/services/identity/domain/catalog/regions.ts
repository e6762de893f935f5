// The rules for the catalog: which URLs it takes, and how regions stand to each other.
import { badRequest, forbidden } from '../../../../kernel/fault.ts';
import { deleteRegion, findRegion, listEndpoints, listRegions } from '../../store/catalog/catalog.ts';
import { forgetPolicyPlaces } from '../../store/policy/policies.ts';
import type { CatalogRegion } from '../records.ts';
import { found } from '../refusals.ts';
import type { Db } from '../../../../kernel/db/database.ts';

const substitutions = ['cumulet_origin', 'tenant_id', 'project_id', 'user_id', 'public_bind_host', 'admin_bind_host', 'compute_host', 'admin_port', 'public_port', 'public_endpoint', 'admin_endpoint']; // prettier-ignore

/** @throws 400 for a URL with a substitution that there is not, or with a half one */
export function checkUrl(url: string): void {
  const rest = url
    .replace(/[$%]\((\w+)\)s/g, (all, name: string) => (substitutions.includes(name) ? '' : all))
    .replaceAll('%%', '');
  if (/%|\$\(/.test(rest)) throw badRequest(`Cannot create an endpoint with an invalid URL: ${url}.`);
}

/** Checks what a region is to stand below. @throws 404 where that is not there, 400 where it is the region itself or below it */
export async function checkParent(db: Db, region: Pick<CatalogRegion, 'id' | 'parentId'>): Promise<void> {
  let above = region.parentId;
  while (above !== null) {
    if (above === region.id) {
      throw badRequest(`The specified parent region ${region.parentId} would create a circular region hierarchy.`);
    }
    above = found(await findRegion(db, above), 'region', above).parentId;
  }
}

/** Deletes a region and those below it. @throws 403 where one of them has endpoints */
export async function removeRegion(db: Db, id: string): Promise<void> {
  const all = await listRegions(db);
  const below = (parent: string): string[] =>
    all.filter((one) => one.parentId === parent).flatMap((one) => [...below(one.id), one.id]);
  const ids = [...below(id), id];
  const used = new Set((await listEndpoints(db)).map((endpoint) => endpoint.regionId));
  if (ids.some((one) => used.has(one))) {
    throw forbidden(`Unable to delete region ${id} because it or its child regions have associated endpoints.`);
  }
  for (const one of ids) await forgetPolicyPlaces(db, { regionId: one });
  for (const one of ids) await deleteRegion(db, one);
}
