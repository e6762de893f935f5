// Nodes: what clients ask to be made, changed, deleted and adopted.
import { isDeepStrictEqual } from 'node:util';
import type { Version } from '../../../../kernel/microversion.ts';
import type { Context } from '../../../../kernel/model.ts';
import { newHexId, newUuid } from '../../../../kernel/ids.ts';
import * as store from '../../store/index.ts';
import type { ClusteringVersion } from '../../versions.ts';
import type { Queued } from '../clusters/clusters.ts';
import { actionName, createAction, refuseConflicts } from '../actions/queue.ts';
import { attempt } from '../engine/step.ts';
import { newNode, nodeNameFor } from '../clusters/members.ts';
import { clusterFor, nodeFor, ownerOf, profileFor, specified } from '../requests/identities.ts';
import { delegate } from '../delegation.ts';
import { profileTypeFor, unknownType } from '../profiles/index.ts';
import type { Action, Cluster, Json, Node, Profile } from '../../model.ts';
import { bad, inProgress, inUse, operationFailed } from '../refusals.ts';
import { booleanField, mapField, nameField, textField } from '../requests/fields.ts';
import { readFields, required, since, unwrap } from '../requests/objects.ts';

type At = Version<ClusteringVersion>;

const createFields = {
  name: required(nameField),
  profile_id: required(textField),
  cluster_id: textField,
  role: textField,
  metadata: mapField,
};

interface Wanted {
  readonly name: string;
  readonly profile_id: string;
  readonly cluster_id?: string;
  readonly role?: string;
  readonly metadata?: Json;
}

/** Makes a node and the action that makes what it stands for. @throws 400 */
export async function createNode(
  context: Context,
  body: unknown,
  version: At,
): Promise<Queued<Node>> {
  const wanted = readFields(createFields, unwrap(body, 'node'), version) as unknown as Wanted;
  const profile = await profileFor(context, wanted.profile_id, specified);
  const cluster = wanted.cluster_id
    ? await clusterFor(context, wanted.cluster_id, specified)
    : undefined;
  if (cluster) await joinable(context, cluster, profile);
  const node = newNode(context.now, ownerOf(context), {
    name: cluster ? nodeNameFor(cluster, cluster.nextIndex) : wanted.name,
    profileId: profile.id,
    clusterId: cluster?.id ?? '',
    index: cluster?.nextIndex ?? -1,
    role: (wanted.role ?? '').slice(0, 64),
    metadata: wanted.metadata ?? {},
  });
  if (cluster) await store.changeCluster(context.db, cluster, { nextIndex: cluster.nextIndex + 1 });
  await store.nodes.insert(context.db, node);
  return { record: node, action: await actOnNode(context, node, 'NODE_CREATE', {}) };
}

/** @throws 400 */
async function joinable({ db }: Context, { profileId }: Cluster, profile: Profile): Promise<void> {
  const own = (await store.profiles.find(db, { id: profileId }))!;
  if (own.type !== profile.type)
    throw bad('Node and cluster have different profile type, operation aborted');
}

/** Queues an action on a node. @throws 409 */
export async function actOnNode(
  context: Context,
  node: Node,
  kind: string,
  inputs: Json,
  { name = actionName(kind, node.id), force = false } = {},
): Promise<Action> {
  await refuseConflicts(context, kind, node.id, false, force);
  await store.changeNode(context.db, node, {});
  await delegate(context);
  const owner = context.actor.isService ? node : ownerOf(context);
  return createAction(context, {
    name,
    action: kind,
    target: node.id,
    clusterId: node.clusterId,
    owner,
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

/** Queues the update of a node. @throws 400, 404 */
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
  return { record: node, action: await actOnNode(context, node, 'NODE_UPDATE', inputs) };
}

const busy = ['CREATING', 'UPDATING', 'DELETING', 'RECOVERING'];

/** Queues the deletion of a node. @throws 404, 409 */
export async function deleteNode(
  context: Context,
  identity: string,
  force: boolean,
): Promise<Action> {
  const node = await nodeFor(context, identity);
  if (!force && busy.includes(node.status)) throw inProgress('node', identity, node.status);
  if ((node.dependents['nodes'] as string[] | undefined)?.length)
    throw inUse('node', identity, 'still depended by other clusters and/or nodes');
  return actOnNode(context, node, 'NODE_DELETE', {});
}

const previewFields = {
  identity: required(textField),
  type: required(textField),
  overrides: mapField,
  snapshot: booleanField,
};
const adoptFields = { ...previewFields, name: nameField, role: textField, metadata: mapField };

interface Adoption {
  readonly identity: string;
  readonly type: string;
  readonly overrides?: Json;
  readonly snapshot?: boolean;
  readonly name?: string;
  readonly metadata?: Json;
}

export interface Preview {
  readonly type: string;
  readonly version: string;
  readonly properties: Json;
}

async function previewOf(
  context: Context,
  { identity, type: name, overrides = {}, snapshot = false }: Adoption,
): Promise<Preview> {
  const type = profileTypeFor(name, unknownType);
  const tried = await attempt(context, (inner) =>
    type.driver.preview(inner, identity, overrides, snapshot),
  );
  if ('error' in tried)
    throw operationFailed(`Failed in adopting ${type.name} node: ${tried.error.message}`);
  return { type: type.name, version: type.version, properties: tried.value };
}

/** The profile that would make what is there. @throws 400, 500 */
export const previewNode = (context: Context, body: unknown, version: At): Promise<Preview> =>
  previewOf(context, readFields(previewFields, body, version) as unknown as Adoption);

/** Makes a node of what is there already. @throws 400, 500 */
export async function adoptNode(context: Context, body: unknown, at: At): Promise<Node> {
  const adoption = readFields(adoptFields, body, at) as unknown as Adoption;
  const { type, version, properties } = await previewOf(context, adoption);
  const { now, db } = context;
  const name = adoption.name ?? `node-${newHexId().slice(0, 8)}`;
  const owner = ownerOf(context);
  const profile: Profile = {
    id: newUuid(),
    name: `prof-${name}`.slice(0, 255),
    type: `${type}-${version}`,
    // What the server has none of is not in the spec: none is no value of its schema.
    spec: {
      type,
      version,
      properties: Object.fromEntries(
        Object.entries(properties).filter(([, value]) => value !== null),
      ),
    },
    metadata: {},
    ...owner,
    createdAt: now,
    updatedAt: null,
  };
  await store.profiles.insert(db, profile);
  await delegate(context);
  const node = newNode(now, owner, {
    name,
    profileId: profile.id,
    physicalId: adoption.identity.slice(0, 64),
    role: '',
    metadata: adoption.metadata ?? {},
    createdAt: now,
    updatedAt: now,
    status: 'ACTIVE',
    statusReason: 'Node adopted successfully',
  });
  await store.nodes.insert(db, node);
  return node;
}
