// The table of transfers.
import { boolean, micros, nullable, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { Table } from '../../../kernel/db/table.ts';
import type { Transfer } from '../model.ts';
import { listPage, type Page } from './lists.ts';

const transfers = new Table<Transfer>('volume_transfers', {
  id: text,
  volumeId: text,
  name: nullable(text),
  salt: text,
  cryptHash: text,
  noSnapshots: boolean,
  sourceProjectId: text,
  createdAt: micros,
});

export const findTransfer = (db: Db, id: string): Promise<Transfer | undefined> =>
  transfers.find(db, { id });

/** Lists a page of transfers. A transfer belongs to the project of its volume. */
export const selectTransfers = (
  db: Db,
  { projectId, ...page }: Page<Transfer>,
): Promise<Transfer[]> =>
  listPage(db, transfers, { ...page, projectId: undefined }, (query) => {
    if (projectId === undefined) return;
    const volumes = db('volume_volumes').where({ project_id: projectId }).select('id');
    void query.whereIn('volume_id', volumes);
  });

export async function insertTransfer(db: Db, transfer: Transfer): Promise<void> {
  await transfers.insert(db, transfer);
}

export async function deleteTransfer(db: Db, id: string): Promise<void> {
  await transfers.remove(db, { id });
}

/** Deletes all transfers of a volume. */
export async function deleteTransfersOf(db: Db, volumeId: string): Promise<void> {
  await transfers.remove(db, { volumeId });
}
