// The table of trusts. A deleted trust stays in it, marked as deleted, as upstream.
import {
  boolean,
  integer,
  jsonObject,
  jsonTexts,
  micros,
  nullable,
  text,
} from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Condition, Filter } from '../../../../kernel/db/listing.ts';
import { insertCompleted } from '../../../../kernel/db/drivers/recurring.ts';
import { isDuplicate, isMissingValue } from '../../../../kernel/db/errors.ts';
import { sharedValueIs } from '../../../../kernel/db/state.ts';
import { deleteWhere, valuesWhere } from '../../../../kernel/db/owned-rows.ts';
import { Table } from '../../../../kernel/db/table.ts';
import type { ResourceOwners } from '../../../../emulator/projects/hooks.ts';
import type { Trust } from '../../model.ts';

const trusts = new Table<Trust>('identity_trusts', {
  id: text,
  trustorUserId: text,
  trusteeUserId: text,
  projectId: nullable(text),
  impersonation: boolean,
  expiresAt: nullable(micros),
  remainingUses: nullable(integer),
  redelegatedTrustId: nullable(text),
  redelegationCount: integer,
  roleIds: jsonTexts(),
  extra: jsonObject(),
});

const notDeleted: Condition = (query) => void query.where({ deleted: 0 });
const deleted: Condition = (query) => void query.where({ deleted: 1 });

/** @throws the driver's error of `isDuplicate` if an equal trust exists or has been deleted */
export async function insertTrust(db: Db, trust: Trust): Promise<void> {
  await db(trusts.name).insert({ ...trusts.row(trust), deleted: 0 });
}

/**
 * Inserts a trust, if nothing that tokens depend on has changed since a revision of the shared
 * state, and the trustee exists.
 * @returns false if the trust is not inserted, also because an equal trust exists or was deleted
 */
export async function insertTrustAt(db: Db, trust: Trust, authRevision: number): Promise<boolean> {
  const row = { ...trusts.row(trust), deleted: 0, revision: String(authRevision) };
  const write = insertCompleted(db, trusts.name, [row], 'at', ({ revision, ...columns }) => ({
    ...columns,
    // The column is not null, so the database rejects a row without a trustee.
    trustee_user_id: db('identity_users')
      .where({ id: columns['trustee_user_id'] })
      .whereExists(sharedValueIs(db, 'auth.revision', revision!))
      .select('id'),
  }));
  try {
    await write;
    return true;
  } catch (error) {
    if (isDuplicate(error) || isMissingValue(error)) return false;
    throw error;
  }
}

export const findTrust = (db: Db, id: string): Promise<Trust | undefined> =>
  trusts.find(db, { id }, [notDeleted]);

/** A trust that has been deleted. */
export const findDeletedTrust = (db: Db, id: string): Promise<Trust | undefined> =>
  trusts.find(db, { id }, [deleted]);

/** The trusts that match, ordered by id. */
export const listTrusts = (db: Db, where: Filter<Trust> = {}): Promise<Trust[]> =>
  trusts.list(db, { where, conditions: [notDeleted] });

/** Counts a use of a trust. Returns false if the trust is used up. */
export async function useTrust(db: Db, id: string): Promise<boolean> {
  const counted = await db(trusts.name)
    .where({ id, deleted: 0 })
    .where('remaining_uses', '>', 0)
    .decrement('remaining_uses', 1);
  return counted > 0 || (await findTrust(db, id))?.remainingUses === null;
}

/** Marks a trust as deleted. */
export async function deleteTrust(db: Db, id: string): Promise<void> {
  await db(trusts.name).where({ id }).update({ deleted: 1 });
}

/** Makes a deleted trust valid again. */
export async function restoreTrust(db: Db, id: string): Promise<void> {
  await db(trusts.name).where({ id }).update({ deleted: 0 });
}

/** Deletes the row of a trust, so that its id can be used again. */
export async function purgeTrust(db: Db, id: string): Promise<void> {
  await trusts.remove(db, { id });
}

/**
 * Deletes the rows of the trusts of some users and projects.
 * @returns the ids of these trusts, and how many were not deleted before
 */
export async function purgeTrustsOf(
  db: Db,
  { projectIds, userIds }: ResourceOwners,
): Promise<{ readonly trustIds: readonly string[]; readonly valid: number }> {
  const ids = new Set([
    ...(await valuesWhere(db, trusts.name, 'project_id', projectIds)),
    ...(await valuesWhere(db, trusts.name, 'trustor_user_id', userIds)),
    ...(await valuesWhere(db, trusts.name, 'trustee_user_id', userIds)),
  ]);
  const trustIds = [...ids];
  const valid = await trusts.list(db, { where: { id: trustIds }, conditions: [notDeleted] });
  await deleteWhere(db, trusts.name, 'id', trustIds);
  return { trustIds, valid: valid.length };
}

/** Marks the trusts of a trustor or trustee as deleted. */
export async function deleteTrustsOfUser(db: Db, userId: string): Promise<void> {
  await db(trusts.name)
    .where({ trustor_user_id: userId })
    .orWhere({ trustee_user_id: userId })
    .update({ deleted: 1 });
}

/** Marks the trusts for a project as deleted. */
export async function deleteTrustsForProject(db: Db, projectId: string): Promise<void> {
  await db(trusts.name).where({ project_id: projectId }).update({ deleted: 1 });
}
