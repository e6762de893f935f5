// The table of users.
import {
  boolean,
  integer,
  jsonObject,
  micros,
  nullable,
  text,
} from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Micros } from '../../../../kernel/clock.ts';
import { Table } from '../../../../kernel/db/table.ts';
import type { User } from '../../model.ts';
import { hashedPassword, hashedPasswords } from '../password-hash.ts';
import type { Condition } from '../../../../kernel/db/listing.ts';
import { nameConditions, nameKey, nameKeyColumn } from '../names.ts';

/**
 * The names of users from identity providers are not unique, so that these users are not found by
 * name: no local name begins with a space.
 */
const userNameKey = ({ id, isLocal, ...fields }: Partial<User>): Record<string, string> =>
  isLocal === false ? { name_key: ` ${id}` } : nameKeyColumn(fields);

const users = new Table<User>(
  'identity_users',
  {
    id: text,
    name: text,
    domainId: text,
    enabled: boolean,
    defaultProjectId: nullable(text),
    passwordHash: nullable(hashedPassword),
    previousHashes: nullable(hashedPasswords),
    passwordExpiresAt: nullable(micros),
    passwordChosenAt: nullable(micros),
    createdAt: nullable(micros),
    lastActiveAt: nullable(micros),
    isLocal: boolean,
    options: jsonObject(),
    extra: jsonObject(),
    tokenEpoch: integer,
  },
  { derived: userNameKey },
);

/** @throws the driver's error of `isDuplicate` if the domain has a user of that name */
export async function insertUser(db: Db, user: User): Promise<void> {
  await users.insert(db, user);
}

/** Inserts the users that do not exist yet. */
export const ensureUsers = (db: Db, all: readonly User[]): Promise<void> => users.ensure(db, all);

/** @throws the driver's error of `isDuplicate` if the domain has another user of that name */
export async function updateUser(db: Db, user: User): Promise<void> {
  await users.update(db, { id: user.id }, user);
}

/** Stores on which day a user has signed in. */
export async function updateLastActive(
  db: Db,
  id: string,
  lastActiveAt: Micros | null,
): Promise<void> {
  await users.update(db, { id }, { lastActiveAt });
}

export async function deleteUser(db: Db, id: string): Promise<void> {
  await users.remove(db, { id });
}

export const findUser = (db: Db, id: string): Promise<User | undefined> => users.find(db, { id });

/** The users of these ids, ordered by id. */
export const findUsers = (db: Db, ids: readonly string[]): Promise<User[]> =>
  users.among(db, 'id', ids);

export const findUserByName = (db: Db, name: string, domainId: string): Promise<User | undefined> =>
  users.find(db, { domainId }, nameConditions(name));

export interface UserFilter {
  readonly name?: string | undefined;
  readonly domainId?: string | undefined;
}

/** The users that match, ordered by name. */
export const listUsers = (db: Db, { name, domainId }: UserFilter = {}): Promise<User[]> =>
  users.list(db, { where: { domainId }, conditions: anyoneNamed(name), sort: ['name'] });

/** Restricts a query to one name, also of users from identity providers. */
const anyoneNamed = (name: string | undefined): Condition[] =>
  name === undefined
    ? []
    : [
        (query) =>
          void query.where(
            (either) =>
              void either.where({ name_key: nameKey(name) }).orWhere({ is_local: false, name }),
          ),
      ];

/** Ends all tokens of the users. */
export async function endUserTokens(db: Db, ids: readonly string[]): Promise<void> {
  await db(users.name).whereIn('id', ids).increment('token_epoch', 1);
}

/** Clears the default project of the users whose default it is. */
export async function clearDefaultProject(db: Db, projectId: string): Promise<void> {
  await users.update(db, { defaultProjectId: projectId }, { defaultProjectId: null });
}
