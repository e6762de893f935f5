// The outbox of a region: messages for servers outside of the cloud, such as a Nova elsewhere. A
// message is written in the transaction that it reports, and sent after that has been committed:
// see outbox-sender.ts.
import { isWithin, machineNow, SECOND } from '../clock.ts';
import { integer, json, micros, nullable, text } from '../db/columns.ts';
import type { Db } from '../db/database.ts';
import { SerializationFailure } from '../db/errors.ts';
import { Table, type RecordOf } from '../db/table.ts';
import { afterCommit, transact } from '../db/transaction.ts';
import { unavailable } from '../errors.ts';
import type { Context } from '../model.ts';

const messages = new Table(
  'outbox',
  {
    id: integer,
    kind: text,
    payload: json<unknown>(),
    createdAt: micros,
    claimedAt: nullable(micros),
    error: nullable(text),
  },
  { generated: 'id' },
);

/** A message that waits to be sent, or that could not be delivered and so has an `error`. */
export type OutboxMessage = RecordOf<typeof messages>;

/** How many messages that could not be delivered are kept. */
const maxUndelivered = 1000;

/** How many messages are sent at a time. */
const batchSize = 100;

/**
 * How long the claim on a message is valid, in the machine's time. After it, the process that
 * claimed the message is considered dead.
 */
const claimTimeout = 60 * SECOND;

/** Writes a message, which is sent once the transaction has been committed. */
export async function post(context: Context, kind: string, payload: unknown): Promise<void> {
  const { cloud, region, db, now } = context;
  const message = { kind, payload, createdAt: now, claimedAt: null, error: null };
  await messages.insert(db, message);
  afterCommit(db, () => region.outbox.wake(cloud, region));
}

/**
 * Lists the messages that are to be sent, and the newest of those that could not be delivered, in
 * the order in which they were written.
 */
export const listMessages = (db: Db): Promise<OutboxMessage[]> => messages.list(db);

/** Deletes the messages of a service. */
export async function discardAll(db: Db, service: string): Promise<void> {
  await db('outbox').where('kind', 'like', `${service}.%`).delete();
}

/**
 * Deletes the messages that are still to be sent, in a restored state: they may have been sent
 * after the snapshot was taken.
 */
export async function discardPending(db: Db): Promise<void> {
  await messages.remove(db, { error: null });
}

/** Messages of one kind that this process sends. */
export interface Batch {
  readonly kind: string;
  readonly ids: readonly number[];
  readonly payloads: readonly unknown[];
}

/**
 * Claims the oldest messages to send, as far as they are of one kind. One process sends at a time,
 * so that the messages arrive in order.
 * @returns undefined if there are none; 'elsewhere' if another process is sending
 */
export const claimBatch = (db: Db): Promise<Batch | 'elsewhere' | undefined> =>
  transact(db, async (trx) => {
    const pending = await messages.list(trx, { where: { error: null }, limit: batchSize });
    const [first] = pending;
    if (!first) return undefined;
    if (pending.some(({ claimedAt }) => claimedAt !== null && isWithin(claimTimeout, claimedAt)))
      return 'elsewhere';
    const end = pending.findIndex(({ kind }) => kind !== first.kind);
    const claimed = end < 0 ? pending : pending.slice(0, end);
    const ids = claimed.map(({ id }) => id);
    const unchanged = { id: ids, claimedAt: [...new Set(claimed.map((one) => one.claimedAt))] };
    const count = await messages.update(trx, unchanged, { claimedAt: machineNow() });
    if (count < ids.length)
      throw new SerializationFailure(unavailable('Another process is sending the messages.'));
    return { kind: first.kind, ids, payloads: claimed.map(({ payload }) => payload) };
  });

/** Makes the claim on a batch valid for longer. */
export async function renewClaim(db: Db, { ids }: Batch): Promise<void> {
  await messages.update(db, { id: ids }, { claimedAt: machineNow() });
}

/** Leaves a batch to the next process that sends. */
export async function releaseBatch(db: Db, { ids }: Batch): Promise<void> {
  await messages.update(db, { id: ids }, { claimedAt: null });
}

/** Deletes the messages that have been delivered. */
export async function removeBatch(db: Db, { ids }: Batch): Promise<void> {
  await messages.remove(db, { id: ids });
}

/** Keeps messages that could not be delivered, with the reason, and deletes the oldest of those. */
export async function keepUndelivered(db: Db, { ids }: Batch, error: string): Promise<void> {
  await messages.update(db, { id: ids }, { claimedAt: null, error });
  const oldest = await messages.list(db, {
    conditions: [(query) => void query.whereNotNull('error')],
    sort: [{ field: 'id', descending: true }],
    offset: maxUndelivered,
    limit: batchSize,
  });
  if (oldest.length) await messages.remove(db, { id: oldest.map(({ id }) => id) });
}
