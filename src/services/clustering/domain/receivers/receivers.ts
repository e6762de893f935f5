// Receivers and webhooks: what may start an action on a cluster from outside.
import { newUuid } from '../../../../kernel/ids.ts';
import type { Version } from '../../../../kernel/microversion.ts';
import type { Context } from '../../../../kernel/model.ts';
import { contextWith } from '../../../../kernel/context.ts';
import * as store from '../../store/index.ts';
import type { ClusteringVersion } from '../../versions.ts';
import { actOnCluster } from '../clusters/clusters.ts';
import { handlers } from '../engine/kinds.ts';
import { clusterFor, ownerOf, receiverFor, referenced } from '../requests/identities.ts';
import { actingOn, delegate } from '../delegation.ts';
import type { Action, Json, Receiver } from '../../model.ts';
import { bad, forbiddenHere, malformed, notFoundHere } from '../refusals.ts';
import { enumField, isMap, mapField, nameField, textField } from '../requests/fields.ts';
import { readFields, required, unwrap } from '../requests/objects.ts';

type At = Version<ClusteringVersion>;

const actionField = enumField(
  ...Object.keys(handlers).filter((name) => name.startsWith('CLUSTER_')),
);

const createFields = {
  name: required(nameField),
  type: required(enumField('webhook', 'message')),
  cluster_id: textField,
  action: actionField,
  params: mapField,
  actor: mapField,
};

interface Wanted {
  readonly name: string;
  readonly type: string;
  readonly cluster_id?: string;
  readonly action?: string;
  readonly params?: Json;
  readonly actor?: Json;
}

/** @throws 400 */
function checkAction(action: string): string {
  if (action === 'CLUSTER_CREATE') throw bad("Action name cannot be any of ['CLUSTER_CREATE']");
  return action;
}

/** @throws 400, 403 */
export async function createReceiver(
  context: Context,
  body: unknown,
  version: At,
  base: string,
): Promise<Receiver> {
  const wanted = readFields(createFields, unwrap(body, 'receiver'), version) as unknown as Wanted;
  const { type, params = {}, actor = {} } = wanted;
  if (type === 'webhook' && !wanted.cluster_id)
    throw bad('Cluster identity is required for creating webhook receiver');
  if (type === 'webhook' && !wanted.action)
    throw bad('Action name is required for creating webhook receiver');
  const action = type === 'webhook' ? checkAction(wanted.action!) : null;
  const cluster =
    type === 'webhook' ? await clusterFor(context, wanted.cluster_id!, referenced) : undefined;
  if (cluster && !context.actor.isAdmin && cluster.userId !== context.actor.userId)
    throw forbiddenHere();
  const id = newUuid();
  await delegate(context);
  const trust = (
    await store.credentials.find(context.db, {
      user_id: context.actor.userId,
      project_id: context.actor.projectId ?? '',
    })
  )?.trustId;
  const receiver: Receiver = {
    id,
    name: wanted.name,
    type,
    ...ownerOf(context),
    clusterId: cluster?.id ?? null,
    action,
    actor: { ...actor, ...(trust ? { trust_id: trust } : {}) },
    params,
    channel:
      type === 'webhook'
        ? { alarm_url: hookUrl(base, id, params) }
        : { queue_name: `senlin-receiver-${id}`, subscription: newUuid() },
    createdAt: context.now,
    updatedAt: null,
  };
  await store.receivers.insert(context.db, receiver);
  return receiver;
}

/** Where a webhook is triggered, with its parameters in the order of their names. */
function hookUrl(base: string, id: string, params: Json): string {
  const query = Object.entries(params)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]);
  const text = new URLSearchParams(query as [string, string][]).toString();
  return `${base}/v1/webhooks/${id}/trigger?V=2${text ? `&${text}` : ''}`;
}

/** @throws 400, 404 */
export async function updateReceiver(
  context: Context,
  identity: string,
  body: unknown,
  version: At,
): Promise<Receiver> {
  const fields = { name: nameField, action: actionField, params: mapField };
  const given = readFields(fields, unwrap(body, 'receiver', true), version) as {
    name?: string;
    action?: string;
    params?: Json;
  };
  const receiver = await receiverFor(context, identity);
  const { name, action, params } = given;
  if (action !== undefined) checkAction(action);
  const changes = {
    ...(name !== undefined && name !== receiver.name ? { name } : {}),
    ...(action !== undefined && action !== receiver.action ? { action } : {}),
    ...(params === undefined ? {} : { params }),
  };
  if (!Object.keys(changes).length) throw bad('No property needs an update');
  // Upstream sets created_at anew, too.
  const times = { createdAt: context.now, updatedAt: context.now };
  await store.receivers.update(context.db, { id: receiver.id }, { ...changes, ...times });
  return { ...receiver, ...changes, ...times };
}

/** @throws 404 */
export async function deleteReceiver(context: Context, identity: string): Promise<void> {
  const { id } = await receiverFor(context, identity);
  await store.receivers.remove(context.db, { id });
}

/** A message receiver looks into its queue, which is always empty here. @throws 400, 404 */
export async function notifyReceiver(context: Context, identity: string): Promise<void> {
  const { type } = await receiverFor(context, identity);
  if (type !== 'message') throw bad('Notifying non-message receiver is not allowed');
}

/** What a call of a webhook gives to the action, by the version of the hook and of the API. */
function hookInputs(body: unknown, version: string, at: At): Json {
  if (at.has('1.10')) return isMap(body) ? body : {};
  if (version === '1') return isMap(body) && isMap(body['params']) ? body['params'] : {};
  return isMap(body) ? body : { params: null };
}

/** A call of a webhook, and what must allow it to the receiver's owner. */
export interface HookCall {
  readonly body: unknown;
  readonly version: string;
  readonly at: At;
  readonly allow: (owner: Context) => void;
}

/** Starts the action of a webhook, for the owner of the receiver. @throws 400, 403, 404, 409 */
export async function triggerWebhook(
  context: Context,
  id: string,
  { body, version, at, allow }: HookCall,
): Promise<Action> {
  const receiver = await store.receivers.find(context.db, { id });
  if (!receiver) throw notFoundHere('receiver', id);
  const owner = contextWith(await actingOn(context, receiver), { db: context.db });
  allow(owner);
  if (receiver.type !== 'webhook' || !receiver.clusterId || !receiver.action) throw malformed();
  const cluster = await store.clusters.find(context.db, { id: receiver.clusterId });
  if (!cluster) throw referenced('cluster', receiver.clusterId);
  const inputs = { ...receiver.params, ...hookInputs(body, version, at) };
  return actOnCluster(owner, cluster, receiver.action, inputs, {
    name: `webhook_${id.slice(0, 8)}`,
  });
}
