// The columns of volumes and attachments that an audit compares.
import { nullable, text, textOf } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { Table } from '../../../kernel/db/table.ts';
import { attachmentStatuses, volumeStatuses, type Attachment, type Volume } from '../model.ts';

export type AuditedVolume = Pick<Volume, 'id' | 'name' | 'projectId' | 'status'>;
export type AuditedAttachment = Pick<Attachment, 'id' | 'volumeId' | 'instanceUuid' | 'status'>;

const volumes = new Table<AuditedVolume>('volume_volumes', {
  id: text,
  name: nullable(text),
  projectId: text,
  status: textOf(volumeStatuses),
});
const attachments = new Table<AuditedAttachment>('volume_attachments', {
  id: text,
  volumeId: text,
  instanceUuid: nullable(text),
  status: textOf(attachmentStatuses),
});

/** Lists all volumes. */
export const auditedVolumes = (db: Db): Promise<AuditedVolume[]> => volumes.list(db);

/** Lists all attachments. */
export const auditedAttachments = (db: Db): Promise<AuditedAttachment[]> => attachments.list(db);
