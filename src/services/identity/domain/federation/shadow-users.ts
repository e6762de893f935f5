// Keeps the users of identity providers, with their groups. Upstream: shadow_federated_user in
// keystone/identity/core.py.
import { createHash } from 'node:crypto';
import { newSecret } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import * as store from '../../store/federation/federated-users.ts';
import { findUser, insertUser, updateUser } from '../../store/identity/users.ts';
import { recordRevocations } from '../auth/revocation-events.ts';
import { percentEncoded } from '../percent-encoding.ts';
import type { Federation, FederatedUser, IdentityProvider, User } from '../../model.ts';
import { checkLength, duplicateEntry, refuseOnDuplicate, unauthenticated } from '../refusals.ts';
import { blankUser } from '../identity/blank-user.ts';
import { activeUser } from '../identity/inactivity.ts';
import { mappedDomainId } from './domains.ts';
import type { MappedUser } from './mapping-engine.ts';

/** A user of an identity provider, as a mapping names it. */
export interface NamedUser {
  readonly uniqueId: string;
  readonly name: string;
  readonly email: string | undefined;
  readonly domainId: string;
}

/**
 * The user that a mapping names, by the id or else by the name.
 * @param remoteUser the name that the assertion itself gives to the user
 * @throws 401 without id and name, 404 for an unknown domain
 */
export async function namedUser(
  { db }: Context,
  user: MappedUser,
  remoteUser: string | undefined,
  provider: IdentityProvider,
): Promise<NamedUser> {
  const name = user.name || remoteUser;
  const id = user.id || name;
  if (!id) throw unauthenticated();
  return {
    // Upstream encodes all but slashes.
    uniqueId: percentEncoded(id).replaceAll('%2F', '/'),
    name: name || id,
    email: user.email || undefined,
    domainId: await mappedDomainId(db, user.domain, provider.domainId),
  };
}

/**
 * Finds or creates the user of an assertion, and stores what is new about it. If a known user has
 * other groups than before, its earlier tokens end.
 * @throws 400, 409
 */
export async function shadowUser(
  context: Context,
  named: NamedUser,
  federation: Federation,
): Promise<User> {
  const { db, now } = context;
  const { providerId, protocolId } = federation;
  const key = { providerId, protocolId, uniqueId: named.uniqueId };
  const known = await store.findFederatedUser(db, key);
  if (!known) {
    const user = await createUser(context, named, key);
    await replaceGroups(context, user.id, federation);
    return user;
  }
  const user = (await findUser(db, known.userId))!;
  const hasOtherGroups = await replaceGroups(context, user.id, federation);
  checkLength('display_name', named.name, 255);
  const next: User = {
    ...activeUser(user, now),
    name: user.isLocal ? user.name : named.name,
    extra: { ...user.extra, ...(named.email ? { email: named.email } : {}) },
    tokenEpoch: user.tokenEpoch + Number(hasOtherGroups),
  };
  await updateUser(db, next);
  if (hasOtherGroups) await recordRevocations(context, { userId: user.id });
  return next;
}

/** The id of a user of a domain. Upstream: identity/id_generators/sha256.py. */
const idOf = ({ domainId, uniqueId }: NamedUser): string =>
  createHash('sha256').update(`${domainId}user${uniqueId}`).digest('hex');

async function createUser(
  { db, now }: Context,
  named: NamedUser,
  key: Omit<FederatedUser, 'userId'>,
): Promise<User> {
  checkLength('unique_id', named.uniqueId, 255);
  checkLength('display_name', named.name, 255);
  const blank: User = {
    ...blankUser,
    id: idOf(named),
    name: named.name,
    domainId: named.domainId,
    createdAt: now,
    isLocal: false,
    extra: named.email ? { email: named.email } : {},
    // A user who signs in after a deletion has the same id, but no earlier token is valid.
    tokenEpoch: Buffer.from(newSecret(4), 'base64url').readUInt32BE() >>> 2,
  };
  const user = activeUser(blank, now);
  const taken = () => duplicateEntry('federated_user');
  if (await findUser(db, user.id)) throw taken();
  await refuseOnDuplicate(insertUser(db, user), taken);
  await store.insertFederatedUser(db, { ...key, userId: user.id });
  return user;
}

/** Renews the memberships in groups, and ends all others. @returns whether the groups changed */
async function replaceGroups(
  { db, now }: Context,
  userId: string,
  { providerId, groupIds }: Federation,
): Promise<boolean> {
  const ofProvider = (await store.listMemberships(db, userId)).filter(
    (one) => one.providerId === providerId,
  );
  const ended = ofProvider.filter(({ groupId }) => !groupIds.includes(groupId));
  for (const membership of ended) await store.deleteMembership(db, membership);
  await store.renewMemberships(
    db,
    groupIds.map((groupId) => ({ userId, groupId, providerId, lastVerified: now })),
  );
  return ended.length > 0 || groupIds.length > ofProvider.length;
}
