// The databases that the tests run on: SQLite always, MySQL where a server can be had.
import { parseDatabaseUrl } from '../../src/kernel/db/open.ts';
import { startMysql } from './mysql.ts';
import type { DatabaseUrl } from '../../src/kernel/db/database.ts';

export type Kind = 'sqlite' | 'mysql';

type Mysql = Awaited<ReturnType<typeof startMysql>>;

/** One server for the run, started when the first suite asks for it. */
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
    this.mysql ??= startMysql().then((server) => {
      process.stdout.write(
        server
          ? `  Tests run on SQLite and on ${server.version}.\n`
          : '  No MySQL or MariaDB server is installed: tests run on SQLite only.\n',
      );
      return server;
    });
    return this.mysql;
  }

  async stop(): Promise<void> {
    await (await this.mysql)?.stop();
  }
}

export const databases = new Databases();
