// The groups of users, with those of assertions, which last as long as the identity provider says.
// Upstream: ExpiringUserGroupMembership in identity/backends/sql_model.py.
import { SECOND, type Micros } from '../../../../kernel/clock.ts';
import type { Context } from '../../../../kernel/model.ts';
import { listMemberships } from '../../store/federation/federated-users.ts';
import { findIdentityProvider } from '../../store/federation/identity-providers.ts';
import { groupIdsOf } from '../../store/identity/groups.ts';
import { loadSettings } from '../settings.ts';

type Reader = Pick<Context, 'db' | 'now'>;

const minute = 60 * SECOND;

/** When the expiring memberships of a user end that last at present, by the id of the group. */
export async function expiringGroups(
  { db, now }: Reader,
  userId: string,
): Promise<Map<string, Micros>> {
  const ends = new Map<string, Micros>();
  for (const { groupId, providerId, lastVerified } of await listMemberships(db, userId)) {
    const provider = await findIdentityProvider(db, providerId);
    const ttl = provider?.authorizationTtl || (await loadSettings({ db })).defaultAuthorizationTtl;
    const end = lastVerified + ttl * minute;
    if (end > now) ends.set(groupId, Math.max(end, ends.get(groupId) ?? 0));
  }
  return ends;
}

/** The ids of the groups of a user at present, each once. */
export async function currentGroupIds(context: Reader, userId: string): Promise<string[]> {
  const expiring = await expiringGroups(context, userId);
  return [...new Set([...(await groupIdsOf(context.db, userId)), ...expiring.keys()])];
}

/** When the first expiring membership of some users ends; undefined if they have none. */
export async function membershipsEnd(
  context: Reader,
  userIds: readonly string[],
): Promise<Micros | undefined> {
  const ends: Micros[] = [];
  for (const userId of userIds) ends.push(...(await expiringGroups(context, userId)).values());
  return ends.length ? Math.min(...ends) : undefined;
}
