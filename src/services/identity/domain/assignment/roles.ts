// Creates, updates and deletes roles. Upstream: keystone/api/roles.py and assignment/core.py.
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { badRequest } from '../../../../kernel/errors.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import { deleteApplicationCredentialsOf } from '../../store/application-credential/application-credentials.ts';
import { listAssignments } from '../../store/assignment/assignments.ts';
import * as store from '../../store/assignment/roles.ts';
import {
  extraOf,
  mergedOptions,
  nullableText,
  refuseIdChange,
  textOf,
  updatedText,
  type Fields,
} from '../attributes.ts';
import type { Role } from '../../model.ts';
import {
  checkImmutable,
  checkLength,
  duplicate,
  refuseImmutable,
  refuseOnDuplicate,
} from '../refusals.ts';
import { requireDomain } from '../resource/project-tree.ts';
import type { Context } from '../../../../kernel/model.ts';

const apiAttributes = ['id', 'name', 'domain_id', 'description', 'options', 'links'];

/** The role in a request, which is not stored yet. */
export const newRole = (fields: Fields): Role => ({
  id: newHexId(),
  name: textOf(fields, 'name'),
  domainId: nullableText(fields, 'domain_id') ?? null,
  description: nullableText(fields, 'description') ?? null,
  options: mergedOptions({}, fields['options']),
  extra: extraOf(fields, apiAttributes),
});

/** Stores a new role. @throws 400, 404 for an unknown domain, 409 */
export async function createRole({ db }: Context, role: Role): Promise<void> {
  if (role.domainId !== null) await requireDomain(db, role.domainId);
  checkLength('description', role.description, 255);
  await refuseOnDuplicate(store.insertRole(db, role), () => duplicateName(role));
}

/** Updates a role. @throws 400, 403 if it is immutable, 409 */
export async function updateRole({ db }: Context, role: Role, fields: Fields): Promise<Role> {
  refuseIdChange(fields, { id: role.id });
  checkImmutable('role', role, fields);
  if ('domain_id' in fields && fields['domain_id'] !== role.domainId)
    throw badRequest('Update of `domain_id` is not allowed.');
  const next: Role = {
    ...role,
    name: 'name' in fields ? textOf(fields, 'name') : role.name,
    description: updatedText(fields, 'description', role.description),
    options: mergedOptions(role.options, fields['options']),
    extra: { ...role.extra, ...extraOf(fields, apiAttributes) },
  };
  checkLength('description', next.description, 255);
  await refuseOnDuplicate(store.updateRole(db, next), () => duplicateName(next));
  await bumpAuthRevision(db);
  return next;
}

const duplicateName = (role: Role) => duplicate('role', role.name, role.domainId);

/**
 * Deletes a role, and the application credentials of the users who had it on a project.
 * @throws 403 if it is immutable
 */
export async function deleteRole({ db }: Context, role: Role): Promise<void> {
  if (role.options['immutable']) throw refuseImmutable('role', role.id, 'delete');
  for (const assignment of await listAssignments(db, {
    roleId: role.id,
    actorType: 'user',
    targetType: 'project',
  })) {
    await deleteApplicationCredentialsOf(db, assignment.actorId, assignment.targetId);
  }
  await store.deleteRole(db, role.id);
  await bumpAuthRevision(db);
}
