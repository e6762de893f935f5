// Security groups. A project sees its own and those that others share with it.
import { groupAttributes } from '../../domain/security-groups/attributes.ts';
import {
  createGroup,
  deleteGroup,
  ensureDefaultGroup,
  updateGroup,
} from '../../domain/security-groups/security-groups.ts';
import type { SecurityGroup } from '../../model.ts';
import { getGroup, visibility } from '../../domain/visibility.ts';
import { loadGroupDetails } from '../../store/details.ts';
import { groupTable } from '../../store/tables.ts';
import { groupView } from '../../views/security-groups.ts';
import { sequentially, resourceHandlers, viewsWith, type UpdatableResource } from '../resources.ts';
import { tagHandlers } from '../tags.ts';
import type { Call } from '../../../../kernel/model.ts';

/**
 * Creates the default group of the project whose groups or rules are listed, so that the list
 * contains it.
 */
export async function createDefaultGroup(call: Call): Promise<void> {
  const { query, actor } = call;
  await ensureDefaultGroup(
    call,
    query.first('project_id') ?? query.first('tenant_id') ?? actor.projectId,
  );
}

export const groupResource: UpdatableResource<SecurityGroup> = {
  map: groupAttributes,
  table: groupTable,
  visibility: visibility.group,
  sharing: true,
  get: getGroup,
  create: sequentially(createGroup),
  update: updateGroup,
  delete: deleteGroup,
  views: viewsWith(loadGroupDetails, groupView),
  beforeList: createDefaultGroup,
};

export const { list, show, create, update, remove } = resourceHandlers(groupResource);
export const tags = tagHandlers(groupResource);
