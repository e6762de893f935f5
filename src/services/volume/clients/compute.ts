// Notifies a Nova outside of this cloud of its servers' volumes. Upstream: cinder/compute/nova.py.
import { post } from '../../../kernel/jobs/outbox.ts';
import type { Context } from '../../../kernel/model.ts';
import { remoteEndpoint, requestRemote } from './identity.ts';

/** The events, with the microversion that each needs. */
const versions = { 'volume-extended': '2.51', 'volume-reimaged': '2.93' } as const;

export type VolumeEvent = keyof typeof versions;

/** The servers of a volume that has changed, and the request that changed it. */
export interface VolumeNotice {
  readonly volumeId: string;
  readonly projectId: string;
  readonly requestId: string;
  readonly serverIds: readonly string[];
}

export const noticeKind = (event: VolumeEvent): string =>
  `volume.${event === 'volume-extended' ? 'extended' : 'reimaged'}_event`;

/** Sends a notice after this transaction, if the catalog lists a Nova outside of this cloud. */
export async function notifyNova(
  context: Context,
  event: VolumeEvent,
  notice: VolumeNotice,
): Promise<void> {
  if (notice.serverIds.length && (await remoteEndpoint(context, 'compute')))
    await post(context, noticeKind(event), notice);
}

/**
 * Sends notices in one request. Nova answers 404 if it accepts no event, and otherwise with a code
 * for each.
 * @returns the notices of which Nova has accepted no event
 */
export async function sendNotices(
  context: Context,
  event: VolumeEvent,
  notices: readonly VolumeNotice[],
): Promise<VolumeNotice[]> {
  const events = notices.flatMap(({ volumeId, serverIds }) =>
    serverIds.map((id) => ({ name: event, server_uuid: id, tag: volumeId })),
  );
  const version = versions[event];
  const reply = await requestRemote(context, {
    type: 'compute',
    user: 'cinder',
    method: 'POST',
    path: '/os-server-external-events',
    headers: {
      'openstack-api-version': `compute ${version}`,
      'x-openstack-nova-api-version': version,
    },
    body: { events },
  });
  if (!reply) return [];
  const results = reply.isOk
    ? ((JSON.parse(reply.body.toString()) as { events?: EventResult[] }).events ?? [])
    : [];
  const accepted = new Set(results.flatMap(({ code, tag }) => (code === 200 ? [tag] : [])));
  return notices.filter(({ volumeId }) => !accepted.has(volumeId));
}

interface EventResult {
  readonly code?: number;
  readonly tag?: string;
}
