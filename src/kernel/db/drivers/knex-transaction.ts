// Transactions of Knex that are cheap to begin. Knex makes a Knex function for each, with some 140
// methods: 170 us, of which two thirds are garbage collection. Here a transaction inherits the
// methods of one such function for each pool, which takes 40 us.
import makeKnexFunction from 'knex/lib/knex-builder/make-knex.js';

/** What this file needs of a client of Knex. */
interface KnexClient {
  transacting?: boolean;
  /** What transactions inherit from. A transaction's client inherits it from that of its pool. */
  transactionPrototype?: KnexFunction;
  query(connection: unknown, statement: unknown): Promise<unknown>;
  acquireConnection(): Promise<unknown>;
  releaseConnection(): Promise<void>;
  removeListener(event: string, listener: unknown): void;
}

/** A Knex function: the methods of a pool, or of a transaction. */
interface KnexFunction {
  (table: string, options?: object): unknown;
  context: KnexContext;
  _internalListeners: { readonly eventName: string; readonly listener: unknown }[];
}

/** What the methods of a Knex function work on. */
interface KnexContext {
  client: KnexClient;
  queryBuilder(): { table(table: string, options?: object): unknown };
  transaction(run: unknown, options?: object): unknown;
  _transaction(run: unknown, options: object, outer: unknown): unknown;
}

/** A transaction as its function gets it. */
interface Transactor extends KnexFunction {
  isTransaction: true;
  parentTransaction?: Transactor;
  executionPromise: Promise<unknown>;
  commit(value: unknown): Promise<unknown>;
  rollback(error: unknown): Promise<unknown>;
  isCompleted(): boolean;
}

type Run = (transactor: Transactor) => unknown;

/** Knex's class of transactions: it runs the function, and acquires and releases the connection. */
export interface KnexTransaction {
  readonly client: KnexClient;
  readonly outerTx?: KnexTransaction | null;
  /** The name of the savepoint, in a nested transaction. */
  txid: string;
  trxClient?: KnexClient;
  transactor?: Transactor;
  _resolver?: (value: unknown) => void;
  _rejecter?: (error: unknown) => void;
  _completed: boolean;
  isCompleted(): boolean;
  begin(connection: unknown): Promise<unknown>;
  savepoint(connection: unknown): Promise<unknown>;
  commit(connection: unknown, value: unknown): Promise<unknown>;
  release(connection: unknown, value: unknown): Promise<unknown>;
  rollback(connection: unknown, error: unknown): Promise<unknown>;
  rollbackTo(connection: unknown, error: unknown): Promise<unknown>;
  query(connection: unknown, sql: string): Promise<unknown>;
}

export type TransactionClass = new (...args: unknown[]) => KnexTransaction;

const makeKnex = makeKnexFunction as (client: KnexClient) => KnexFunction;

/** Makes the transactions of a Knex class cheap to begin. */
export const cheapToBegin = (base: TransactionClass): TransactionClass =>
  class extends base {
    /** Knex calls this as soon as the transaction has a connection. */
    async _onAcquire(run: Run, connection: unknown): Promise<unknown> {
      const ended = new Promise((resolve, reject) => {
        this._resolver = resolve;
        this._rejecter = reject;
      });
      this.txid = savepointName(this);
      this.trxClient = clientOf(this, connection);
      try {
        await (this.client.transacting ? this.savepoint(connection) : this.begin(connection));
        this.transactor = transactorOf(this, this.trxClient, connection, ended);
        void runToEnd(this.transactor, run);
      } catch (error) {
        this._rejecter!(error);
      }
      return ended;
    }
  };

/**
 * The name of a savepoint: nested transactions of the same depth have the same, because SQLite's
 * client caches statements by their text. Knex numbers all transactions of the process.
 */
function savepointName({ outerTx }: KnexTransaction): string {
  let depth = 0;
  for (let outer = outerTx; outer; outer = outer.outerTx) depth++;
  return `nested_${depth}`;
}

/** Commits with the result of the function. If it returns no promise, the caller commits. */
async function runToEnd(transactor: Transactor, run: Run): Promise<void> {
  try {
    const result = run(transactor);
    if (isThenable(result)) await transactor.commit(await result);
  } catch (error) {
    await transactor.rollback(error);
  }
}

/** A promise, or a query of Knex. */
const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { then?: unknown } | undefined)?.then === 'function';

/** A client that sends all statements on the transaction's connection. */
function clientOf(transaction: KnexTransaction, connection: unknown): KnexClient {
  const { client } = transaction;
  const own: Partial<KnexClient> = {
    transacting: true,
    async query(used, statement) {
      if (used !== connection) throw new Error('A transaction has one connection only.');
      if (transaction.isCompleted()) throw new Error('The transaction has already ended.');
      return client.query.call(this, connection, statement);
    },
    acquireConnection: async () => connection,
    releaseConnection: async () => undefined,
  };
  return Object.assign(Object.create(client) as KnexClient, own);
}

function transactorOf(
  transaction: KnexTransaction,
  client: KnexClient,
  connection: unknown,
  executionPromise: Promise<unknown>,
): Transactor {
  const { client: outer, outerTx } = transaction;
  const isNested = outer.transacting;
  const prototype = (outer.transactionPrototype ??= prototypeFor(outer));
  const context: KnexContext = Object.assign(Object.create(prototype.context) as KnexContext, {
    client,
    transaction: (run: unknown, options: object = { doNotRejectOnRollback: true }) =>
      context._transaction(run, options, transaction),
  });
  const query = (table: string, options?: object): unknown =>
    context.queryBuilder().table(table, options);
  Object.setPrototypeOf(query, prototype);
  return Object.assign(
    query as Transactor,
    {
      context,
      isTransaction: true,
      executionPromise,
      ...(outerTx?.transactor && { parentTransaction: outerTx.transactor }),
      commit: (value: unknown) =>
        isNested ? transaction.release(connection, value) : transaction.commit(connection, value),
      rollback: (error: unknown) =>
        isNested
          ? transaction.rollbackTo(connection, error)
          : transaction.rollback(connection, error),
      isCompleted: () => transaction.isCompleted(),
    } as const,
  );
}

/** A Knex function without listeners of its own, which would hear each statement once more. */
function prototypeFor(pool: KnexClient): KnexFunction {
  const prototype = makeKnex(pool);
  for (const { eventName, listener } of prototype._internalListeners)
    pool.removeListener(eventName, listener);
  return prototype;
}
