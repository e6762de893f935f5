// Finds the resources that paths name.
import type { VolumeCall } from '../../call.ts';
import { attachmentFor } from '../../domain/attachments.ts';
import { messageFor } from '../../domain/messages.ts';
import { qosSpecsFor } from '../../domain/types/qos-specs.ts';
import type { Attachment, Message, QosSpecs, Snapshot, Volume, VolumeType } from '../../model.ts';
import { snapshotFor } from '../../domain/snapshots.ts';
import { typeById } from '../../domain/types/types.ts';
import { volumeFor } from '../../domain/volumes/volumes.ts';

// Each function throws 404 for an unknown resource, or one that the caller may not see.
export const volumeOf = (call: VolumeCall): Promise<Volume> =>
  volumeFor(call, call.params['volume_id']!);
export const snapshotOf = (call: VolumeCall): Promise<Snapshot> =>
  snapshotFor(call, call.params['snapshot_id']!);
export const attachmentOf = (call: VolumeCall): Promise<Attachment> =>
  attachmentFor(call, call.params['attachment_id']!);
export const typeOf = (call: VolumeCall): Promise<VolumeType> =>
  typeById(call, call.params['type_id']!);
export const messageOf = (call: VolumeCall): Promise<Message> =>
  messageFor(call, call.params['message_id']!);
export const qosSpecsOf = (call: VolumeCall): Promise<QosSpecs> =>
  qosSpecsFor(call, call.params['qos_id']!);
