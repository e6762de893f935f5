// Security groups, which are shown to who owns them.
import { groupAttributes } from '../domain/security-groups/attributes.ts';
import {
  createGroup,
  deleteGroup,
  ensureDefaultGroup,
  updateGroup,
} from '../domain/security-groups/security-groups.ts';
import type { SecurityGroup } from '../model.ts';
import { getGroup, visibility } from '../domain/visibility.ts';
import { loadGroupDetails } from '../store/details.ts';
import { groupTable } from '../store/tables.ts';
import { groupView } from '../views/security-groups.ts';
import { each, resourceHandlers, shown, type UpdatableResource } from './resources.ts';
import { tagHandlers } from './tags.ts';
import type { Call } from '../../../kernel/model.ts';

/**
 * A list of the groups or rules of a project has those of its default group, which is created then.
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
  visibility: visibility.own,
  get: getGroup,
  create: each(createGroup),
  update: updateGroup,
  delete: deleteGroup,
  views: shown(loadGroupDetails, groupView),
  beforeList: createDefaultGroup,
};

export const { list, show, create, update, remove } = resourceHandlers(groupResource);
export const tags = tagHandlers(groupResource);
