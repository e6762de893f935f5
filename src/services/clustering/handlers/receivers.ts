// Receivers and webhooks.
import { created, noContent, ok } from '../../../kernel/http/reply.ts';
import { authorize } from '../../../kernel/http/steps.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ClusteringCall } from '../call.ts';
import { ownUrl } from '../clients/identity.ts';
import { receiverFor } from '../domain/requests/identities.ts';
import * as domain from '../domain/receivers/receivers.ts';
import { triggerWebhook } from '../domain/receivers/webhooks.ts';
import { receiverList } from '../domain/requests/collections.ts';
import { readList } from '../domain/requests/lists.ts';
import * as store from '../store/index.ts';
import type { Receiver } from '../model.ts';
import { receiverView } from '../views/resources.ts';
import { queued } from './queued.ts';

/** GET /v1/receivers */
export async function list(call: ClusteringCall): Promise<Reply> {
  const page = readList(receiverList(call.version.has('1.4')), call.query, call.actor);
  const receivers = await store.listPage(call.db, store.receivers, page);
  return ok({ receivers: await viewsOf(call, receivers) });
}

/** POST /v1/receivers */
export const create = async (call: ClusteringCall): Promise<Reply> =>
  created({
    receiver: receiverView(
      await domain.createReceiver(call, call.body, call.version, await webhookBase(call)),
    ),
  });

/** Receivers as clients see them. The webhooks of a captured cloud are those of this one. */
async function viewsOf(call: ClusteringCall, receivers: readonly Receiver[]): Promise<object[]> {
  const isCaptured = ({ channel }: Receiver): boolean => isPath(channel['alarm_url']);
  const base = receivers.some(isCaptured) ? await webhookBase(call) : '';
  return receivers.map((one) =>
    receiverView(
      isCaptured(one)
        ? { ...one, channel: { alarm_url: `${base}${String(one.channel['alarm_url'])}` } }
        : one,
    ),
  );
}

const isPath = (url: unknown): boolean => typeof url === 'string' && url.startsWith('/');

const viewOf = async (call: ClusteringCall, receiver: Receiver): Promise<object> =>
  (await viewsOf(call, [receiver]))[0]!;

/**
 * The URL of the service in the URLs of webhooks, which are stored: that of the catalog, or the
 * address that the emulator listens at. Headers do not change it. Upstream: _get_base_url of
 * senlin/engine/receivers/base.py.
 */
async function webhookBase(call: ClusteringCall): Promise<string> {
  return (await ownUrl(call)) ?? `${call.localOrigin}${call.prefix}`;
}

/** GET /v1/receivers/{receiver_id} */
export const show = async (call: ClusteringCall): Promise<Reply> =>
  ok({ receiver: await viewOf(call, await receiverFor(call, call.params['receiver_id']!)) });

/** PATCH /v1/receivers/{receiver_id} */
export const update = async (call: ClusteringCall): Promise<Reply> =>
  ok({
    receiver: await viewOf(
      call,
      await domain.updateReceiver(call, call.params['receiver_id']!, call.body, call.version),
    ),
  });

/** DELETE /v1/receivers/{receiver_id} */
export async function remove(call: ClusteringCall): Promise<Reply> {
  await domain.deleteReceiver(call, call.params['receiver_id']!);
  return noContent();
}

/** POST /v1/receivers/{receiver_id}/notify */
export async function notify(call: ClusteringCall): Promise<Reply> {
  await domain.notifyReceiver(call, call.params['receiver_id']!);
  return noContent();
}

/**
 * POST /v1/webhooks/{receiver_id}/trigger. The request runs for the owner of the receiver, and the
 * policy rule is checked for that owner.
 */
export async function trigger(call: ClusteringCall): Promise<Reply> {
  const id = call.params['receiver_id']!;
  const version = call.query.last('V') ?? '2';
  const action = await triggerWebhook(call, id, {
    body: call.body,
    version,
    at: call.version,
    authorize: ({ actor }) =>
      authorize({ actor, service: call.service }, 'webhooks:trigger', call.params),
  });
  return queued(call, action);
}
