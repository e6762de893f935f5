// The table of attachments.
import type { Micros } from '../../../kernel/clock.ts';
import { boolean, jsonObject, micros, nullable, text, textOf } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { Table } from '../../../kernel/db/table.ts';
import { attachmentStatuses, type Attachment } from '../model.ts';
import { listPage, type Page } from './lists.ts';

const attachments = new Table<Attachment>('volume_attachments', {
  id: text,
  volumeId: text,
  projectId: text,
  instanceUuid: nullable(text),
  hostName: nullable(text),
  mountpoint: nullable(text),
  mode: nullable(text),
  status: textOf(attachmentStatuses),
  connector: nullable(jsonObject()),
  connectionInfo: jsonObject(),
  byCompute: boolean,
  attachedAt: nullable(micros),
  createdAt: micros,
  updatedAt: nullable(micros),
});

export const findAttachment = (db: Db, id: string): Promise<Attachment | undefined> =>
  attachments.find(db, { id });

/** Lists the attachments of volumes, oldest first. */
export const attachmentsOf = (db: Db, volumeIds: readonly string[]): Promise<Attachment[]> =>
  attachments.list(db, { where: { volumeId: volumeIds }, sort: ['createdAt'] });

/** Lists the attachments of a server, oldest first. */
export const attachmentsOfServer = (db: Db, instanceUuid: string): Promise<Attachment[]> =>
  attachments.list(db, { where: { instanceUuid }, sort: ['createdAt'] });

export const selectAttachments = (db: Db, page: Page<Attachment>): Promise<Attachment[]> =>
  listPage(db, attachments, page);

export async function insertAttachment(db: Db, attachment: Attachment): Promise<void> {
  await attachments.insert(db, attachment);
}

export async function updateAttachment(db: Db, attachment: Attachment, now: Micros): Promise<void> {
  await attachments.update(db, { id: attachment.id }, { ...attachment, updatedAt: now });
}

export async function deleteAttachment(db: Db, id: string): Promise<void> {
  await attachments.remove(db, { id });
}

/** Deletes all attachments of a volume. */
export async function deleteAttachmentsOf(db: Db, volumeId: string): Promise<void> {
  await attachments.remove(db, { volumeId });
}
