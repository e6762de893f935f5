// Roles: the names that rules ask for.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { isDuplicate } from '../../../../kernel/db/errors.ts';
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { badRequest } from '../../../../kernel/fault.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import { checkImmutable } from '../../domain/resource/projects.ts';
import type { Role } from '../../domain/records.ts';
import { checkLength, duplicate, found, refuseImmutable } from '../../domain/refusals.ts';
import { findProject } from '../../store/resource/projects.ts';
import { listAssignments } from '../../store/assignment/assignments.ts';
import { deleteApplicationCredentialsOf } from '../../store/application-credential/application-credentials.ts';
import { deleteRole, findRole, insertRole, listRoles, updateRole } from '../../store/assignment/roles.ts';
import { listReply } from '../../views/links.ts';
import { roleView } from '../../views/assignment/roles.ts';
import { allow, bodyOf, extraOf, mergedOptions, normalized, refuseMove, textOf } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

const known = ['id', 'name', 'domain_id', 'description', 'options', 'links'];

/** GET /v3/roles; those of a domain only where it is named. */
export async function list(call: Call): Promise<Reply> {
  const domainId = call.query.first('domain_id') || null;
  allow(call, domainId === null ? 'list_roles' : 'list_domain_roles');
  const roles = (await listRoles(call.db)).filter((role) => role.domainId === domainId);
  return listReply(
    call,
    'roles',
    roles.map((role) => roleView(call, role)),
    ['name'],
  );
}

/** POST /v3/roles */
export async function create(call: Call): Promise<Reply> {
  const fields = normalized(bodyOf(call, 'role'));
  const domainId = (fields['domain_id'] as string | null | undefined) ?? null;
  allow(call, domainId === null ? 'create_role' : 'create_domain_role', { role: { name: textOf(fields, 'name'), domainId } });
  const role: Role = {
    id: newHexId(),
    name: textOf(fields, 'name'),
    domainId,
    description: (fields['description'] as string | null | undefined) ?? null,
    options: mergedOptions({}, fields['options']),
    extra: extraOf(fields, known),
  };
  if (domainId !== null) {
    const domain = await findProject(call.db, domainId);
    found(domain?.isDomain ? domain : undefined, 'domain', domainId);
  }
  await unique(role, () => insertRole(call.db, role));
  return created({ role: roleView(call, role) });
}

/** GET /v3/roles/{role_id} */
export async function show(call: Call): Promise<Reply> {
  const role = await target(call, 'get');
  return ok({ role: roleView(call, role) });
}

/** PATCH /v3/roles/{role_id} */
export async function update(call: Call): Promise<Reply> {
  const role = await target(call, 'update');
  const fields = bodyOf(call, 'role');
  refuseMove(fields, { id: role.id });
  checkImmutable('role', role, fields);
  if ('domain_id' in fields && fields['domain_id'] !== role.domainId) throw badRequest('Update of `domain_id` is not allowed.');
  const next: Role = {
    ...role,
    name: 'name' in fields ? textOf(fields, 'name') : role.name,
    description: 'description' in fields ? (fields['description'] as string | null) : role.description,
    options: mergedOptions(role.options, fields['options']),
    extra: { ...role.extra, ...extraOf(fields, known) },
  };
  await unique(next, () => updateRole(call.db, next));
  await bumpAuthRevision(call.db);
  return ok({ role: roleView(call, next) });
}

/** DELETE /v3/roles/{role_id}; application credentials of those who had it go too. */
export async function remove(call: Call): Promise<Reply> {
  const role = await target(call, 'delete');
  if (role.options['immutable']) throw refuseImmutable('role', role.id, 'delete');
  for (const one of await listAssignments(call.db, { roleId: role.id, actorType: 'user', targetType: 'project' })) {
    await deleteApplicationCredentialsOf(call.db, one.actorId, one.targetId);
  }
  await deleteRole(call.db, role.id);
  await bumpAuthRevision(call.db);
  return noContent();
}

async function target(call: Call, verb: string): Promise<Role> {
  const id = call.params['role_id']!;
  const role = await findRole(call.db, id);
  allow(call, role?.domainId ? `${verb}_domain_role` : `${verb}_role`, { role });
  return found(role, 'role', id);
}

async function unique(role: Role, write: () => Promise<void>): Promise<void> {
  checkLength('description', role.description, 255);
  try {
    await write();
  } catch (error) {
    throw isDuplicate(error) ? duplicate('role', role.name, role.domainId) : error;
  }
}
