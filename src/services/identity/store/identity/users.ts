// The table of users.
import type { User } from '../../model.ts';
import { nameKey, objectFrom, toJson } from '../columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';

interface Row {
  id: string;
  name: string;
  name_key: string;
  domain_id: string;
  enabled: number;
  default_project_id: string | null;
  password_hash: string | null;
  options: string;
  extra: string;
  token_epoch: number;
}

const table = (db: Db) => db<Row>('identity_users');

const recordOf = (row: Row): User => ({
  id: row.id,
  name: row.name,
  domainId: row.domain_id,
  enabled: Boolean(row.enabled),
  defaultProjectId: row.default_project_id,
  passwordHash: row.password_hash,
  options: objectFrom(row.options),
  extra: objectFrom(row.extra),
  tokenEpoch: row.token_epoch,
});

const rowOf = (user: User): Row => ({
  id: user.id,
  name: user.name,
  name_key: nameKey(user.name),
  domain_id: user.domainId,
  enabled: Number(user.enabled),
  default_project_id: user.defaultProjectId,
  password_hash: user.passwordHash,
  options: toJson(user.options),
  extra: toJson(user.extra),
  token_epoch: user.tokenEpoch,
});

/** @throws the driver's error of `isDuplicate` where the name is taken in the domain */
export async function insertUser(db: Db, user: User): Promise<void> {
  await table(db).insert(rowOf(user));
}

/** Inserts those that are not stored yet. */
export async function ensureUsers(db: Db, users: readonly User[]): Promise<void> {
  await table(db).insert(users.map(rowOf)).onConflict().ignore();
}

export async function updateUser(db: Db, user: User): Promise<void> {
  await table(db).where({ id: user.id }).update(rowOf(user));
}

export async function deleteUser(db: Db, id: string): Promise<void> {
  await table(db).where({ id }).delete();
}

export async function findUser(db: Db, id: string): Promise<User | undefined> {
  const row = await table(db).where({ id }).first();
  return row && recordOf(row);
}

export async function findUsers(db: Db, ids: readonly string[]): Promise<User[]> {
  return (
    await table(db)
      .whereIn('id', [...new Set(ids)])
      .orderBy('id')
  ).map((row) => recordOf(row));
}

export async function findUserByName(
  db: Db,
  name: string,
  domainId: string,
): Promise<User | undefined> {
  const row = await table(db)
    .where({ name_key: nameKey(name), domain_id: domainId })
    .first();
  return row && recordOf(row);
}

export interface UserFilter {
  readonly name?: string | undefined;
  readonly domainId?: string | undefined;
}

export async function listUsers(db: Db, filter: UserFilter = {}): Promise<User[]> {
  const query = table(db).orderBy(['name', 'id']);
  if (filter.name !== undefined) void query.where({ name_key: nameKey(filter.name) });
  if (filter.domainId !== undefined) void query.where({ domain_id: filter.domainId });
  return (await query).map((row) => recordOf(row));
}

/** Ends all tokens of the users. */
export async function endUserTokens(db: Db, ids: readonly string[]): Promise<void> {
  await table(db).whereIn('id', ids).increment('token_epoch', 1);
}

/** Removes a project from the users whose default it is. */
export async function clearDefaultProject(db: Db, projectId: string): Promise<void> {
  await table(db).where({ default_project_id: projectId }).update({ default_project_id: null });
}
