// Roles, global ones and those of a domain.
import { plainHandlers, type OperationName } from '../../../../kernel/http/plain-resource.ts';
import type { Call } from '../../../../kernel/model.ts';
import { createRole, deleteRole, newRole, updateRole } from '../../domain/assignment/roles.ts';
import type { Fields } from '../../domain/attributes.ts';
import { found } from '../../domain/refusals.ts';
import type { Role } from '../../model.ts';
import { findRole, listRoles } from '../../store/assignment/roles.ts';
import { roleView } from '../../views/assignment/roles.ts';
import { bodiesOf, ruleOf } from '../plain.ts';
import { enforce } from '../requests.ts';

/**
 * The operations of /v3/roles. A missing role is a 404 before policy is enforced, as upstream: its
 * enforcer looks the role up for the target of the rule (get_member_from_driver in api/roles.py). A
 * list has the global roles, or those of the domain in the query.
 */
export const { list, show, create, update, remove } = plainHandlers<Call, Role, Fields>({
  ...bodiesOf({ noun: 'role', collection: 'roles', filters: ['name'], view: roleView }),
  async list(call) {
    const domainId = call.query.first('domain_id') || null;
    enforce(call, domainId === null ? 'list_roles' : 'list_domain_roles');
    return (await listRoles(call.db)).filter((role) => role.domainId === domainId);
  },
  async find(call, operation) {
    const id = call.params['role_id']!;
    const role = found(await findRole(call.db, id), 'role', id);
    enforceForRole(call, operation, role);
    return role;
  },
  async create(call, fields) {
    const role = newRole(fields);
    enforceForRole(call, 'create', role);
    await createRole(call, role);
    return role;
  },
  update: updateRole,
  remove: deleteRole,
});

/** Enforces the rule for a global role, or that for a role of a domain. @throws 403 */
function enforceForRole(call: Call, operation: OperationName, role: Role): void {
  const rule = ruleOf(operation, 'role');
  enforce(call, role.domainId ? rule.replace('_role', '_domain_role') : rule, { role });
}
