// Webhooks: receivers that anyone who knows the URL can trigger.
import { contextWith } from '../../../../kernel/context.ts';
import type { Version } from '../../../../kernel/microversion.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Action, Json } from '../../model.ts';
import * as store from '../../store/index.ts';
import type { ClusteringVersion } from '../../versions.ts';
import { queueClusterAction } from '../clusters/clusters.ts';
import { actingOn } from '../delegation.ts';
import { malformed, notFoundHere } from '../refusals.ts';
import { isMap } from '../requests/fields.ts';
import { referenced } from '../requests/identities.ts';

type At = Version<ClusteringVersion>;

/** The URL of a webhook, with its parameters sorted by name. */
export function webhookUrl(base: string, id: string, params: Json): string {
  const query = Object.entries(params)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]): [string, string] => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
  const text = new URLSearchParams(query).toString();
  return `${base}/v1/webhooks/${id}/trigger?V=2${text ? `&${text}` : ''}`;
}

/** The inputs in the body of a trigger, by the versions of the webhook and of the API. */
function triggerInputs(body: unknown, version: string, at: At): Json {
  if (at.has('1.10')) return isMap(body) ? body : {};
  if (version === '1') return isMap(body) && isMap(body['params']) ? body['params'] : {};
  return isMap(body) ? body : { params: null };
}

export interface TriggerRequest {
  readonly body: unknown;
  /** The version of the webhook, which the query gives as `V`. */
  readonly version: string;
  /** The microversion of the API. */
  readonly at: At;
  /** Checks the policy rule for the owner of the receiver. @throws 403 */
  readonly authorize: (owner: Context) => void;
}

/** Queues the action of a webhook for the owner of the receiver. @throws 400, 403, 404, 409 */
export async function triggerWebhook(
  context: Context,
  id: string,
  { body, version, at, authorize }: TriggerRequest,
): Promise<Action> {
  const receiver = await store.receivers.find(context.db, { id });
  if (!receiver) throw notFoundHere('receiver', id);
  const owner = contextWith(await actingOn(context, receiver), { db: context.db });
  authorize(owner);
  if (receiver.type !== 'webhook' || !receiver.clusterId || !receiver.action) throw malformed();
  const cluster = await store.clusters.find(context.db, { id: receiver.clusterId });
  if (!cluster) throw referenced('cluster', receiver.clusterId);
  const inputs = { ...receiver.params, ...triggerInputs(body, version, at) };
  return queueClusterAction(owner, cluster, receiver.action, inputs, {
    name: `webhook_${id.slice(0, 8)}`,
    owner: receiver,
  });
}
