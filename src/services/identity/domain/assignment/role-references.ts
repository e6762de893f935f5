// Resolves roles that a request names by id or by name, for application credentials and trusts.
import { badRequest, notFound } from '../../../../kernel/errors.ts';
import { grouped } from '../../../../kernel/db/grouping.ts';
import { nameKey } from '../../store/names.ts';
import type { Role } from '../../model.ts';

/** A role by id or by name. */
export interface RoleReference {
  readonly id?: string;
  readonly name?: string;
}

/**
 * The ids of the roles that references name. An id is not looked up.
 * @throws 400 for an ambiguous name, 404 for an unknown name
 */
export function roleIdsOf(references: readonly RoleReference[], roles: readonly Role[]): string[] {
  const byName = grouped(roles, (role) => nameKey(role.name));
  return references.map(({ id, name }) => {
    if (id !== undefined) return id;
    const [role, ...others] = byName.get(nameKey(name!)) ?? [];
    if (!role) throw notFound(`Role ${name} is not defined`);
    if (others.length)
      throw badRequest(
        `There are multiple role entities named '${name}'. Please use ID instead of ` +
          'names to resolve the ambiguity.',
      );
    return role.id;
  });
}
