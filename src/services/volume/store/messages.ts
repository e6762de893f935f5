// The table of messages.
import type { Micros } from '../../../kernel/clock.ts';
import { micros, named, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { Table } from '../../../kernel/db/table.ts';
import type { Message } from '../model.ts';
import { listPage, type Page } from './lists.ts';

const messages = new Table<Message>('volume_messages', {
  id: text,
  projectId: text,
  requestId: text,
  resourceType: text,
  resourceUuid: text,
  actionId: text,
  detailId: text,
  eventId: text,
  level: named('message_level', text),
  createdAt: micros,
  expiresAt: micros,
});

export const findMessage = (db: Db, id: string): Promise<Message | undefined> =>
  messages.find(db, { id });

export const selectMessages = (db: Db, page: Page<Message>): Promise<Message[]> =>
  listPage(db, messages, page);

/** Inserts a message, and deletes the messages that have expired. */
export async function insertMessage(db: Db, message: Message, now: Micros): Promise<void> {
  await messages.query(db).where('expires_at', '<', now).delete();
  await messages.insert(db, message);
}

export async function deleteMessage(db: Db, id: string): Promise<void> {
  await messages.remove(db, { id });
}
