// The endpoint group that new projects are associated with, so that their catalogs show the same
// endpoints as those of the other tenants. Upstream's filters apply to projects that exist: an
// operator associates each new project with its groups.
import { idFor } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import {
  associate,
  findEndpointGroup,
  insertEndpointGroup,
  isAssociated,
} from '../../store/catalog/endpoint-filters.ts';
import { listProjects } from '../../store/resource/projects.ts';
import type { Project } from '../../model.ts';
import { seededId } from '../seeded-ids.ts';
import { identitySettings, loadSettings } from '../settings.ts';

/** Associates a new project with the default endpoint group, if that exists. */
export async function associateWithDefaultGroup({ db }: Context, projectId: string): Promise<void> {
  const { defaultEndpointGroup: groupId } = await loadSettings({ db });
  if (groupId === null || !(await findEndpointGroup(db, groupId))) return;
  await associate(db, projectId, { groupId });
}

/**
 * Creates an endpoint group with the endpoints of a region, makes it the default, and associates
 * it with all projects except those of administrators and services. What exists already stays.
 */
export async function limitToRegion({ db }: Context, region: string): Promise<void> {
  const groupId = idFor(`identity.endpoint_group.${region}`);
  if (!(await findEndpointGroup(db, groupId)))
    await insertEndpointGroup(db, {
      id: groupId,
      name: region,
      description: `The endpoints of ${region}, which are all that tenants see.`,
      filters: { region_id: region },
    });
  await identitySettings.change(db, { default_endpoint_group: groupId });
  for (const { id, isDomain } of await listProjects(db, {}))
    if (!isDomain && !unlimited.has(id) && !(await isAssociated(db, id, { groupId })))
      await associate(db, id, { groupId });
}

/** The projects whose catalogs show all regions. */
const unlimited: ReadonlySet<Project['id']> = new Set(
  ['admin', 'service'].map((name) => seededId('project', name)),
);
