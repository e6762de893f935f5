// The table of transfers.
import type { Transfer } from '../model.ts';
import { filter, page, type ColumnValues, type Listing } from './lists.ts';
import type { Db } from '../../../kernel/db/database.ts';

interface Row {
  id: string;
  volume_id: string;
  name: string | null;
  salt: string;
  crypt_hash: string;
  no_snapshots: number | boolean;
  source_project_id: string;
  created_at: number;
}

const rowOf = (transfer: Transfer): Row => ({
  id: transfer.id,
  volume_id: transfer.volumeId,
  name: transfer.name,
  salt: transfer.salt,
  crypt_hash: transfer.cryptHash,
  no_snapshots: Number(transfer.noSnapshots),
  source_project_id: transfer.sourceProjectId,
  created_at: transfer.createdAt,
});

const record = (row: Row): Transfer => ({
  id: row.id,
  volumeId: row.volume_id,
  name: row.name,
  salt: row.salt,
  cryptHash: row.crypt_hash,
  noSnapshots: Boolean(row.no_snapshots),
  sourceProjectId: row.source_project_id,
  createdAt: Number(row.created_at),
});

export async function findTransfer(db: Db, id: string): Promise<Transfer | undefined> {
  const row = (await db('volume_transfers').where({ id }).first()) as Row | undefined;
  return row && record(row);
}

/** The transfers that match; the project is that of the volume. */
export async function selectTransfers(
  db: Db,
  { projectId, ...listing }: Listing,
): Promise<Transfer[]> {
  const query = db('volume_transfers').select('volume_transfers.*');
  filter(db, query, 'volume_transfers', { ...listing, projectId: undefined });
  if (projectId !== undefined)
    void query.whereIn(
      'volume_id',
      db('volume_volumes').where({ project_id: projectId }).select('id'),
    );
  page(query, 'volume_transfers', { ...listing, projectId });
  return ((await query) as Row[]).map(record);
}

/** The row of a transfer, by its columns. */
export const transferRow = (transfer: Transfer): ColumnValues => ({ ...rowOf(transfer) });

export async function insertTransfer(db: Db, transfer: Transfer): Promise<void> {
  await db('volume_transfers').insert(rowOf(transfer));
}

export async function deleteTransfer(db: Db, id: string): Promise<void> {
  await db('volume_transfers').where({ id }).delete();
}
