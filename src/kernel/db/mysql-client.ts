// The Knex client for MySQL: it connects again where the server's queue of new connections was
// full, sends statements together, and notices a server that answers nobody.
import mysql2Client from 'knex/lib/dialects/mysql2/index.js';
import { runAfter, pause } from '../clock.ts';
import { noResponseError } from './errors.ts';
import { Batch, type Result } from './mysql-batch.ts';

const Mysql2Client = mysql2Client as new (...args: unknown[]) => {
  readonly connectionSettings: { readonly connectTimeout: number };
  acquireRawConnection(): Promise<Connection>;
  _query(connection: Connection, query: Query): Promise<Query>;
};

interface Connection {
  /**
   * What it is about to send. It is kept here because Knex makes a transaction's client without
   * running a constructor.
   */
  batch?: Batch;
  format(sql: string, values: readonly unknown[] | undefined): string;
  query(sql: string, done: (error: Error | null, rows: unknown, columns: unknown) => void): void;
  destroy(): void;
}

interface Query {
  readonly sql: string;
  readonly bindings?: readonly unknown[];
  readonly queryContext?: { readonly deferred?: boolean };
  response?: Result;
}

/** How often a connection is tried, by the error: each pause is longer than the one before. */
const tries: Readonly<Record<string, number>> = { ECONNRESET: 4, ETIMEDOUT: 2 };

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? '';

/** The Knex client. */
export class MysqlClient extends Mysql2Client {
  /**
   * A burst of new connections overflows the server's queue: some are reset, others never answered.
   * A server that is down refuses them.
   */
  override async acquireRawConnection(): Promise<Connection> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await super.acquireRawConnection();
      } catch (error) {
        if (attempt >= (tries[codeOf(error)] ?? 1)) throw error;
        await pause(10 * 2 ** attempt);
      }
    }
  }

  override async _query(connection: Connection, query: Query): Promise<Query> {
    if (!query.sql) throw new Error('The query is empty');
    // Outside of a transaction nothing comes together: each statement has a connection of its own.
    if (!connection.batch?.isWithin && !query.sql.startsWith('BEGIN'))
      return this.answered(connection, super._query(connection, query));
    connection.batch ??= new Batch((texts) => this.answered(connection, send(connection, texts)));
    query.response = await connection.batch.ask(
      connection.format(query.sql, query.bindings),
      query.queryContext?.deferred,
    );
    return query;
  }

  /**
   * A statement waits as long as it takes, for a lock as for a large table, but not for a server
   * that has stopped: where the answer is late, a new connection shows whether the server greets
   * it.
   * @throws the error `silence` where it does not
   */
  private async answered<T>(connection: Connection, answer: Promise<T>): Promise<T> {
    let waits = true;
    let cancel = (): void => undefined;
    const silent = new Promise<never>((_, reject) => {
      const look = (): void => {
        cancel = runAfter(this.connectionSettings.connectTimeout, async () => {
          const greets = await this.greets();
          if (!waits) return;
          if (greets) return look();
          reject(noResponseError());
          connection.destroy();
        });
      };
      look();
    });
    try {
      return await Promise.race([answer, silent]);
    } finally {
      waits = false;
      cancel();
    }
  }

  /** Whether the server answers a new connection, if only by refusing it. */
  private async greets(): Promise<boolean> {
    try {
      (await super.acquireRawConnection()).destroy();
      return true;
    } catch (error) {
      return codeOf(error).startsWith('ER_');
    }
  }
}

/**
 * Sends statements in one packet. The driver has a list of results only where there are several.
 */
function send(connection: Connection, texts: readonly string[]): Promise<Result[]> {
  return new Promise((resolve, reject) => {
    connection.query(texts.join(';\n'), (error, rows, columns) => {
      if (error) reject(error);
      else if (texts.length === 1) resolve([[rows, columns]]);
      else resolve((rows as unknown[]).map((one, at) => [one, (columns as unknown[])[at]]));
    });
  });
}
