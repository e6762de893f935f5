// The databases that the tests run on: SQLite always, and MySQL if a server is available.
import { parseDatabaseUrl } from '../../src/kernel/db/open.ts';
import { startMysql } from './mysql.ts';
import type { DatabaseUrl } from '../../src/kernel/db/database.ts';

export type Kind = 'sqlite' | 'mysql';

/**
 * The kinds of database that suites are declared for. CUMULET_TEST_DATABASE=none removes MySQL
 * altogether, so that its tests are not even reported as pending.
 */
export const kinds: readonly Kind[] =
  process.env['CUMULET_TEST_DATABASE'] === 'none' ? ['sqlite'] : ['sqlite', 'mysql'];

type Mysql = Awaited<ReturnType<typeof startMysql>>;

/** The MySQL server of this process, unless test/run.ts has started one for all processes. */
class Databases {
  private mysql: Promise<Mysql> | undefined;
  private count = 0;

  /** Creates an empty database. @returns undefined if there is no server of this kind */
  async fresh(kind: Kind): Promise<DatabaseUrl | undefined> {
    if (kind === 'sqlite') return { kind: 'memory' };
    const url = await this.freshUrl();
    return url === undefined ? undefined : parseDatabaseUrl(url);
  }

  /**
   * The URL of a new MySQL database, for emulators in processes of their own.
   * @returns undefined if there is no MySQL server
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
