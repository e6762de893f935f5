// Creates, updates and deletes receivers.
import { newUuid } from '../../../../kernel/ids.ts';
import type { Version } from '../../../../kernel/microversion.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Json, Receiver } from '../../model.ts';
import * as store from '../../store/index.ts';
import type { ClusteringVersion } from '../../versions.ts';
import { delegate } from '../delegation.ts';
import { kinds } from '../engine/kinds.ts';
import { bad, forbiddenHere } from '../refusals.ts';
import { enumField, mapField, nameField, textField } from '../requests/fields.ts';
import { clusterFor, receiverFor, referenced } from '../requests/identities.ts';
import { readFields, required, unwrap } from '../requests/objects.ts';
import { webhookUrl } from './webhooks.ts';

type At = Version<ClusteringVersion>;

const actionField = enumField(...Object.keys(kinds).filter((name) => name.startsWith('CLUSTER_')));

const createFields = {
  name: required(nameField),
  type: required(enumField('webhook', 'message')),
  cluster_id: textField,
  action: actionField,
  params: mapField,
  actor: mapField,
};

/** A request to create a receiver. */
interface CreateRequest {
  readonly name: string;
  readonly type: string;
  readonly cluster_id?: string;
  readonly action?: string;
  readonly params?: Json;
  readonly actor?: Json;
}

const updateFields = { name: nameField, action: actionField, params: mapField };

/** @throws 400 */
function checkAction(action: string): string {
  if (action === 'CLUSTER_CREATE') throw bad("Action name cannot be any of ['CLUSTER_CREATE']");
  return action;
}

/** @param base the URL of the service, for the URL of a webhook. @throws 400, 403 */
export async function createReceiver(
  context: Context,
  body: unknown,
  version: At,
  base: string,
): Promise<Receiver> {
  const { cloud, db, actor, now } = context;
  const request = readFields(createFields, unwrap(body, 'receiver'), version) as Json &
    CreateRequest;
  const { type, params = {}, cluster_id: clusterName } = request;
  const isWebhook = type === 'webhook';
  if (isWebhook && !clusterName)
    throw bad('Cluster identity is required for creating webhook receiver');
  if (isWebhook && !request.action)
    throw bad('Action name is required for creating webhook receiver');
  const action = isWebhook ? checkAction(request.action!) : null;
  const cluster = isWebhook ? await clusterFor(context, clusterName!, referenced) : undefined;
  if (cluster && !actor.isAdmin && cluster.userId !== actor.userId) throw forbiddenHere();
  const id = newUuid();
  const owner = await delegate(context);
  const trust = cloud.config.auth === 'noauth2' ? {} : { trust_id: owner.credentialId };
  const receiver: Receiver = {
    id,
    name: request.name,
    type,
    ...owner,
    clusterId: cluster?.id ?? null,
    action,
    actor: { ...request.actor, ...trust },
    params,
    channel: isWebhook
      ? { alarm_url: webhookUrl(base, id, params) }
      : { queue_name: `senlin-receiver-${id}`, subscription: newUuid() },
    createdAt: now,
    updatedAt: null,
  };
  await store.receivers.insert(db, receiver);
  return receiver;
}

/** @throws 400, 404 */
export async function updateReceiver(
  context: Context,
  identity: string,
  body: unknown,
  version: At,
): Promise<Receiver> {
  const { name, action, params } = readFields(
    updateFields,
    unwrap(body, 'receiver', true),
    version,
  ) as { name?: string; action?: string; params?: Json };
  const receiver = await receiverFor(context, identity);
  if (action !== undefined) checkAction(action);
  const changes = {
    ...(name !== undefined && name !== receiver.name ? { name } : {}),
    ...(action !== undefined && action !== receiver.action ? { action } : {}),
    ...(params === undefined ? {} : { params }),
  };
  if (!Object.keys(changes).length) throw bad('No property needs an update');
  // Upstream sets created_at again, too.
  const updated = { ...changes, createdAt: context.now, updatedAt: context.now };
  await store.receivers.update(context.db, { id: receiver.id }, updated);
  return { ...receiver, ...updated };
}

/** @throws 404 */
export async function deleteReceiver(context: Context, identity: string): Promise<void> {
  const { id } = await receiverFor(context, identity);
  await store.receivers.remove(context.db, { id });
}

/** Has a message receiver read its queue, which is always empty here. @throws 400, 404 */
export async function notifyReceiver(context: Context, identity: string): Promise<void> {
  const { type } = await receiverFor(context, identity);
  if (type !== 'message') throw bad('Notifying non-message receiver is not allowed');
}
