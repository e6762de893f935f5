// Resolves roles that a request names by id or by name, for application credentials and trusts.
import { badRequest, notFound } from '../../../../kernel/errors.ts';
import { nameKey } from '../../store/names.ts';
import type { Role } from '../../model.ts';

/** A role by id or by name. */
export interface RoleReference {
  readonly id?: string;
  readonly name?: string;
}

/**
 * The id of the role that a reference names. An id is not looked up.
 * @throws 400 for an ambiguous name, 404 for an unknown name
 */
export const roleIdOf = ({ id, name }: RoleReference, roles: readonly Role[]): string =>
  id ?? roleIdNamed(name!, roles);

function roleIdNamed(name: string, roles: readonly Role[]): string {
  const named = roles.filter((role) => nameKey(role.name) === nameKey(name));
  if (!named.length) throw notFound(`Role ${name} is not defined`);
  if (named.length > 1)
    throw badRequest(
      `There are multiple role entities named '${name}'. Please use ID instead of ` +
        'names to resolve the ambiguity.',
    );
  return named[0]!.id;
}
