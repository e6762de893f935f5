// Notifies a Nova outside of this cloud of its servers' ports. The cloud's own Compute calls
// Network itself, and needs no events. Upstream: neutron/notifiers/nova.py.
import { post } from '../../../kernel/jobs/outbox.ts';
import type { Context, Delivery } from '../../../kernel/model.ts';
import { remoteEndpoint, requestRemote } from './identity.ts';

/** An event of Nova's API `os-server-external-events`. */
export interface ServerEvent {
  readonly name: 'network-changed' | `network-vif-${'plugged' | 'unplugged' | 'deleted'}`;
  readonly server_uuid: string;
  /** The id of the port. */
  readonly tag: string;
  readonly status?: 'completed';
}

const eventKind = 'network.server_event';

/** Sends an event after this transaction, if the catalog lists a Nova outside of this cloud. */
export async function notifyNova(context: Context, event: ServerEvent): Promise<void> {
  if (await remoteEndpoint(context, 'compute')) await post(context, eventKind, event);
}

/**
 * Sends events in one request. Nova answers 404 if it knows none of the servers, and otherwise with
 * a code for each event, such as 422 for a server without a host; upstream only logs them.
 */
async function sendEvents(context: Context, events: readonly unknown[]): Promise<void> {
  const { log } = context.cloud;
  const reply = await requestRemote(context, {
    type: 'compute',
    user: 'neutron',
    method: 'POST',
    path: '/os-server-external-events',
    headers: { 'x-openstack-nova-api-version': '2.1' },
    body: { events },
  });
  if (!reply) return;
  if (reply.status === 404) return log.debug({ events }, 'Nova knows none of the servers');
  if (!reply.isOk)
    throw new Error(`Nova answered with ${reply.status}: ${reply.body.toString().slice(0, 500)}`);
  const results = (JSON.parse(reply.body.toString()) as { events?: { code?: number }[] }).events;
  for (const event of results ?? [])
    if (event.code !== 200) log.warn({ event }, 'Nova has not accepted an event');
}

export const networkDeliveries: Readonly<Record<string, Delivery>> = {
  [eventKind]: { send: sendEvents },
};
