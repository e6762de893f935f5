// Completes a list request for the store, with the project and the last record of the previous
// page.
import type { Context } from '../../../kernel/model.ts';
import type { ListRequest, Page } from '../store/lists.ts';

/**
 * Returns the page that a request asks for: of the actor's project, or of all projects if an
 * administrator sends `all_tenants`. `findRecord` finds the marker's record, or throws.
 */
export async function pageFor<T>(
  { actor }: Context,
  { marker, allTenants, withCount: _, ...request }: ListRequest<T>,
  findRecord: (marker: string) => Promise<NoInfer<T>>,
): Promise<Page<T>> {
  return {
    ...request,
    projectId: allTenants ? undefined : (actor.projectId ?? ''),
    after: marker === undefined ? undefined : await findRecord(marker),
  };
}
