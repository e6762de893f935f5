// The table of OAuth consumers.
import { jsonObject, nullable, text } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table } from '../../../../kernel/db/table.ts';
import type { Consumer } from '../../model.ts';

const consumers = new Table<Consumer>('identity_consumers', {
  id: text,
  description: nullable(text),
  secret: text,
  extra: jsonObject(),
});

export async function insertConsumer(db: Db, consumer: Consumer): Promise<void> {
  await consumers.insert(db, consumer);
}

export async function updateConsumer(db: Db, consumer: Consumer): Promise<void> {
  await consumers.update(db, { id: consumer.id }, consumer);
}

/** Deletes a consumer with its request tokens and access tokens. */
export async function deleteConsumer(db: Db, id: string): Promise<void> {
  await consumers.remove(db, { id });
}

export const findConsumer = (db: Db, id: string): Promise<Consumer | undefined> =>
  consumers.find(db, { id });

/** All consumers, ordered by id. */
export const listConsumers = (db: Db): Promise<Consumer[]> => consumers.list(db);
