// Attachments, as Compute and others make them.
import { normalUuid } from '../../../kernel/ids.ts';
import { noContent, ok } from '../../../kernel/http/reply.ts';
import {
  attachmentFor,
  checkDetachable,
  completeAttachment,
  connectAttachment,
  createAttachment,
  removeAttachment,
} from '../domain/attachments.ts';
import { readQuery, type Kind } from '../domain/list-query.ts';
import type { Attachment } from '../domain/records.ts';
import { volumeFor } from '../domain/volumes.ts';
import { attachmentPlace, listAttachments } from '../store/attachments.ts';
import { attachmentDetail, attachmentSummary } from '../views/attachments.ts';
import { allow, bodyOf, isService, viewerOf } from './requests.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { VolumeCall } from '../call.ts';

const kind: Kind = {
  columns: { id: 'id', volume_id: 'volume_id', status: 'status', attach_status: 'status', instance_id: 'instance_uuid', instance_uuid: 'instance_uuid' },
  open: ['volume_id', 'status', 'instance_id', 'attach_status'],
  booleans: [],
  numbers: [],
  sortable: { id: 'id', created_at: 'created_at', volume_id: 'volume_id', attach_status: 'status' },
  empty: [],
}; // prettier-ignore

/** GET /v3/attachments */
export const list = (call: VolumeCall): Promise<Reply> => listed(call, attachmentSummary);

/** GET /v3/attachments/detail */
export const listDetail = (call: VolumeCall): Promise<Reply> => listed(call, attachmentDetail);

async function listed(call: VolumeCall, view: (attachment: Attachment) => object): Promise<Reply> {
  const { at, db } = call;
  const viewer = viewerOf(call);
  const { marker, allTenants, ...listing } = readQuery(call.query, kind, {
    isAdmin: viewer.isAdmin,
    refusesUnknown: at.has('3.31'),
    findsParts: at.has('3.34'),
    strictBooleans: false,
    notYet: [],
    withCount: false,
  });
  const projectId = allTenants ? undefined : (viewer.projectId ?? '');
  const after = marker === undefined ? undefined : attachmentPlace(await attachmentFor(db, viewer, marker));
  const attachments = await listAttachments(db, { ...listing, projectId, after });
  return ok({ attachments: attachments.map(view) });
}

const attachmentOf = (call: VolumeCall): Promise<Attachment> =>
  attachmentFor(call.db, viewerOf(call), call.params['attachment_id']!);

/** GET /v3/attachments/{attachment_id} */
export async function show(call: VolumeCall): Promise<Reply> {
  return ok({ attachment: attachmentDetail(await attachmentOf(call)) });
}

type Connector = Readonly<Record<string, unknown>>;

/** POST /v3/attachments */
export async function create(call: VolumeCall): Promise<Reply> {
  const fields = bodyOf(call, 'attachment');
  const volume = await volumeFor(call.db, viewerOf(call), fields['volume_uuid'] as string);
  allow(call, 'volume:attachment_create', volume.projectId);
  if (volume.multiattach && volume.status === 'in-use' && volume.bootable)
    allow(call, 'volume:multiattach_bootable_volume', volume.projectId);
  const request = {
    instanceUuid: typeof fields['instance_uuid'] === 'string' ? normalUuid(fields['instance_uuid']) : null,
    connector: fields['connector'] as Connector | null | undefined,
    mode: call.at.has('3.54') ? ((fields['mode'] ?? 'null') as string) : 'null',
  };
  return ok({ attachment: attachmentDetail(await createAttachment(call.db, volume, request, call.now)) });
}

/** PUT /v3/attachments/{attachment_id} */
export async function update(call: VolumeCall): Promise<Reply> {
  const attachment = await attachmentOf(call);
  allow(call, 'volume:attachment_update', attachment.projectId);
  const connector = bodyOf(call, 'attachment')['connector'] as Connector;
  return ok({ attachment: attachmentDetail(await connectAttachment(call.db, attachment, connector, call.now)) });
}

/** DELETE /v3/attachments/{attachment_id} */
export async function remove(call: VolumeCall): Promise<Reply> {
  const attachment = await attachmentOf(call);
  allow(call, 'volume:attachment_delete', attachment.projectId);
  checkDetachable(attachment, isService(call));
  const left = await removeAttachment(call.db, attachment, call.now);
  return ok({ attachments: left.map(attachmentSummary) });
}

/** POST /v3/attachments/{attachment_id}/action */
export async function act(call: VolumeCall): Promise<Reply> {
  const attachment = await attachmentOf(call);
  allow(call, 'volume:attachment_complete', attachment.projectId);
  await completeAttachment(call.db, attachment, call.now);
  return noContent();
}
