// The table of access rules.
import type { AccessRule } from '../../model.ts';
import type { Db } from '../../../../kernel/db/database.ts';

interface Row {
  id: string;
  user_id: string;
  service: string;
  path: string;
  method: string;
}

const table = (db: Db) => db<Row>('identity_access_rules');

const recordOf = (row: Row): AccessRule => ({
  id: row.id,
  userId: row.user_id,
  service: row.service,
  path: row.path,
  method: row.method,
});

export async function findAccessRule(db: Db, id: string): Promise<AccessRule | undefined> {
  const row = await table(db).where({ id }).first();
  return row && recordOf(row);
}

export async function findAccessRules(db: Db, ids: readonly string[]): Promise<AccessRule[]> {
  return (await table(db).whereIn('id', [...new Set(ids)])).map((row) => recordOf(row));
}

/** The access rules of a user. */
export async function listAccessRules(db: Db, userId: string): Promise<AccessRule[]> {
  return (await table(db).where({ user_id: userId }).orderBy('id')).map((row) => recordOf(row));
}

export async function insertAccessRule(db: Db, rule: AccessRule): Promise<void> {
  await table(db).insert({
    id: rule.id,
    user_id: rule.userId,
    service: rule.service,
    path: rule.path,
    method: rule.method,
  });
}

/** @throws the driver's error of `isForeignKey` where a credential still uses it */
export async function deleteAccessRule(db: Db, id: string): Promise<void> {
  await table(db).where({ id }).delete();
}

/** Deletes the access rules of a user. */
export async function deleteAccessRulesOf(db: Db, userId: string): Promise<void> {
  await table(db).where({ user_id: userId }).delete();
}
