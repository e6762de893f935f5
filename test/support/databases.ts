// The databases that the tests run on: SQLite always, MySQL where a server can be had.
import { parseDatabaseUrl } from '../../src/kernel/db/open.ts';
import { startMysql } from './mysql.ts';
import type { DatabaseUrl } from '../../src/kernel/db/database.ts';

export type Kind = 'sqlite' | 'mysql';

/**
 * The kinds that suites are declared for: one that CUMULET_TEST_DATABASE rules out is not even
 * pending.
 */
export const kinds: readonly Kind[] =
  process.env['CUMULET_TEST_DATABASE'] === 'none' ? ['sqlite'] : ['sqlite', 'mysql'];

type Mysql = Awaited<ReturnType<typeof startMysql>>;

/** One server for the process, where test/run.ts has not started one for all of them. */
class Databases {
  private mysql: Promise<Mysql> | undefined;
  private count = 0;

  /** A new empty database; undefined where there is no such server. */
  async fresh(kind: Kind): Promise<DatabaseUrl | undefined> {
    if (kind === 'sqlite') return { kind: 'memory' };
    const url = await this.freshUrl();
    return url === undefined ? undefined : parseDatabaseUrl(url);
  }

  /**
   * The URL of a database on MySQL that no other suite has, for emulators that are processes;
   * undefined where there is no server.
   */
  async freshUrl(): Promise<string | undefined> {
    const server = await this.server();
    return server && new URL(`/cumulet_test_${process.pid}_${++this.count}`, server.url).href;
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
