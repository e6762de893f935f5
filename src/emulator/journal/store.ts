// Journal entries in the central database: inserted in batches, read in pages, and deleted when
// newer ones replace them.
import type { Database, Db } from '../../kernel/db/database.ts';
import { transact } from '../../kernel/db/transaction.ts';
import type { GenerationEntry, JournalEntry, NumberedEntry } from './model.ts';

/** Matches the journal's tables. A reset of everything empties them; snapshots leave them out. */
export const journalTables = /^journal_/;

interface Row {
  id: number;
  generation: number;
  request_id: string;
  service: string | null;
  region: string | null;
  entry: string;
}

const table = (db: Db) => db<Row>('journal_requests');

const recordOf = ({ id, entry }: Pick<Row, 'id' | 'entry'>): NumberedEntry => ({
  id,
  ...(JSON.parse(entry) as JournalEntry),
});

/** Inserts entries, in order. */
export async function insertEntries(db: Db, entries: readonly GenerationEntry[]): Promise<void> {
  const rows = entries.map(({ generation, entry }) => {
    const { request_id, service, region } = entry;
    return { generation, request_id, service, region, entry: JSON.stringify(entry) };
  });
  await transact(db, (trx) => table(trx).insert(rows));
}

/** How many entries are read at once. */
const pageSize = 500;

/** Selects the newest `keep` entries of a generation, and of those the ones between two numbers. */
export interface EntrySpan {
  readonly generation: number;
  readonly keep: number;
  /** Entries with a greater number. */
  readonly after?: number | undefined;
  /** Entries with a smaller number. */
  readonly before?: number | undefined;
}

/** Reads entries, the newest first. */
export async function* listEntries(
  db: Db,
  { generation, keep, after = 0, before }: EntrySpan,
): AsyncGenerator<NumberedEntry> {
  const newestExpired = await table(db)
    .where({ generation })
    .orderBy('id', 'desc')
    .offset(keep)
    .first('id');
  const lowest = Math.max(after, newestExpired?.id ?? 0);
  for (let below = before; ;) {
    const query = table(db)
      .where({ generation })
      .where('id', '>', lowest)
      .orderBy('id', 'desc')
      .limit(pageSize);
    const rows = await (below === undefined ? query : query.where('id', '<', below)).select(
      'id',
      'entry',
    );
    for (const row of rows) yield recordOf(row);
    if (rows.length < pageSize) return;
    below = rows.at(-1)!.id;
  }
}

/**
 * Finds an entry by its number or its request id. A request id also belongs to the requests that
 * services sent because of it; the client's own request is preferred.
 */
export async function findEntry(
  db: Db,
  generation: number,
  key: number | string,
): Promise<NumberedEntry | undefined> {
  const rows = await table(db)
    .where({ generation, ...(typeof key === 'number' ? { id: key } : { request_id: key }) })
    .orderBy('id')
    .select('id', 'entry');
  const found = rows.map(recordOf);
  return found.find(({ inside }) => !inside) ?? found[0];
}

/** Deletes the entries of a service, of a region, of a service in a region, or all. */
export async function deleteEntries(
  db: Db,
  scope: { service?: string; region?: string } = {},
): Promise<void> {
  await transact(db, (trx) => table(trx).where(scope).delete());
}

/** Deletes all entries except the newest `keep`. */
export async function trimEntries(db: Db, keep: number): Promise<void> {
  const newestExpired = await table(db).orderBy('id', 'desc').offset(keep).first('id');
  if (newestExpired)
    await transact(db, (trx) => table(trx).where('id', '<=', newestExpired.id).delete());
}

/** Waits until other processes have committed the entries that they are inserting. */
export async function waitForWriters({ kind, db }: Database): Promise<void> {
  if (kind === 'mysql')
    await db.transaction((trx) => table(trx).orderBy('id', 'desc').forShare().first('id'));
}
