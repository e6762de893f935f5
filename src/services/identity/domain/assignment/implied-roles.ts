// Implied roles: a user with the prior role also has the implied role. Upstream:
// keystone/api/roles.py.
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { grouped } from '../../../../kernel/db/grouping.ts';
import { notFound } from '../../../../kernel/errors.ts';
import {
  deleteImplication,
  hasImplication,
  insertImplication,
  listImplications,
  listRoles,
} from '../../store/assignment/roles.ts';
import type { Role } from '../../model.ts';
import { duplicateEntry, forbiddenWithoutReason, refuseOnDuplicate } from '../refusals.ts';
import type { Context } from '../../../../kernel/model.ts';

/** Roles that no role may imply. Upstream: [assignment] prohibited_implied_role. */
const prohibitedImpliedRoles = ['admin'];

/** A prior role and a role that it implies or is to imply. */
export interface RolePair {
  readonly prior: Role;
  readonly implied: Role;
}

/** A prior role and all roles that it implies directly. */
export interface Inference {
  readonly prior: Role;
  readonly implied: readonly Role[];
}

/** The roles that a role implies directly. */
export async function inferenceOf({ db }: Context, prior: Role): Promise<Inference> {
  const all = await listInferences({ db });
  return all.find((inference) => inference.prior.id === prior.id) ?? { prior, implied: [] };
}

/** The roles that each role implies directly, without the roles that imply none. */
export async function listInferences({ db }: Pick<Context, 'db'>): Promise<Inference[]> {
  const roles = await listRoles(db);
  const order = new Map(roles.map((role, index) => [role.id, index]));
  const steps = grouped(await listImplications(db), ({ priorId }) => priorId);
  return roles.flatMap((prior) => {
    const indexes = (steps.get(prior.id) ?? []).map(({ impliedId }) => order.get(impliedId)!);
    const implied = indexes.toSorted((one, other) => one - other).map((index) => roles[index]!);
    return implied.length ? [{ prior, implied }] : [];
  });
}

/** Makes one role imply another. @throws 403 for a role that must not be implied, 409 */
export async function createImplication(
  { db }: Context,
  { prior, implied }: RolePair,
): Promise<void> {
  if (
    prohibitedImpliedRoles.includes(implied.name) ||
    (prior.domainId === null && implied.domainId !== null)
  )
    throw forbiddenWithoutReason();
  await refuseOnDuplicate(insertImplication(db, { priorId: prior.id, impliedId: implied.id }), () =>
    duplicateEntry('implied_role'),
  );
  await bumpAuthRevision(db);
}

/** @throws 404 if the prior role does not imply the other role directly */
export async function checkImplication(
  { db }: Context,
  { prior, implied }: RolePair,
): Promise<void> {
  if (!(await hasImplication(db, { priorId: prior.id, impliedId: implied.id })))
    throw doesNotImply(prior, implied);
}

/** Deletes an implication. @throws 404 */
export async function removeImplication(
  { db }: Context,
  { prior, implied }: RolePair,
): Promise<void> {
  if (!(await deleteImplication(db, { priorId: prior.id, impliedId: implied.id })))
    throw doesNotImply(prior, implied);
  await bumpAuthRevision(db);
}

const doesNotImply = (prior: Role, implied: Role) =>
  notFound(`${prior.id} does not imply ${implied.id}.`);
