// The table of the users of OpenID providers for tests.
import { jsonObject, text } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table } from '../../../../kernel/db/table.ts';
import type { OidcUser } from '../../model.ts';
import { hashedPassword } from '../password-hash.ts';

const users = new Table<OidcUser>(
  'identity_oidc_users',
  { issuer: text, name: text, passwordHash: hashedPassword, claims: jsonObject() },
  { key: ['issuer', 'name'] },
);

/** Inserts a user, or replaces it. */
export const setOidcUser = (db: Db, user: OidcUser): Promise<void> => users.upsert(db, [user]);

/** Deletes a user, and returns whether it existed. */
export const deleteOidcUser = async (db: Db, issuer: string, name: string): Promise<boolean> =>
  (await users.remove(db, { issuer, name })) > 0;

export const findOidcUser = (db: Db, issuer: string, name: string): Promise<OidcUser | undefined> =>
  users.find(db, { issuer, name });

/** The users of a provider, ordered by name. */
export const listOidcUsers = (db: Db, issuer: string): Promise<OidcUser[]> =>
  users.list(db, { where: { issuer } });
