// Handles requests to create, update and delete clusters, by queueing actions.
import { isDeepStrictEqual } from 'node:util';
import { newUuid } from '../../../../kernel/ids.ts';
import type { Version } from '../../../../kernel/microversion.ts';
import type { Context } from '../../../../kernel/model.ts';
import * as store from '../../store/index.ts';
import type { ClusteringVersion } from '../../versions.ts';
import { checkConflicts } from '../actions/conflicts.ts';
import { actionName, createAction } from '../actions/queue.ts';
import { loadSettings } from '../settings.ts';
import { sizeProblem } from './size.ts';
import { clusterFor, profileFor, specified } from '../requests/identities.ts';
import { delegate, requester } from '../delegation.ts';
import type { Action, Cluster, Delegator, Json } from '../../model.ts';
import { bad, inProgress, inUse, notSupported, overQuota } from '../refusals.ts';
import {
  booleanField,
  capacityField,
  countField,
  mapField,
  nameField,
  textField,
} from '../requests/fields.ts';
import { readFields, required, since, unwrap, type Fields } from '../requests/objects.ts';

type At = Version<ClusteringVersion>;

const createFields = (maxNodes: number): Fields => ({
  name: required(nameField),
  profile_id: required(textField),
  min_size: capacityField(0, maxNodes),
  max_size: capacityField(-1, maxNodes),
  desired_capacity: capacityField(0, maxNodes),
  metadata: mapField,
  timeout: countField,
  config: mapField,
});

/** A request to create a cluster. */
interface CreateRequest {
  readonly name: string;
  readonly profile_id: string;
  readonly min_size?: number;
  readonly max_size?: number;
  readonly desired_capacity?: number;
  readonly metadata?: Json;
  readonly timeout?: number;
  readonly config?: Json;
}

/** A record with the action that has been queued for it. */
export interface Queued<T> {
  readonly record: T;
  readonly action: Action;
}

/** Creates a cluster, and queues the action that fills it. @throws 400, 500 if over quota */
export async function createCluster(
  context: Context,
  body: unknown,
  version: At,
): Promise<Queued<Cluster>> {
  const { db, now } = context;
  const settings = await loadSettings(context);
  const { maxNodesPerCluster: maxNodes, maxClustersPerProject: maxClusters } = settings;
  const fields = createFields(maxNodes);
  const request = readFields(fields, unwrap(body, 'cluster'), version) as Json & CreateRequest;
  const { projectId = '' } = context.actor;
  if ((await store.clusters.count(db, { where: { projectId } })) >= maxClusters) throw overQuota();
  const profile = await profileFor(context, request.profile_id, specified);
  const minSize = request.min_size ?? 0;
  const maxSize = request.max_size || -1;
  const desiredCapacity = request.desired_capacity ?? minSize;
  const problem = sizeProblem(undefined, {
    desired: request.desired_capacity ?? minSize,
    min: request.min_size,
    max: request.max_size || undefined,
    strict: true,
    maxNodes,
  });
  if (problem) throw bad(problem);
  const owner = await delegate(context);
  const cluster: Cluster = {
    id: newUuid(),
    name: request.name,
    profileId: profile.id,
    ...owner,
    initAt: now,
    createdAt: null,
    updatedAt: null,
    minSize,
    maxSize,
    desiredCapacity,
    nextIndex: 1,
    timeout: request.timeout || settings.defaultActionTimeout,
    status: 'INIT',
    statusReason: 'Initializing',
    metadata: request.metadata ?? {},
    data: {},
    dependents: {},
    config: request.config ?? {},
    revision: 0,
  };
  await store.clusters.insert(db, cluster);
  return {
    record: cluster,
    action: await queueClusterAction(context, cluster, 'CLUSTER_CREATE', {}, { owner }),
  };
}

export interface QueueOptions {
  readonly name?: string;
  readonly force?: boolean;
  /** The owner of the action; by default the actor. */
  readonly owner?: Delegator;
}

/** Queues an action on a cluster. @throws 403, 409 */
export async function queueClusterAction(
  context: Context,
  cluster: Cluster,
  kind: string,
  inputs: Json,
  { name = actionName(kind, cluster.id), force = false, owner }: QueueOptions = {},
): Promise<Action> {
  await checkConflicts(context, kind, cluster.id, true, force);
  // If two requests come at the same time, the later one conflicts here, starts over, and finds the
  // action of the first.
  await store.changeCluster(context.db, cluster, {});
  return createAction(context, {
    name,
    action: kind,
    target: cluster.id,
    clusterId: cluster.id,
    owner: owner ?? (await requester(context, cluster)),
    inputs,
    timeout: cluster.timeout,
  });
}

const updateFields = {
  name: nameField,
  profile_id: textField,
  metadata: mapField,
  timeout: countField,
  profile_only: since('1.6', booleanField),
  config: since('1.7', mapField),
};

/** Queues the update of a cluster with the fields that change. @throws 400, 404, 409 */
export async function updateCluster(
  context: Context,
  identity: string,
  body: unknown,
  version: At,
): Promise<Queued<Cluster>> {
  const given = readFields(updateFields, unwrap(body, 'cluster', true), version);
  const cluster = await clusterFor(context, identity);
  if (cluster.status === 'ERROR') throw notSupported('Updating a cluster in error state');
  const { profile_id: profileId, ...fields } = given;
  const profile =
    profileId === undefined ? {} : await profileInputs(context, cluster, profileId as string);
  const current = {
    name: cluster.name,
    metadata: cluster.metadata,
    timeout: cluster.timeout,
    config: cluster.config,
  };
  const changed = Object.entries(fields).filter(
    ([name, value]) => !isDeepStrictEqual(value, current[name as keyof typeof current]),
  );
  const inputs = { ...profile, ...(Object.fromEntries(changed) as Json) };
  if (!Object.keys(inputs).length) throw bad('No property needs an update');
  const action = await queueClusterAction(context, cluster, 'CLUSTER_UPDATE', inputs);
  return { record: cluster, action };
}

/** The inputs for a new profile. @throws 400 if its type differs */
async function profileInputs(context: Context, cluster: Cluster, identity: string): Promise<Json> {
  const profile = await profileFor(context, identity, specified);
  if (profile.id === cluster.profileId) return {};
  const old = (await store.profiles.find(context.db, { id: cluster.profileId }))!;
  if (old.type !== profile.type)
    throw bad('Cannot update a cluster to a different profile type, operation aborted');
  return { new_profile_id: profile.id };
}

const busyStatuses = ['CREATING', 'UPDATING', 'DELETING', 'RECOVERING'];

/** Queues the deletion of a cluster and its nodes. @throws 404, 409 */
export async function deleteCluster(
  context: Context,
  identity: string,
  force: boolean,
): Promise<Action> {
  const cluster = await clusterFor(context, identity);
  if (!force && busyStatuses.includes(cluster.status))
    throw inProgress('cluster', identity, cluster.status);
  const profiles = cluster.dependents['profiles'] as string[] | undefined;
  if (profiles?.length)
    throw inUse('cluster', identity, `still referenced by profile(s): ${JSON.stringify(profiles)}`);
  return queueClusterAction(context, cluster, 'CLUSTER_DELETE', {}, { force: true });
}
