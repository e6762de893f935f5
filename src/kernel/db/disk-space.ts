// The disk space of SQLite databases: requiring some, and giving it back after a failure.
import { statfsSync } from 'node:fs';
import type { Database, DatabaseUrl } from './database.ts';

/** The size of SQLite's cache, in bytes: what a transaction may write at its commit. */
const cacheSize = 2_048_000;

/**
 * Requires space for the commits of large transactions in some databases of a folder. Everything
 * else that they have written is on the disk already.
 * @throws Error as for a full disk
 */
export const requireSpaceToCommit = (at: DatabaseUrl, databases: number): void =>
  requireSpace(at, databases * cacheSize);

/** Requires this many free bytes on the disk of a folder. @throws Error as for a full disk */
export function requireSpace(at: DatabaseUrl, bytes: number): void {
  if (at.kind !== 'sqlite') return;
  const { bavail, bsize } = statfsSync(at.folder);
  if (bavail * bsize >= bytes) return;
  throw Object.assign(new Error('The disk has too little space.'), { code: 'ENOSPC' });
}

/** Gives the space of the write-ahead log back to the disk, as far as possible. */
export const shrinkLog = (database: Database): Promise<void> => run(database, [truncateLog]);

/** Gives the space of deleted rows and of the log back to the disk, as far as possible. */
export const releaseSpace = (database: Database): Promise<void> =>
  run(database, [truncateLog, 'VACUUM', truncateLog]);

/** Writes the pages of the log to the database, and makes the log empty. */
export const truncateLog = 'PRAGMA wal_checkpoint(TRUNCATE)';

/** Runs statements on SQLite. Each may fail if the disk is full, and may be missed out then. */
async function run({ kind, db }: Database, statements: readonly string[]): Promise<void> {
  if (kind !== 'sqlite') return;
  for (const statement of statements) await db.raw(statement).catch(() => undefined);
}
