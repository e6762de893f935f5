// Roles: listed, shown, created, updated and deleted.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { createRole, deleteRole, newRole, updateRole } from '../../domain/assignment/roles.ts';
import { normalized } from '../../domain/attributes.ts';
import type { Role } from '../../model.ts';
import { found } from '../../domain/refusals.ts';
import { findRole, listRoles } from '../../store/assignment/roles.ts';
import { roleView } from '../../views/assignment/roles.ts';
import { listReply } from '../lists.ts';
import { allow, bodyOf } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** GET /v3/roles; global roles, or those of the domain in the query. */
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
  const role = newRole(normalized(bodyOf(call, 'role')));
  allow(call, role.domainId === null ? 'create_role' : 'create_domain_role', { role });
  await createRole(call, role);
  return created({ role: roleView(call, role) });
}

/** GET /v3/roles/{role_id} */
export async function show(call: Call): Promise<Reply> {
  return ok({ role: roleView(call, await target(call, 'get')) });
}

/** PATCH /v3/roles/{role_id} */
export async function update(call: Call): Promise<Reply> {
  const role = await updateRole(call, await target(call, 'update'), bodyOf(call, 'role'));
  return ok({ role: roleView(call, role) });
}

/** DELETE /v3/roles/{role_id} */
export async function remove(call: Call): Promise<Reply> {
  await deleteRole(call, await target(call, 'delete'));
  return noContent();
}

async function target(call: Call, verb: string): Promise<Role> {
  const id = call.params['role_id']!;
  const role = await findRole(call.db, id);
  allow(call, role?.domainId ? `${verb}_domain_role` : `${verb}_role`, { role });
  return found(role, 'role', id);
}
