// The Knex client for MySQL: it retries connections that the server's full queue rejects, pipelines
// statements, and detects a server that has stopped responding.
import mysql2Client from 'knex/lib/dialects/mysql2/index.js';
import mysqlTransaction from 'knex/lib/dialects/mysql/transaction.js';
import { runAfter, pause } from '../../clock.ts';
import { closedError, noResponseError } from '../errors.ts';
import { cheapToBegin, type TransactionClass } from './knex-transaction.ts';
import { packetsOf, separator, type PacketLimits } from './mysql-packets.ts';
import { MysqlTableCompiler } from './mysql-tables.ts';
import { FailedStatement, Pipeline, type Result, type Sending } from './mysql-pipeline.ts';

const Mysql2Client = mysql2Client as new (...args: unknown[]) => {
  readonly connectionSettings: { readonly connectTimeout: number };
  readonly config: { readonly packets: PacketLimits };
  readonly pool?: { readonly destroyed: boolean };
  acquireConnection(): Promise<Connection>;
  acquireRawConnection(): Promise<Connection>;
  _query(connection: Connection, query: Query): Promise<Query>;
};

const MysqlTransaction = cheapToBegin(mysqlTransaction as TransactionClass);

interface Connection {
  /**
   * The statements to send. A field of the connection, because Knex creates a transaction's client
   * without running its constructor.
   */
  pipeline?: Pipeline;
  format(sql: string, values: readonly unknown[] | undefined): string;
  query(
    sql: string,
    done: (error: Error | null, rows: unknown, columns: unknown) => void,
  ): { on(event: 'fields', listener: () => void): void };
  destroy(): void;
}

interface Query {
  readonly sql: string;
  readonly bindings?: readonly unknown[];
  readonly queryContext?: Sending;
  response?: Result;
}

/** How many attempts a connection gets, by error code, with exponential back-off. */
const attempts: Readonly<Record<string, number>> = { ECONNRESET: 4, ETIMEDOUT: 2 };

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? '';

export class MysqlClient extends Mysql2Client {
  /**
   * Connects, with retries: a burst of new connections overflows the server's queue, which resets
   * some and never answers others. A server that is down refuses them at once.
   */
  override async acquireRawConnection(): Promise<Connection> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await super.acquireRawConnection();
      } catch (error) {
        if (attempt >= (attempts[codeOf(error)] ?? 1)) throw error;
        await pause(10 * 2 ** attempt);
      }
    }
  }

  /**
   * Acquires a connection of the pool. Whoever asks a pool that is being closed would wait until
   * the timeout.
   * @throws `closedError`
   */
  override async acquireConnection(): Promise<Connection> {
    if (this.isClosed) throw closedError();
    try {
      return await super.acquireConnection();
    } catch (error) {
      throw this.isClosed ? closedError() : error;
    }
  }

  private get isClosed(): boolean {
    return this.pool?.destroyed ?? true;
  }

  /** Knex asks for the compiler of a table here. */
  tableCompiler(builder: unknown): MysqlTableCompiler {
    return new MysqlTableCompiler(this, builder);
  }

  transaction(...args: unknown[]): unknown {
    return new MysqlTransaction(this, ...args);
  }

  override async _query(connection: Connection, query: Query): Promise<Query> {
    if (!query.sql) throw new Error('The query is empty');
    // Outside a transaction there is nothing to pipeline: each statement has its own connection.
    if (!connection.pipeline?.inTransaction && !query.sql.startsWith('BEGIN'))
      return this.whileResponsive(connection, super._query(connection, query));
    connection.pipeline ??= new Pipeline((texts) =>
      this.whileResponsive(connection, sendAll(connection, texts, this.config.packets)),
    );
    query.response = await connection.pipeline.execute(
      connection.format(query.sql, query.bindings),
      query.queryContext,
    );
    return query;
  }

  /**
   * Waits for a result. A statement may take any time, because of a lock or a large table, while
   * the server is alive: whenever the result is late, a new connection shows whether the server
   * still greets clients.
   * @throws `noResponseError` if it does not
   */
  private async whileResponsive<T>(connection: Connection, result: Promise<T>): Promise<T> {
    let isWaiting = true;
    let cancel = (): void => undefined;
    const silent = new Promise<never>((_, reject) => {
      const checkLater = (): void => {
        cancel = runAfter(this.connectionSettings.connectTimeout, async () => {
          const greets = await this.greets();
          if (!isWaiting) return;
          if (greets) return checkLater();
          reject(noResponseError());
          connection.destroy();
        });
      };
      checkLater();
    });
    try {
      return await Promise.race([result, silent]);
    } finally {
      isWaiting = false;
      cancel();
    }
  }

  /** Whether the server responds to a new connection, be it with an error. */
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
 * Sends statements in as few packets as the server's limit on their size allows.
 * @throws FailedStatement for the first that fails; those after it are not run
 */
async function sendAll(
  connection: Connection,
  texts: readonly string[],
  limits: PacketLimits,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const packet of packetsOf(texts, limits))
    for (const result of await send(connection, packet, results.length)) results.push(result);
  return results;
}

/**
 * Sends statements in one packet. The driver returns a list of results only if it has several.
 * @param before how many statements were sent in earlier packets
 * @throws FailedStatement for the first that fails
 */
function send(connection: Connection, texts: readonly string[], before: number): Promise<Result[]> {
  return new Promise((resolve, reject) => {
    let at = before;
    const sent = connection.query(texts.join(separator), (error, rows, columns) => {
      if (error) reject(new FailedStatement(error, at));
      else if (texts.length === 1) resolve([[rows, columns]]);
      else resolve((rows as unknown[]).map((one, index) => [one, (columns as unknown[])[index]]));
    });
    sent.on('fields', () => at++); // each statement that succeeds has columns, or none
  });
}
