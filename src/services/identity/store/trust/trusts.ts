// The table of trusts. A deleted trust stays in it, marked as deleted, as upstream.
import type { Trust } from '../../model.ts';
import { listFrom, objectFrom, toJson } from '../columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';

interface Row {
  id: string;
  trustor_user_id: string;
  trustee_user_id: string;
  project_id: string | null;
  impersonation: number;
  expires_at: number | null;
  remaining_uses: number | null;
  redelegated_trust_id: string | null;
  redelegation_count: number;
  deleted: number;
  role_ids: string;
  extra: string;
}

const table = (db: Db) => db<Row>('identity_trusts');

const recordOf = (row: Row): Trust => ({
  id: row.id,
  trustorUserId: row.trustor_user_id,
  trusteeUserId: row.trustee_user_id,
  projectId: row.project_id,
  impersonation: Boolean(row.impersonation),
  expiresAt: row.expires_at === null ? null : Number(row.expires_at),
  remainingUses: row.remaining_uses,
  redelegatedTrustId: row.redelegated_trust_id,
  redelegationCount: row.redelegation_count,
  roleIds: listFrom(row.role_ids),
  extra: objectFrom(row.extra),
});

/** @throws the driver's error of `isDuplicate` where there is an equal trust, or was one */
export async function insertTrust(db: Db, trust: Trust): Promise<void> {
  await table(db).insert({
    id: trust.id,
    trustor_user_id: trust.trustorUserId,
    trustee_user_id: trust.trusteeUserId,
    project_id: trust.projectId,
    impersonation: Number(trust.impersonation),
    expires_at: trust.expiresAt,
    remaining_uses: trust.remainingUses,
    redelegated_trust_id: trust.redelegatedTrustId,
    redelegation_count: trust.redelegationCount,
    deleted: 0,
    role_ids: toJson(trust.roleIds),
    extra: toJson(trust.extra),
  });
}

export async function findTrust(db: Db, id: string): Promise<Trust | undefined> {
  const row = await table(db).where({ id, deleted: 0 }).first();
  return row && recordOf(row);
}

export interface TrustFilter {
  readonly trustorUserId?: string | undefined;
  readonly trusteeUserId?: string | undefined;
  readonly redelegatedTrustId?: string | undefined;
}

export async function listTrusts(db: Db, filter: TrustFilter = {}): Promise<Trust[]> {
  const query = table(db).where({ deleted: 0 }).orderBy('id');
  if (filter.trustorUserId !== undefined)
    void query.where({ trustor_user_id: filter.trustorUserId });
  if (filter.trusteeUserId !== undefined)
    void query.where({ trustee_user_id: filter.trusteeUserId });
  if (filter.redelegatedTrustId !== undefined)
    void query.where({ redelegated_trust_id: filter.redelegatedTrustId });
  return (await query).map((row) => recordOf(row));
}

/** Counts a use of the trust. False where none was left. */
export async function useTrust(db: Db, id: string): Promise<boolean> {
  const used = await table(db)
    .where({ id, deleted: 0 })
    .where('remaining_uses', '>', 0)
    .decrement('remaining_uses', 1);
  return used > 0 || (await findTrust(db, id))?.remainingUses === null;
}

/** Marks a trust as deleted. */
export async function deleteTrust(db: Db, id: string): Promise<void> {
  await table(db).where({ id }).update({ deleted: 1 });
}

/** Deletes the row of a trust, so that its id can be used again. */
export async function purgeTrust(db: Db, id: string): Promise<void> {
  await table(db).where({ id }).delete();
}

/** Marks the trusts of a trustor or trustee as deleted. */
export async function deleteTrustsOfUser(db: Db, userId: string): Promise<void> {
  await table(db)
    .where({ trustor_user_id: userId })
    .orWhere({ trustee_user_id: userId })
    .update({ deleted: 1 });
}

/** Marks the trusts for a project as deleted. */
export async function deleteTrustsForProject(db: Db, projectId: string): Promise<void> {
  await table(db).where({ project_id: projectId }).update({ deleted: 1 });
}
