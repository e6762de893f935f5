// Groups the statements of one MySQL connection into packets: a round trip costs more than most
// statements do.
import { isGuardFailure, isRefusedByConstraint } from '../errors.ts';
import type { Guard } from '../guarded.ts';

/**
 * The driver's result of a statement: the rows of a query or the counts of a write, and columns.
 */
export type Result = readonly [rows: unknown, columns: unknown];

/**
 * Sends statements in one packet.
 * @throws FailedStatement for the first that fails; the server does not run those after it
 */
export type SendPacket = (texts: readonly string[]) => Promise<readonly Result[]>;

/** A statement of a packet has failed. */
export class FailedStatement extends Error {
  readonly at: number;
  /** @param at the position of the statement in the packet */
  constructor(cause: Error, at: number) {
    super(cause.message, { cause });
    this.at = at;
  }
}

/** How a statement is sent; by default at once. */
export interface Sending {
  /** Whether nobody needs the result of a write, so that it can wait for the next statement. */
  readonly deferred?: boolean;
  /** What the server checks about a write, which is deferred as well. */
  readonly guard?: Guard;
}

interface Queued {
  readonly text: string;
  /** The guard of a write, and of the statement after it that checks the number of rows. */
  readonly guard?: Guard | undefined;
  /** Undefined if nobody needs the statement's result. */
  readonly caller?: {
    readonly resolve: (result: Result) => void;
    readonly reject: (error: unknown) => void;
  };
}

/** The result of a statement that nobody waits for, or that is never sent. */
const noResult: Result = [{ affectedRows: 0, insertId: 0 }, undefined];

/**
 * Fails, and so ends the packet, if the write before it has changed another number of rows: a query
 * that returns two rows is no value. Unlike SELECT, SET has no result to transfer.
 */
const checkOfRows = (rows: number): string =>
  `SET @cumulet_guard = IF(ROW_COUNT() = ${rows}, 1, (SELECT 1 UNION SELECT 2))`;

const isBegin = ({ text }: Queued): boolean => text === 'BEGIN';

/** Whether a statement only begins a transaction, or begins or ends a nested one. */
const isBoundary = ({ text }: Queued): boolean =>
  /^(?:BEGIN$|SAVEPOINT |RELEASE SAVEPOINT )/.test(text);

/**
 * The statements that a connection has yet to send. A statement is sent as soon as no promise
 * callback is left that could add another one. Statements that are started concurrently, with
 * Promise.all for example, therefore share a packet, keep their order, and fail together.
 * Transaction boundaries and deferred writes wait for the next statement whose result somebody
 * needs. A transaction that ends before it has such a statement sends nothing at all.
 */
export class Pipeline {
  private queue: Queued[] = [];
  private isBusy = false;
  /** Whether a transaction is open. Only then can a write be deferred: COMMIT will send it. */
  inTransaction = false;
  /** Set if a deferred write may not have run: the transaction can only be rolled back. */
  private failure: { readonly error: unknown } | undefined;
  private readonly send: SendPacket;

  constructor(send: SendPacket) {
    this.send = send;
  }

  /** Queues a statement, which contains its values, and waits for its result if it has one. */
  async execute(statement: string, { deferred, guard }: Sending = {}): Promise<Result> {
    const text = statement.replace(/;$/, '');
    if (this.failure && text !== 'ROLLBACK') await this.reject(text, this.failure.error);
    if (/^(?:BEGIN|COMMIT|ROLLBACK)$/.test(text)) this.inTransaction = text === 'BEGIN';
    if (text === 'ROLLBACK') this.failure = undefined;
    if (text.startsWith('ROLLBACK') && this.discard(text)) return noResult;
    if (text === 'COMMIT' && this.queue.some(isBegin) && this.queue.every(isBoundary)) {
      this.queue = [];
      return noResult;
    }
    if (guard && this.inTransaction) return this.queueGuarded(text, guard);
    if ((deferred && this.inTransaction) || isBoundary({ text })) {
      this.queue.push({ text });
      return noResult;
    }
    return new Promise((resolve, reject) => {
      this.queue.push({ text, caller: { resolve, reject } });
      // The next tick runs after all promise callbacks that are ready.
      if (!this.isBusy) process.nextTick(() => void this.flush());
    });
  }

  /** Queues a write with its check. The result is the one that the check makes sure of. */
  private queueGuarded(text: string, guard: Guard): Result {
    this.queue.push({ text, guard });
    if (guard.rows === undefined) return noResult;
    this.queue.push({ text: checkOfRows(guard.rows), guard });
    return [{ affectedRows: guard.rows, insertId: 0 }, undefined];
  }

  /**
   * Removes the statements that a rollback would undo from the queue.
   * @returns whether that includes the beginning, so that the server has nothing to roll back
   */
  private discard(rollback: string): boolean {
    const boundary = rollback === 'ROLLBACK' ? 'BEGIN' : rollback.replace('ROLLBACK TO ', '');
    const begun = this.queue.findIndex(({ text }) => text === boundary);
    this.queue = begun < 0 ? this.queue.filter(({ caller }) => caller) : this.queue.slice(0, begun);
    return begun >= 0;
  }

  /**
   * Fails a statement of a transaction that can only be rolled back. Knex sends no ROLLBACK after a
   * COMMIT that fails, and would reuse the connection with an open transaction.
   */
  private async reject(text: string, error: unknown): Promise<never> {
    if (text === 'COMMIT') await this.execute('ROLLBACK').catch(() => undefined);
    throw error;
  }

  /** @param ran how many statements of the packet the server has certainly run */
  private async onFailure(sent: readonly Queued[], ran: number, error: unknown): Promise<void> {
    if (sent.some(({ text }) => text === 'COMMIT'))
      await this.send(['ROLLBACK']).catch(() => undefined);
    else if (sent.slice(ran).some((one) => !one.caller && !isBoundary(one)))
      this.failure = { error };
  }

  private async flush(): Promise<void> {
    if (this.isBusy || !this.queue.some(({ caller }) => caller)) return;
    const sent = this.queue;
    this.queue = [];
    this.isBusy = true;
    try {
      const results = await this.send(sent.map(({ text }) => text));
      sent.forEach(({ caller }, at) => caller?.resolve(results[at]!));
    } catch (failure) {
      const error = causeOf(failure, sent);
      await this.onFailure(sent, failure instanceof FailedStatement ? failure.at : 0, error);
      for (const { caller } of sent) caller?.reject(error);
    } finally {
      this.isBusy = false;
      process.nextTick(() => void this.flush());
    }
  }
}

/** The driver's error of a packet, or the one that a guard has for it. */
function causeOf(failure: unknown, sent: readonly Queued[]): unknown {
  if (!(failure instanceof FailedStatement)) return failure;
  const { cause, at } = failure;
  const guard = sent[at]?.guard;
  return guard && (isGuardFailure(cause) || isRefusedByConstraint(cause)) ? guard.failure() : cause;
}
