// The databases that the tests run on: SQLite always, MySQL where a server can be had.
import { parseDatabaseUrl } from '../../src/kernel/db/open.ts';
import { startMysql } from './mysql.ts';
import type { DatabaseUrl } from '../../src/kernel/db/database.ts';

export type Kind = 'sqlite' | 'mysql';

/** The kinds that suites are declared for: one that CUMULET_TEST_DATABASE rules out is not even pending. */
export const kinds: readonly Kind[] = process.env['CUMULET_TEST_DATABASE'] === 'none' ? ['sqlite'] : ['sqlite', 'mysql'];

type Mysql = Awaited<ReturnType<typeof startMysql>>;

/** One server for the process, where test/run.ts has not started one for all of them. */
class Databases {
  private mysql: Promise<Mysql> | undefined;
  private count = 0;

  /** A new empty database; undefined where there is no such server. */
  async fresh(kind: Kind): Promise<DatabaseUrl | undefined> {
    if (kind === 'sqlite') return { kind: 'memory' };
    const server = await this.server();
    if (!server) return undefined;
    const url = new URL(server.url);
    url.pathname = `/cumulet_test_${process.pid}_${++this.count}`;
    return parseDatabaseUrl(url.href);
  }

  async server(): Promise<Mysql> {
    this.mysql ??= startMysql();
    return this.mysql;
  }

  async stop(): Promise<void> {
    await (await this.mysql)?.stop();
  }
}

export const databases = new Databases();
