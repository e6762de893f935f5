// The rules for trusts: whether one holds, and how it may be passed on. Upstream: trust/core.py and api/trusts.py.
import type { Micros } from '../../../../kernel/clock.ts';
import { badRequest } from '../../../../kernel/fault.ts';
import { findProject } from '../../store/resource/projects.ts';
import { listRoles } from '../../store/assignment/roles.ts';
import { deleteTrust, findTrust, listTrusts } from '../../store/trust/trusts.ts';
import { findUser } from '../../store/identity/users.ts';
import { idOf, type AskedRole } from '../application-credential/application-credentials.ts';
import type { Trust } from '../records.ts';
import { forbiddenAction, forbiddenPlainly, found, missing } from '../refusals.ts';
import { roleIdsIn } from '../assignment/effective-roles.ts';
import type { Token } from '../auth/tokens.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** How often a trust may be passed on at the most. Upstream: [trust] max_redelegation_count. */
const deepest = 3;

/** Tokens of application credentials have nothing to do with trusts, also not those of unrestricted ones. @throws 403 */
export function refuseApplicationCredential(token: Token | undefined): void {
  if (token?.methods.includes('application_credential')) {
    throw forbiddenAction("Using method 'application_credential' is not allowed for managing trusts.");
  }
}

/** A trust that holds: neither expired nor used up, and so those that it passes on. @throws 404, 403 */
export async function validTrust(db: Db, id: string, now: Micros): Promise<Trust> {
  const trust = await usableTrust(db, id, now);
  await checkChain(db, trust, now);
  return trust;
}

async function usableTrust(db: Db, id: string, now: Micros): Promise<Trust> {
  const trust = await findTrust(db, id);
  return found(trust && isUsable(trust, now) ? trust : undefined, 'trust', id);
}

/** Whether the time of a trust is over. */
export const isExpired = ({ expiresAt }: Trust, now: Micros): boolean => expiresAt !== null && now > expiresAt;

const isUsable = (trust: Trust, now: Micros): boolean => !isExpired(trust, now) && trust.remainingUses !== 0;

/** The trusts from this one to the first of its chain must go together, and their trustees be there. @throws 403, 404 */
export async function checkChain(db: Db, trust: Trust, now: Micros): Promise<void> {
  const [, ...above] = await pedigree(db, trust, now);
  let child: Trust = trust;
  for (const parent of above) {
    checkRedelegation(parent, child);
    if (!(await findUser(db, parent.trusteeUserId))?.enabled) throw forbiddenPlainly();
    child = parent;
  }
}

/** The trust, the one that it passes on, and so on to the first. @throws 404 */
export async function pedigree(db: Db, trust: Trust, now: Micros): Promise<Trust[]> {
  const chain = [trust];
  for (let id = trust.redelegatedTrustId; id !== null; id = chain.at(-1)!.redelegatedTrustId) {
    chain.push(await usableTrust(db, id, now));
  }
  return chain;
}

/** Nobody passes on more than there is. @throws 403, and upstream never says why */
function checkRedelegation(parent: Trust, child: Trust): void {
  const outlasts = parent.expiresAt !== null && child.expiresAt !== null && parent.expiresAt < child.expiresAt;
  const passed = parent.redelegationCount > 0 && parent.redelegationCount <= deepest;
  const roles = child.roleIds.every((id) => parent.roleIds.includes(id));
  const poses = child.impersonation && !parent.impersonation;
  if (!passed || child.remainingUses !== null || outlasts || !roles || poses) throw forbiddenPlainly();
}

/** What the body says of passing the trust on. */
export interface AskedDepth {
  readonly allowed: boolean;
  readonly count: number | null | undefined;
}

/** Settles how often a new trust may be passed on, and what it has of the one that it passes on itself. @throws 400, 403 */
export async function withRedelegation(
  db: Db,
  draft: Omit<Trust, 'redelegationCount'>,
  { allowed, count }: AskedDepth,
  parent: Trust | undefined,
  now: Micros,
): Promise<Trust> {
  const redelegatable = allowed && count !== 0;
  if (redelegatable && (count ?? 0) > deepest) throw forbiddenPlainly();
  if (redelegatable && draft.remainingUses !== null) {
    throw badRequest('remaining_uses must not be set if redelegation is allowed');
  }
  if (!parent) return { ...draft, redelegationCount: redelegatable ? (count ?? deepest) : 0 };
  const left = parent.redelegationCount - 1;
  if (redelegatable && count && count !== left) throw forbiddenPlainly();
  const trust: Trust = {
    ...draft,
    expiresAt: draft.expiresAt ?? parent.expiresAt,
    redelegatedTrustId: parent.id,
    redelegationCount: redelegatable ? left : 0,
  };
  for (const one of await pedigree(db, parent, now)) checkRedelegation(one, trust);
  return trust;
}

/** The ids of the roles asked for by id or name. @throws 400, 404 */
export async function askedRoles(db: Db, asked: readonly AskedRole[]): Promise<string[]> {
  const roles = await listRoles(db);
  return asked.map((role) => role.id ?? idOf(role.name!, roles));
}

/** The trustor, or who gave the first trust of the chain, must have the roles. @throws 404 */
export async function checkTrustorRoles(db: Db, trust: Omit<Trust, 'redelegationCount'>, now: Micros): Promise<void> {
  let first: Pick<Trust, 'trustorUserId' | 'projectId' | 'redelegatedTrustId'> = trust;
  while (first.redelegatedTrustId) first = await validTrust(db, first.redelegatedTrustId, now);
  if (trust.projectId) found(await findProject(db, trust.projectId), 'project', trust.projectId);
  const place = trust.projectId ? first.projectId : null;
  const held = place === null ? undefined : await roleIdsIn(db, first.trustorUserId, { kind: 'project', id: place });
  const lacking = trust.roleIds.find((id) => !held?.has(id));
  if (lacking !== undefined) throw missing('role', lacking);
}

/** Deletes a trust and those that pass it on, but for what has run out anyway. */
export async function removeTrust(db: Db, trust: Trust, now: Micros): Promise<void> {
  const passed = await listTrusts(db, { trustorUserId: trust.trustorUserId, redelegatedTrustId: trust.id });
  for (const one of passed) if (isUsable(one, now)) await removeTrust(db, one, now);
  await deleteTrust(db, trust.id);
}
