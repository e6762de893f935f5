// What a token for a trust stands for. Upstream: keystone/models/token_model.py.
import type { Micros } from '../../../../kernel/clock.ts';
import { notFound } from '../../../../kernel/fault.ts';
import { findProject } from '../../store/resource/projects.ts';
import { listImplications, listRoles } from '../../store/assignment/roles.ts';
import { findTrust } from '../../store/trust/trusts.ts';
import { findUser } from '../../store/identity/users.ts';
import type { Project, Role, Trust, User } from '../records.ts';
import { forbiddenPlainly, found, missing } from '../refusals.ts';
import { roleIdsIn, withImplied, type Scope } from '../assignment/effective-roles.ts';
import { checkChain, isExpired, pedigree } from './trusts.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** What a trust makes of a token. */
export interface Delegation {
  readonly roles: readonly Role[];
  /** What the token shows for it: the trust, and the trustor where it impersonates. */
  readonly shown: { readonly trust: Trust; readonly user?: User; readonly userDomain?: Project };
  /** What the token rests on besides. */
  readonly rests: readonly { readonly tokenEpoch: number }[];
}

/** What the trust of a token says; undefined for a token that is by none. @throws 403, 404 */
export async function delegationOf(
  db: Db,
  { userId, scope }: { readonly userId: string; readonly scope?: Scope },
  now: Micros,
): Promise<Delegation | undefined> {
  if (scope?.kind !== 'project' || scope.trustId === undefined) return undefined;
  const trust = await trustFor(db, scope.trustId, now);
  if (trust.projectId === null) throw missing('project', 'None');
  if (trust.trusteeUserId !== userId) throw forbiddenPlainly();
  const trustor = found(await findUser(db, trust.trustorUserId), 'user', trust.trustorUserId);
  const domain = await findProject(db, trustor.domainId);
  if (!domain?.enabled) throw notFound('Trustor domain is disabled.');
  if (!trustor.enabled) throw forbiddenPlainly();
  const roles = await rolesOf(db, trust, trust.projectId, now);
  const poses = trust.impersonation ? { user: trustor, userDomain: domain } : {};
  return { roles, shown: { trust, ...poses }, rests: [trustor, domain] };
}

/**
 * The trust of a token. A token outlives the last use of its trust, as upstream where tokens are cached when they are issued
 * (token/provider.py); without a cache the last token of a trust would be worth nothing.
 */
async function trustFor(db: Db, id: string, now: Micros): Promise<Trust> {
  const trust = await findTrust(db, id);
  const valid = found(trust && !isExpired(trust, now) ? trust : undefined, 'trust', id);
  await checkChain(db, valid, now);
  return valid;
}

/** The roles of the trust and what they imply: all of them, or none if the trustor has lost one. @throws 403 */
async function rolesOf(db: Db, trust: Trust, projectId: string, now: Micros): Promise<Role[]> {
  const first = (await pedigree(db, trust, now)).at(-1)!;
  const wanted = withImplied(trust.roleIds, await listImplications(db));
  for (const userId of new Set([trust.trustorUserId, first.trustorUserId])) {
    const held = await roleIdsIn(db, userId, { kind: 'project', id: projectId });
    if (![...wanted].every((id) => held.has(id))) throw forbiddenPlainly();
  }
  return (await listRoles(db)).filter((role) => wanted.has(role.id) && role.domainId === null);
}
