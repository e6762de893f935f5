// The table of attachments.
import type { Micros } from '../../../kernel/clock.ts';
import type { Attachment } from '../model.ts';
import { filter, page, type ColumnValues, type Listing } from './lists.ts';
import type { Db } from '../../../kernel/db/database.ts';

interface Row {
  id: string;
  volume_id: string;
  project_id: string;
  instance_uuid: string | null;
  host_name: string | null;
  mountpoint: string | null;
  mode: string | null;
  status: string;
  connector: string | null;
  connection_info: string;
  by_compute: number | boolean;
  attached_at: number | null;
  created_at: number;
}

type Json = Readonly<Record<string, unknown>>;

const record = (row: Row): Attachment => ({
  id: row.id,
  volumeId: row.volume_id,
  projectId: row.project_id,
  instanceUuid: row.instance_uuid,
  hostName: row.host_name,
  mountpoint: row.mountpoint,
  mode: row.mode,
  status: row.status,
  connector: row.connector === null ? null : (JSON.parse(row.connector) as Json),
  connectionInfo: JSON.parse(row.connection_info) as Json,
  byCompute: Boolean(row.by_compute),
  attachedAt: row.attached_at === null ? null : Number(row.attached_at),
  createdAt: Number(row.created_at),
});

const rowOf = (attachment: Attachment): Row => ({
  id: attachment.id,
  volume_id: attachment.volumeId,
  project_id: attachment.projectId,
  instance_uuid: attachment.instanceUuid,
  host_name: attachment.hostName,
  mountpoint: attachment.mountpoint,
  mode: attachment.mode,
  status: attachment.status,
  connector: attachment.connector === null ? null : JSON.stringify(attachment.connector),
  connection_info: JSON.stringify(attachment.connectionInfo),
  by_compute: Number(attachment.byCompute),
  attached_at: attachment.attachedAt,
  created_at: attachment.createdAt,
});

export async function findAttachment(db: Db, id: string): Promise<Attachment | undefined> {
  const row = (await db('volume_attachments').where({ id }).first()) as Row | undefined;
  return row && record(row);
}

/** The attachments of these volumes, oldest first. */
export async function attachmentsOf(db: Db, volumeIds: readonly string[]): Promise<Attachment[]> {
  const rows = (await db('volume_attachments')
    .whereIn('volume_id', volumeIds)
    .orderBy(['created_at', 'id'])) as Row[];
  return rows.map(record);
}

/** The attachments of a server, oldest first. */
export async function attachmentsOfServer(db: Db, instanceUuid: string): Promise<Attachment[]> {
  const rows = (await db('volume_attachments')
    .where({ instance_uuid: instanceUuid })
    .orderBy(['created_at', 'id'])) as Row[];
  return rows.map(record);
}

export async function selectAttachments(db: Db, listing: Listing): Promise<Attachment[]> {
  const query = db('volume_attachments').select('volume_attachments.*');
  filter(db, query, 'volume_attachments', listing);
  page(query, 'volume_attachments', listing);
  return ((await query) as Row[]).map(record);
}

/** The row of an attachment, by its columns. */
export const attachmentRow = (attachment: Attachment): ColumnValues => ({ ...rowOf(attachment) });

export async function insertAttachment(db: Db, attachment: Attachment): Promise<void> {
  await db('volume_attachments').insert(rowOf(attachment));
}

export async function updateAttachment(db: Db, attachment: Attachment, now: Micros): Promise<void> {
  await db('volume_attachments')
    .where({ id: attachment.id })
    .update({ ...rowOf(attachment), updated_at: now });
}

export async function deleteAttachment(db: Db, id: string): Promise<void> {
  await db('volume_attachments').where({ id }).delete();
}
