// What a trust adds to a token: the trustor's roles, and the trustor as the user if it
// impersonates. Upstream: keystone/models/token_model.py.
import { notFound } from '../../../../kernel/errors.ts';
import { listImplications, listRoles } from '../../store/assignment/roles.ts';
import { findUser } from '../../store/identity/users.ts';
import { findProject } from '../../store/resource/projects.ts';
import { findTrust } from '../../store/trust/trusts.ts';
import { withImplied } from '../assignment/assignments.ts';
import { roleIdsInScope } from '../assignment/effective-roles.ts';
import type { Project, Role, Scope, Trust, User } from '../../model.ts';
import { isEnabledNow } from '../identity/inactivity.ts';
import { forbiddenWithoutReason, found, missing } from '../refusals.ts';
import { checkTrustChain, isExpired, trustChain } from './trust-chain.ts';
import type { Context } from '../../../../kernel/model.ts';

/** What a trust adds to a token. */
export interface Delegation {
  readonly roles: readonly Role[];
  /** The parts of the token that it replaces: the trust, and the user if it impersonates. */
  readonly parts: { readonly trust: Trust; readonly user?: User; readonly userDomain?: Project };
  /**
   * The records that the token depends on. It is invalid as soon as one of their epochs is
   * incremented.
   */
  readonly dependsOn: readonly { readonly tokenEpoch: number }[];
}

/**
 * What the trust in the scope adds to a token; undefined for a scope without a trust.
 * @throws 403, 404
 */
export async function delegationOf(
  context: Pick<Context, 'db' | 'now'>,
  { userId, scope }: { readonly userId: string; readonly scope?: Scope },
): Promise<Delegation | undefined> {
  if (scope?.kind !== 'project' || scope.trustId === undefined) return undefined;
  const { db } = context;
  const trust = await trustOfToken(context, scope.trustId);
  if (trust.projectId === null) throw missing('project', 'None');
  if (trust.trusteeUserId !== userId) throw forbiddenWithoutReason();
  const trustor = found(await findUser(db, trust.trustorUserId), 'user', trust.trustorUserId);
  const domain = await findProject(db, trustor.domainId);
  if (!domain?.enabled) throw notFound('Trustor domain is disabled.');
  if (!(await isEnabledNow(context, trustor))) throw forbiddenWithoutReason();
  const roles = await delegatedRoles(context, trust, trust.projectId);
  const impersonated = trust.impersonation ? { user: trustor, userDomain: domain } : {};
  return { roles, parts: { trust, ...impersonated }, dependsOn: [trustor, domain] };
}

/**
 * The trust of a token. A token stays valid after the last use of its trust, as upstream, which
 * caches tokens when it issues them (token/provider.py). Without a cache, the last token of a
 * trust would be invalid from the start.
 */
async function trustOfToken(context: Pick<Context, 'db' | 'now'>, id: string): Promise<Trust> {
  const trust = await findTrust(context.db, id);
  const valid = found(trust && !isExpired(trust, context.now) ? trust : undefined, 'trust', id);
  await checkTrustChain(context, valid);
  return valid;
}

/**
 * The roles of the trust and the roles that they imply.
 * @throws 403 if the trustor, or the first trustor of the chain, has lost one of them
 */
async function delegatedRoles(
  context: Pick<Context, 'db' | 'now'>,
  trust: Trust,
  projectId: string,
): Promise<Role[]> {
  const { db } = context;
  const first = (await trustChain(context, trust)).at(-1)!;
  const delegated = withImplied(trust.roleIds, await listImplications(db));
  for (const userId of new Set([trust.trustorUserId, first.trustorUserId])) {
    const assigned = await roleIdsInScope(context, userId, { kind: 'project', id: projectId });
    if (![...delegated].every((id) => assigned.has(id))) throw forbiddenWithoutReason();
  }
  return (await listRoles(db)).filter((role) => delegated.has(role.id) && role.domainId === null);
}
