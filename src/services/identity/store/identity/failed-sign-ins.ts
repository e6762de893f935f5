// The table of failed sign-ins: how often in a row a user has given a wrong password.
import { integer, micros, text } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table, type RecordOf } from '../../../../kernel/db/table.ts';

const failures = new Table(
  'identity_failed_sign_ins',
  { userId: text, count: integer, lastAt: micros },
  { key: 'userId' },
);

export type FailedSignIns = RecordOf<typeof failures>;

export const findFailures = (db: Db, userId: string): Promise<FailedSignIns | undefined> =>
  failures.find(db, { userId });

export const saveFailures = (db: Db, failed: FailedSignIns): Promise<void> =>
  failures.upsert(db, [failed]);

export async function deleteFailures(db: Db, userId: string): Promise<void> {
  await failures.remove(db, { userId });
}
