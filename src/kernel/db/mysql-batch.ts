// Statements of one connection to MySQL that go out together: a round trip costs more than most
// statements do.

/**
 * What the driver answers to one statement: the rows of a query or the counts of a write, and the
 * columns.
 */
export type Result = readonly [rows: unknown, columns: unknown];

/**
 * Sends statements in one packet.
 * @throws the error of the first that fails; the server does none of those after it
 */
export type Send = (texts: readonly string[]) => Promise<readonly Result[]>;

interface Queued {
  readonly text: string;
  /** Undefined for a statement whose answer nobody waits for. */
  readonly waiter?: {
    readonly done: (result: Result) => void;
    readonly failed: (error: unknown) => void;
  };
}

/** The answer to a statement that has not been sent. */
const unsent: Result = [{ affectedRows: 0, insertId: 0 }, undefined];

const isBegin = ({ text }: Queued): boolean => text === 'BEGIN';

/** Whether a statement only marks where a transaction, or a nested one, begins or ends. */
const isMark = ({ text }: Queued): boolean =>
  /^(?:BEGIN$|SAVEPOINT |RELEASE SAVEPOINT )/.test(text);

/**
 * What a connection is about to send. A statement whose answer is waited for goes out when there is
 * no more to be asked without an answer: what is asked for with Promise.all goes out together, in
 * its order, and fails together. The marks of transactions, and writes that are sent `along`, wait
 * for the next such statement. Nothing is sent of a transaction that ends before it has asked for
 * anything.
 */
export class Batch {
  private queue: Queued[] = [];
  private isBusy = false;
  /** Whether a transaction has begun: only its end makes sure that what is sent along goes out. */
  isWithin = false;
  /**
   * Why the transaction can only be rolled back: something went along that may not have been done.
   */
  private broken: { readonly error: unknown } | undefined;
  private readonly send: Send;

  constructor(send: Send) {
    this.send = send;
  }

  /** Sends a statement, with its values in it, when its time has come. */
  async ask(statement: string, deferred = false): Promise<Result> {
    const text = statement.replace(/;$/, '');
    if (this.broken && text !== 'ROLLBACK') await this.refuse(text, this.broken.error);
    if (/^(?:BEGIN|COMMIT|ROLLBACK)$/.test(text)) this.isWithin = text === 'BEGIN';
    if (text === 'ROLLBACK') this.broken = undefined;
    if (text.startsWith('ROLLBACK') && this.forget(text)) return unsent;
    if (text === 'COMMIT' && this.queue.some(isBegin) && this.queue.every(isMark)) {
      this.queue = [];
      return unsent;
    }
    if ((deferred && this.isWithin) || isMark({ text })) {
      this.queue.push({ text });
      return unsent;
    }
    return new Promise((done, failed) => {
      this.queue.push({ text, waiter: { done, failed } });
      // A tick comes when all promises have gone as far as they can.
      if (!this.isBusy) process.nextTick(() => void this.flush());
    });
  }

  /**
   * Takes back what is to be rolled back and has not been sent.
   * @returns whether that is all of it
   */
  private forget(rollback: string): boolean {
    const mark = rollback === 'ROLLBACK' ? 'BEGIN' : rollback.replace('ROLLBACK TO ', '');
    const begun = this.queue.findIndex(({ text }) => text === mark);
    this.queue = begun < 0 ? this.queue.filter(({ waiter }) => waiter) : this.queue.slice(0, begun);
    return begun >= 0;
  }

  /**
   * Knex takes a COMMIT for the end, whatever comes of it: without a ROLLBACK the connection would
   * be used again with a transaction that is open.
   */
  private async refuse(text: string, error: unknown): Promise<never> {
    if (text === 'COMMIT') await this.ask('ROLLBACK').catch(() => undefined);
    throw error;
  }

  private async giveUp(sent: readonly Queued[], error: unknown): Promise<void> {
    if (sent.some(({ text }) => text === 'COMMIT'))
      await this.send(['ROLLBACK']).catch(() => undefined);
    else if (sent.some((one) => !one.waiter && !isMark(one))) this.broken = { error };
  }

  private async flush(): Promise<void> {
    if (this.isBusy || !this.queue.some(({ waiter }) => waiter)) return;
    const sent = this.queue;
    this.queue = [];
    this.isBusy = true;
    try {
      const results = await this.send(sent.map(({ text }) => text));
      sent.forEach(({ waiter }, at) => waiter?.done(results[at]!));
    } catch (error) {
      await this.giveUp(sent, error);
      for (const { waiter } of sent) waiter?.failed(error);
    } finally {
      this.isBusy = false;
      process.nextTick(() => void this.flush());
    }
  }
}
