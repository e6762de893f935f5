// The tables of how assertions name users, and of memberships in groups that expire.
import { micros, text } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table } from '../../../../kernel/db/table.ts';
import type { ExpiringMembership, FederatedUser } from '../../model.ts';

const federatedUsers = new Table<FederatedUser>(
  'identity_federated_users',
  { providerId: text, protocolId: text, uniqueId: text, userId: text },
  { key: ['providerId', 'protocolId', 'uniqueId'] },
);

const memberships = new Table<ExpiringMembership>(
  'identity_expiring_memberships',
  { userId: text, groupId: text, providerId: text, lastVerified: micros },
  { key: ['userId', 'groupId', 'providerId'] },
);

/** @throws the driver's error of `isDuplicate` if the name of an assertion is taken */
export async function insertFederatedUser(db: Db, user: FederatedUser): Promise<void> {
  await federatedUsers.insert(db, user);
}

export const findFederatedUser = (
  db: Db,
  { providerId, protocolId, uniqueId }: Omit<FederatedUser, 'userId'>,
): Promise<FederatedUser | undefined> =>
  federatedUsers.find(db, { providerId, protocolId, uniqueId });

/** The names that match, ordered by provider, protocol and name. */
export const listFederatedUsers = (
  db: Db,
  where: { [F in keyof FederatedUser]?: string | undefined },
): Promise<FederatedUser[]> => federatedUsers.list(db, { where });

/** Deletes all names of a user, or all of a provider or a protocol. */
export async function deleteFederatedUsers(
  db: Db,
  where: { userId: string } | { providerId: string; protocolId?: string },
): Promise<void> {
  await federatedUsers.remove(db, where);
}

/** The expiring memberships of a user, also those that have expired. */
export const listMemberships = (db: Db, userId: string): Promise<ExpiringMembership[]> =>
  memberships.list(db, { where: { userId } });

/** Inserts memberships, or renews those that exist. */
export const renewMemberships = (db: Db, all: readonly ExpiringMembership[]): Promise<void> =>
  memberships.upsert(db, all);

export async function deleteMembership(
  db: Db,
  { userId, groupId, providerId }: ExpiringMembership,
): Promise<void> {
  await memberships.remove(db, { userId, groupId, providerId });
}
