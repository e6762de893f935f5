// Turning a list request into the listing that a store reads: whose resources, and after which row.
import type { Context } from '../../../kernel/model.ts';
import type { ColumnValues, Listing, ListRequest } from '../store/lists.ts';

/**
 * The listing for a request: of the actor's project, or of all projects where an administrator asks
 * for `all_tenants`. `rowOf` finds the row of the marker, or throws.
 */
export async function listingFor(
  { actor }: Context,
  { marker, allTenants, withCount: _, ...request }: ListRequest,
  rowOf: (marker: string) => Promise<ColumnValues>,
): Promise<Listing> {
  const projectId = allTenants ? undefined : (actor.projectId ?? '');
  return { ...request, projectId, after: marker === undefined ? undefined : await rowOf(marker) };
}
