// Watches which tables of a database change, by this process or by others.
import type { Database, Db } from '../database.ts';
import { targetOf } from './table-writes.ts';

/** Collects the tables that change. It computes nothing unless it is asked. */
export interface TableWatch {
  /** The tables that have changed since the last call. The first call returns none on MySQL. */
  take(): Promise<ReadonlySet<string>>;
  stop(): void;
}

export const watchTables = ({ kind, db }: Database): TableWatch =>
  kind === 'sqlite' ? watchStatements(db) : watchUpdateTimes(db);

/** SQLite has one process and one connection, so the statements of this process are all. */
function watchStatements(db: Db): TableWatch {
  let changed = new Set<string>();
  const note = ({ sql }: { readonly sql?: string }): void => {
    const target = targetOf(sql ?? '');
    if (typeof target === 'string') changed.add(target);
  };
  db.on('query', note);
  return {
    take: () => {
      const taken = changed;
      changed = new Set();
      return Promise.resolve(taken);
    },
    stop: () => void db.removeListener('query', note),
  };
}

/**
 * MySQL and MariaDB keep the second of each table's last commit. A table that changes twice in a
 * second is reported again in the next one. The hint makes MySQL 8 read the time instead of a copy
 * that is a day old; MariaDB does not know it.
 */
function watchUpdateTimes(db: Db): TableWatch {
  const known = new Map<string, number>();
  let readAt: number | undefined;
  return {
    take: async () => {
      const [rows] = (await db.raw(
        `SELECT /*+ SET_VAR(information_schema_stats_expiry = 0) */ table_name AS name,
        UNIX_TIMESTAMP(update_time) AS time, UNIX_TIMESTAMP() AS now
        FROM information_schema.tables
        WHERE table_schema = DATABASE() AND update_time IS NOT NULL`,
      )) as [{ name: string; time: number; now: number }[]];
      const since = readAt;
      const changed = rows.filter(
        ({ name, time }) => since !== undefined && (known.get(name) !== time || time >= since),
      );
      for (const { name, time } of rows) known.set(name, time);
      readAt = rows[0]?.now ?? since ?? 0;
      return new Set(changed.map(({ name }) => name));
    },
    stop: () => {},
  };
}
