// The journal of requests in the central database: rows that are added in batches, read in pages,
// and go when newer ones come.
import type { Micros } from '../../kernel/clock.ts';
import type { Json } from '../../kernel/json.ts';
import type { Database, Db } from '../../kernel/db/database.ts';
import { transact } from '../../kernel/db/transaction.ts';

/**
 * The journal's tables: a reset of everything empties them, and they are no part of what a cloud
 * holds.
 */
export const journalTables = /^journal_/;

/** A request that was answered, or dropped. What is not known is null. */
export interface JournalEntry {
  readonly request_id: string;
  /** By the emulator's clock. */
  readonly time: Micros;
  /** When it came, by the machine's. */
  readonly machine_time: Micros;
  readonly duration_ms: number;
  readonly method: string;
  /** The part of the path before the service's own, such as `/RegionTwo/compute`. */
  readonly prefix: string;
  /** The path below it, without a project. */
  readonly path: string;
  readonly query: string;
  /** A gateway has the name of the service for which it stands. */
  readonly service: string | null;
  /** Null for central services, which are in none. */
  readonly region: string | null;
  /** The operationId of api-ref; null where the request was refused before it was known. */
  readonly operation: string | null;
  readonly action: string | null;
  /** Sent by a service, and not by a client. */
  readonly inside: boolean;
  /** As the request has it, such as `2.1` or `latest`. */
  readonly version_asked: string | null;
  /** The one that was used. */
  readonly version: string | null;
  readonly project_id: string | null;
  readonly project_name: string | null;
  readonly user_id: string | null;
  readonly user_name: string | null;
  readonly user_agent: string | null;
  /** Null for a connection that was closed without an answer. */
  readonly status: number | null;
  readonly dropped: boolean;
  /** The fault rules that had an effect on it. */
  readonly fault_rules: readonly number[];
  /**
   * Without secrets; of one that is too long the beginning, as a text. Null where it is not JSON,
   * or there is none.
   */
  readonly request_body: Json;
  readonly request_body_cut: boolean;
  /** The length of the body as it came. */
  readonly request_bytes: number | null;
  /** The body of a refusal, like that of the request. */
  readonly response_body: Json;
  readonly response_body_cut: boolean;
}

/** An entry with the journal's number, which is unique and grows. */
export interface NumberedEntry extends JournalEntry {
  readonly id: number;
}

interface Row {
  id: number;
  generation: number;
  request_id: string;
  service: string | null;
  region: string | null;
  entry: string;
}

/** An entry to be written, with the era in which it was noted. */
export interface GenerationEntry {
  readonly generation: number;
  readonly entry: JournalEntry;
}

const table = (db: Db) => db<Row>('journal_requests');

const recordOf = ({ id, entry }: Pick<Row, 'id' | 'entry'>): NumberedEntry => ({
  id,
  ...(JSON.parse(entry) as JournalEntry),
});

/** Adds entries, in order. */
export async function insertEntries(db: Db, noted: readonly GenerationEntry[]): Promise<void> {
  const rows = noted.map(({ generation, entry }) => {
    const { request_id, service, region } = entry;
    return { generation, request_id, service, region, entry: JSON.stringify(entry) };
  });
  await transact(db, (trx) => table(trx).insert(rows));
}

/** How many entries are read at once. */
const pageSize = 500;

/**
 * Which entries are read: of an era, the newest `keep`, and of those the ones between two numbers.
 */
export interface EntrySpan {
  readonly generation: number;
  readonly keep: number;
  /** Those with a greater number. */
  readonly after?: number | undefined;
  /** Those with a smaller number. */
  readonly before?: number | undefined;
}

/** The entries, the newest first. */
export async function* listedEntries(
  db: Db,
  { generation, keep, after = 0, before }: EntrySpan,
): AsyncGenerator<NumberedEntry> {
  const oldest = await table(db)
    .where({ generation })
    .orderBy('id', 'desc')
    .offset(keep)
    .first('id');
  const least = Math.max(after, oldest?.id ?? 0);
  for (let below = before; ;) {
    const query = table(db)
      .where({ generation })
      .where('id', '>', least)
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

/** The entry with the number, or the one that a client has the request id of. */
export async function findEntry(
  db: Db,
  generation: number,
  name: number | string,
): Promise<NumberedEntry | undefined> {
  const rows = await table(db)
    .where({ generation, ...(typeof name === 'number' ? { id: name } : { request_id: name }) })
    .orderBy('id')
    .select('id', 'entry');
  const found = rows.map(recordOf);
  return found.find(({ inside }) => !inside) ?? found[0];
}

/** Deletes the entries of a service, of a region, of a service in a region, or all of them. */
export async function deleteEntries(
  db: Db,
  scope: { service?: string; region?: string } = {},
): Promise<void> {
  await transact(db, (trx) => table(trx).where(scope).delete());
}

/** Deletes all but the newest. */
export async function trimEntries(db: Db, keep: number): Promise<void> {
  const oldest = await table(db).orderBy('id', 'desc').offset(keep).first('id');
  if (oldest) await transact(db, (trx) => table(trx).where('id', '<=', oldest.id).delete());
}

/** Waits for what other processes are writing at the moment. */
export async function afterWriters({ kind, db }: Database): Promise<void> {
  if (kind === 'mysql')
    await db.transaction((trx) => table(trx).orderBy('id', 'desc').forShare().first('id'));
}
