// The events of servers' volumes that a Nova outside of this cloud gets. If it does not accept one,
// the project gets a message. Upstream: cinder/compute/nova.py.
import { inRegionTransaction } from '../../../../kernel/context.ts';
import type { Context, Delivery } from '../../../../kernel/model.ts';
import {
  notifyNova,
  noticeKind,
  sendNotices,
  type VolumeEvent,
  type VolumeNotice,
} from '../../clients/compute.ts';
import type { Volume } from '../../model.ts';
import { createMessage, type MessageText } from '../messages.ts';

/** Reports an event of a volume to the Nova that has the volume's servers. */
export const reportToNova = (
  context: Context,
  event: VolumeEvent,
  { id, projectId, attachments }: Volume,
  requestId: string,
): Promise<void> =>
  notifyNova(context, event, {
    volumeId: id,
    projectId,
    requestId,
    serverIds: attachments.flatMap(({ instanceUuid }) => instanceUuid ?? []),
  });

/** What the message says if Nova does not accept an event. */
const failures: Readonly<Record<VolumeEvent, MessageText>> = {
  'volume-extended': { action: 'extend', detail: 'computeExtend' },
  'volume-reimaged': { action: 'reimage', detail: 'computeReimage' },
};

async function createMessages(
  context: Context,
  event: VolumeEvent,
  notices: readonly VolumeNotice[],
): Promise<void> {
  for (const { volumeId, ...notice } of notices)
    await createMessage(context, { ...failures[event], ...notice, resourceId: volumeId });
}

const deliveryOf = (event: VolumeEvent): Delivery => ({
  async send(context, payloads) {
    const refused = await sendNotices(context, event, payloads as readonly VolumeNotice[]);
    if (!refused.length) return;
    context.cloud.log.warn({ event, volumes: refused }, 'Nova has not accepted an event');
    await inRegionTransaction(context, context.region, (inner) =>
      createMessages(inner, event, refused),
    );
  },
  abandoned: (context, payloads) =>
    createMessages(context, event, payloads as readonly VolumeNotice[]),
});

export const volumeDeliveries: Readonly<Record<string, Delivery>> = {
  [noticeKind('volume-extended')]: deliveryOf('volume-extended'),
  [noticeKind('volume-reimaged')]: deliveryOf('volume-reimaged'),
};
