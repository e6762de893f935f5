// The table of messages.
import type { Micros } from '../../../kernel/clock.ts';
import type { Message } from '../model.ts';
import { filter, page, type ColumnValues, type Listing } from './lists.ts';
import type { Db } from '../../../kernel/db/database.ts';

interface Row {
  id: string;
  project_id: string;
  request_id: string;
  resource_type: string;
  resource_uuid: string;
  action_id: string;
  detail_id: string;
  event_id: string;
  message_level: string;
  created_at: number;
  expires_at: number;
}

const rowOf = (message: Message): Row => ({
  id: message.id,
  project_id: message.projectId,
  request_id: message.requestId,
  resource_type: message.resourceType,
  resource_uuid: message.resourceUuid,
  action_id: message.actionId,
  detail_id: message.detailId,
  event_id: message.eventId,
  message_level: message.level,
  created_at: message.createdAt,
  expires_at: message.expiresAt,
});

const record = (row: Row): Message => ({
  id: row.id,
  projectId: row.project_id,
  requestId: row.request_id,
  resourceType: row.resource_type,
  resourceUuid: row.resource_uuid,
  actionId: row.action_id,
  detailId: row.detail_id,
  eventId: row.event_id,
  level: row.message_level,
  createdAt: Number(row.created_at),
  expiresAt: Number(row.expires_at),
});

export async function findMessage(db: Db, id: string): Promise<Message | undefined> {
  const row = (await db('volume_messages').where({ id }).first()) as Row | undefined;
  return row && record(row);
}

export async function selectMessages(db: Db, listing: Listing): Promise<Message[]> {
  const query = db('volume_messages').select('volume_messages.*');
  filter(db, query, 'volume_messages', listing);
  page(query, 'volume_messages', listing);
  return ((await query) as Row[]).map(record);
}

/** The row of a message, by its columns. */
export const messageRow = (message: Message): ColumnValues => ({ ...rowOf(message) });

/** Inserts a message, and deletes those that have expired. */
export async function insertMessage(db: Db, message: Message, now: Micros): Promise<void> {
  await db('volume_messages').where('expires_at', '<', now).delete();
  await db('volume_messages').insert(rowOf(message));
}

export async function deleteMessage(db: Db, id: string): Promise<void> {
  await db('volume_messages').where({ id }).delete();
}
