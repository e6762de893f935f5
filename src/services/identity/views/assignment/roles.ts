// Roles and implied roles in the format of the API.
import type { Inference, RolePair } from '../../domain/assignment/implied-roles.ts';
import type { Role } from '../../model.ts';
import { linkTo, type View } from '../links.ts';
import type { Call } from '../../../../kernel/model.ts';

export function roleView(call: Call, role: Role): View {
  return { ...plainRoleView(role), links: { self: linkTo(call, `roles/${role.id}`) } };
}

/** A role within another resource, without links. */
export const plainRoleView = (role: Role): View => ({
  ...role.extra,
  id: role.id,
  name: role.name,
  domain_id: role.domainId,
  description: role.description,
  options: role.options,
});

/** A role within an inference. */
const roleReference = (call: Call, role: Role): View => ({
  id: role.id,
  name: role.name,
  links: { self: linkTo(call, `roles/${role.id}`) },
});

/** A prior role with all the roles that it implies. */
export const inferenceView = (call: Call, { prior, implied }: Inference): object => ({
  prior_role: roleReference(call, prior),
  implies: implied.map((role) => roleReference(call, role)),
});

/** A prior role with one of the roles that it implies. */
export const rolePairView = (call: Call, { prior, implied }: RolePair): object => ({
  role_inference: { prior_role: roleReference(call, prior), implies: roleReference(call, implied) },
  links: { self: linkTo(call, `roles/${prior.id}/implies/${implied.id}`) },
});
