// Attachments in replies.
import type { Attachment } from '../model.ts';
import { timeView } from './times.ts';

export const attachmentSummary = (attachment: Attachment): object => ({
  id: attachment.id,
  status: attachment.status,
  instance: attachment.instanceUuid,
  volume_id: attachment.volumeId,
});

export const attachmentDetail = (attachment: Attachment): object => ({
  ...attachmentSummary(attachment),
  attached_at: attachment.attachedAt === null ? '' : timeView(attachment.attachedAt),
  detached_at: '',
  attach_mode: attachment.mode,
  connection_info: attachment.connectionInfo,
});
