// Handles requests to create, update and delete nodes, by queueing actions.
import { isDeepStrictEqual } from 'node:util';
import type { Version } from '../../../../kernel/microversion.ts';
import type { Context } from '../../../../kernel/model.ts';
import * as store from '../../store/index.ts';
import type { ClusteringVersion } from '../../versions.ts';
import type { Queued, QueueOptions } from '../clusters/clusters.ts';
import { checkConflicts } from '../actions/conflicts.ts';
import { actionName, createAction } from '../actions/queue.ts';
import { clusterFor, nodeFor, profileFor, specified } from '../requests/identities.ts';
import { delegate, requester } from '../delegation.ts';
import type { Action, Cluster, Json, Node, Profile } from '../../model.ts';
import { bad, inProgress, inUse } from '../refusals.ts';
import { booleanField, mapField, nameField, textField } from '../requests/fields.ts';
import { readFields, required, since, unwrap } from '../requests/objects.ts';
import { newNode, nodeNameFor } from './new-node.ts';

type At = Version<ClusteringVersion>;

const createFields = {
  name: required(nameField),
  profile_id: required(textField),
  cluster_id: textField,
  role: textField,
  metadata: mapField,
};

/** A request to create a node. */
interface CreateRequest {
  readonly name: string;
  readonly profile_id: string;
  readonly cluster_id?: string;
  readonly role?: string;
  readonly metadata?: Json;
}

/** Creates a node, and queues the action that creates its physical resource. @throws 400 */
export async function createNode(
  context: Context,
  body: unknown,
  version: At,
): Promise<Queued<Node>> {
  const request = readFields(createFields, unwrap(body, 'node'), version) as Json & CreateRequest;
  const profile = await profileFor(context, request.profile_id, specified);
  const cluster = request.cluster_id
    ? await clusterFor(context, request.cluster_id, specified)
    : undefined;
  if (cluster) await checkProfileType(context, cluster, profile);
  const owner = await delegate(context);
  const node = newNode(context.now, owner, {
    name: cluster ? nodeNameFor(cluster, cluster.nextIndex) : request.name,
    profileId: profile.id,
    clusterId: cluster?.id ?? '',
    index: cluster?.nextIndex ?? -1,
    role: (request.role ?? '').slice(0, 64),
    metadata: request.metadata ?? {},
  });
  if (cluster) await store.changeCluster(context.db, cluster, { nextIndex: cluster.nextIndex + 1 });
  await store.nodes.insert(context.db, node);
  return {
    record: node,
    action: await queueNodeAction(context, node, 'NODE_CREATE', {}, { owner }),
  };
}

/** @throws 400 if the profiles of a cluster and its new node differ in type */
async function checkProfileType(
  { db }: Context,
  { profileId }: Cluster,
  profile: Profile,
): Promise<void> {
  const own = (await store.profiles.find(db, { id: profileId }))!;
  if (own.type !== profile.type)
    throw bad('Node and cluster have different profile type, operation aborted');
}

/** Queues an action on a node. @throws 409 */
export async function queueNodeAction(
  context: Context,
  node: Node,
  kind: string,
  inputs: Json,
  { name = actionName(kind, node.id), force = false, owner }: QueueOptions = {},
): Promise<Action> {
  await checkConflicts(context, kind, node.id, false, force);
  // If two requests come at the same time, the later one conflicts here, starts over, and finds the
  // action of the first.
  await store.changeNode(context.db, node, {});
  return createAction(context, {
    name,
    action: kind,
    target: node.id,
    clusterId: node.clusterId,
    owner: owner ?? (await requester(context, node)),
    inputs,
  });
}

const updateFields = {
  name: nameField,
  profile_id: textField,
  role: textField,
  metadata: mapField,
  tainted: since('1.13', booleanField),
};

/** Queues the update of a node with the fields that change. @throws 400, 404 */
export async function updateNode(
  context: Context,
  identity: string,
  body: unknown,
  version: At,
): Promise<Queued<Node>> {
  const given = readFields(updateFields, unwrap(body, 'node', true), version);
  const node = await nodeFor(context, identity);
  const { profile_id: profileId, ...fields } = given;
  const inputs: Json = {};
  if (profileId !== undefined) {
    const profile = await profileFor(context, profileId as string, specified);
    const old = (await store.profiles.find(context.db, { id: node.profileId }))!;
    if (old.type !== profile.type)
      throw bad('Cannot update a node to a different profile type, operation aborted');
    if (profile.id !== node.profileId) inputs['new_profile_id'] = profile.id;
  }
  for (const [name, value] of Object.entries(fields))
    if (!isDeepStrictEqual(node[name as 'name'], value)) inputs[name] = value;
  if (!Object.keys(inputs).length) throw bad('No property needs an update');
  return { record: node, action: await queueNodeAction(context, node, 'NODE_UPDATE', inputs) };
}

const busyStatuses = ['CREATING', 'UPDATING', 'DELETING', 'RECOVERING'];

/** Queues the deletion of a node. @throws 404, 409 */
export async function deleteNode(
  context: Context,
  identity: string,
  force: boolean,
): Promise<Action> {
  const node = await nodeFor(context, identity);
  if (!force && busyStatuses.includes(node.status)) throw inProgress('node', identity, node.status);
  if ((node.dependents['nodes'] as string[] | undefined)?.length)
    throw inUse('node', identity, 'still depended by other clusters and/or nodes');
  return queueNodeAction(context, node, 'NODE_DELETE', {});
}
