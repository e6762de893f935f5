// The handlers of attachments: list, show, create, update, delete, complete. Upstream:
// cinder/api/v3/attachments.py.
import { noContent, ok } from '../../../kernel/http/reply.ts';
import { normalUuid } from '../../../kernel/ids.ts';
import type { Actions, Reply } from '../../../kernel/model.ts';
import type { VolumeCall } from '../call.ts';
import {
  checkDetachable,
  completeAttachment,
  connectAttachment,
  createAttachment,
  listAttachments,
  removeAttachment,
} from '../domain/attachments.ts';
import type { Attachment } from '../model.ts';
import { volumeFor } from '../domain/volumes/volumes.ts';
import { pageLimitsOf } from '../domain/settings.ts';
import { authorize } from '../policy.ts';
import type { VolumeVersion } from '../versions.ts';
import { attachmentDetail, attachmentSummary } from '../views/attachments.ts';
import { readListQuery, versionedList } from './requests/list-query.ts';
import { bodyOf } from './requests/body.ts';
import { attachmentFields } from './requests/list-fields.ts';
import { attachmentOf } from './requests/subjects.ts';

/** GET /v3/attachments */
export const list = (call: VolumeCall): Promise<Reply> => listed(call, attachmentSummary);

/** GET /v3/attachments/detail */
export const listDetail = (call: VolumeCall): Promise<Reply> => listed(call, attachmentDetail);

async function listed(call: VolumeCall, view: (attachment: Attachment) => object): Promise<Reply> {
  const limits = await pageLimitsOf(call);
  const request = readListQuery(call.query, attachmentFields, versionedList(call), limits);
  const attachments = await listAttachments(call, request);
  return ok({ attachments: attachments.map(view) });
}

/** GET /v3/attachments/{attachment_id} */
export async function show(call: VolumeCall): Promise<Reply> {
  return ok({ attachment: attachmentDetail(await attachmentOf(call)) });
}

type Connector = Readonly<Record<string, unknown>>;

interface AttachmentBody {
  readonly volume_uuid: string;
  readonly instance_uuid?: string | null;
  readonly connector?: Connector | null;
  readonly mode?: string | null;
}

/** POST /v3/attachments */
export async function create(call: VolumeCall): Promise<Reply> {
  const fields = bodyOf<AttachmentBody>(call, 'attachment');
  const volume = await volumeFor(call, fields.volume_uuid);
  authorize(call, 'volume:attachment_create', volume.projectId);
  if (volume.multiattach && volume.status === 'in-use' && volume.bootable)
    authorize(call, 'volume:multiattach_bootable_volume', volume.projectId);
  const attachment = await createAttachment(call, volume, {
    instanceUuid:
      typeof fields.instance_uuid === 'string' ? normalUuid(fields.instance_uuid) : null,
    connector: fields.connector,
    mode: call.version.has('3.54') ? (fields.mode ?? 'null') : 'null',
  });
  return ok({ attachment: attachmentDetail(attachment) });
}

/** PUT /v3/attachments/{attachment_id} */
export async function update(call: VolumeCall): Promise<Reply> {
  const attachment = await attachmentOf(call);
  authorize(call, 'volume:attachment_update', attachment.projectId);
  const { connector } = bodyOf<{ readonly connector: Connector }>(call, 'attachment');
  return ok({ attachment: attachmentDetail(await connectAttachment(call, attachment, connector)) });
}

/** DELETE /v3/attachments/{attachment_id} */
export async function remove(call: VolumeCall): Promise<Reply> {
  const attachment = await attachmentOf(call);
  authorize(call, 'volume:attachment_delete', attachment.projectId);
  checkDetachable(call, attachment);
  const others = await removeAttachment(call, attachment);
  return ok({ attachments: others.map(attachmentSummary) });
}

/** POST /v3/attachments/{attachment_id}/action */
export const attachmentActions: Actions<VolumeVersion> = {
  async 'os-complete'(call) {
    const attachment = await attachmentOf(call);
    authorize(call, 'volume:attachment_complete', attachment.projectId);
    await completeAttachment(call, attachment);
    return noContent();
  },
};
