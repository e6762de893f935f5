// The table of access rules.
import { text } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table } from '../../../../kernel/db/table.ts';
import type { AccessRule } from '../../model.ts';

const accessRules = new Table<AccessRule>('identity_access_rules', {
  id: text,
  userId: text,
  service: text,
  path: text,
  method: text,
});

export const findAccessRule = (db: Db, id: string): Promise<AccessRule | undefined> =>
  accessRules.find(db, { id });

export const findAccessRules = (db: Db, ids: readonly string[]): Promise<AccessRule[]> =>
  accessRules.among(db, 'id', ids);

/** The access rules of a user, ordered by id. */
export const listAccessRules = (db: Db, userId: string): Promise<AccessRule[]> =>
  accessRules.list(db, { where: { userId } });

export const insertAccessRules = (db: Db, rules: readonly AccessRule[]): Promise<void> =>
  accessRules.insertAll(db, rules);

/** @throws the driver's error of `isForeignKey` while an application credential uses the rule */
export async function deleteAccessRule(db: Db, id: string): Promise<void> {
  await accessRules.remove(db, { id });
}

/** Deletes all access rules of a user. */
export async function deleteAccessRulesOf(db: Db, userId: string): Promise<void> {
  await accessRules.remove(db, { userId });
}
