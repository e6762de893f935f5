// Roles and implications as a client sees them.
import type { Role } from '../../domain/records.ts';
import { linkTo, type View } from '../links.ts';
import type { Call } from '../../../../kernel/model.ts';

export function roleView(call: Call, role: Role): View {
  return { ...plainRoleView(role), links: { self: linkTo(call, `roles/${role.id}`) } };
}

/** A role inside something else. */
export const plainRoleView = (role: Role): View => ({
  ...role.extra,
  id: role.id,
  name: role.name,
  domain_id: role.domainId,
  description: role.description,
  options: role.options,
});

/** A role in an implication. */
export const roleReference = (call: Call, role: Role): View => ({
  id: role.id,
  name: role.name,
  links: { self: linkTo(call, `roles/${role.id}`) },
});
