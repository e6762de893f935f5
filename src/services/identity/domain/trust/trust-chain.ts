// The trust chain: a trust, the trust that it redelegates, and so on up to the first trust.
// Upstream: trust/core.py.
import type { Micros } from '../../../../kernel/clock.ts';
import { findUser } from '../../store/identity/users.ts';
import { findTrust } from '../../store/trust/trusts.ts';
import type { Trust } from '../../model.ts';
import { isEnabledNow } from '../identity/inactivity.ts';
import { forbiddenWithoutReason, found } from '../refusals.ts';
import type { Context } from '../../../../kernel/model.ts';

/** How many times a trust may be redelegated. Upstream: [trust] max_redelegation_count. */
export const maxRedelegationCount = 3;

/** Whether a trust has expired. */
export const isExpired = ({ expiresAt }: Trust, now: Micros): boolean =>
  expiresAt !== null && now > expiresAt;

/** Whether a trust has neither expired nor been used up. */
export const isUsable = (trust: Trust, now: Micros): boolean =>
  !isExpired(trust, now) && trust.remainingUses !== 0;

/** Finds a usable trust. @throws 404 if the trust does not exist, has expired or is used up */
export async function usableTrust(
  { db, now }: Pick<Context, 'db' | 'now'>,
  id: string,
): Promise<Trust> {
  const trust = await findTrust(db, id);
  return found(trust && isUsable(trust, now) ? trust : undefined, 'trust', id);
}

/**
 * The chain of a trust, beginning with the trust itself.
 * @throws 404 if one of the redelegated trusts is not usable
 */
export async function trustChain(
  context: Pick<Context, 'db' | 'now'>,
  trust: Trust,
): Promise<Trust[]> {
  const chain = [trust];
  for (let id = trust.redelegatedTrustId; id !== null; id = chain.at(-1)!.redelegatedTrustId) {
    chain.push(await usableTrust(context, id));
  }
  return chain;
}

/**
 * Checks each redelegation in the chain of a trust, and that the trustees above are enabled.
 * @throws 403, 404
 */
export async function checkTrustChain(
  context: Pick<Context, 'db' | 'now'>,
  trust: Trust,
): Promise<void> {
  const [, ...above] = await trustChain(context, trust);
  let child: Trust = trust;
  for (const parent of above) {
    checkRedelegation(parent, child);
    const trustee = await findUser(context.db, parent.trusteeUserId);
    if (!trustee || !(await isEnabledNow(context, trustee))) throw forbiddenWithoutReason();
    child = parent;
  }
}

/**
 * Rejects a redelegation that grants more than its parent.
 * @throws 403, for which upstream does not give the reason
 */
export function checkRedelegation(parent: Trust, child: Trust): void {
  const outlasts =
    parent.expiresAt !== null && child.expiresAt !== null && parent.expiresAt < child.expiresAt;
  const countAllows =
    parent.redelegationCount > 0 && parent.redelegationCount <= maxRedelegationCount;
  const delegated = new Set(parent.roleIds);
  const hasRoles = child.roleIds.every((id) => delegated.has(id));
  const startsToImpersonate = child.impersonation && !parent.impersonation;
  if (!countAllows || child.remainingUses !== null || outlasts || !hasRoles || startsToImpersonate)
    throw forbiddenWithoutReason();
}
