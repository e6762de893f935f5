// The records of Clustering, as clients see them.
import { isoMicros, isoSeconds, SECOND, type Micros } from '../../../kernel/clock.ts';
import type { Version } from '../../../kernel/microversion.ts';
import type {
  Action,
  Binding,
  Cluster,
  Event,
  Json,
  Node,
  Owner,
  Policy,
  Profile,
  Receiver,
  Spec,
} from '../model.ts';
import type { ValidatedPolicy } from '../domain/policies/policies.ts';
import type { ValidatedProfile } from '../domain/profiles/profiles.ts';
import type { ClusteringVersion } from '../versions.ts';

type At = Version<ClusteringVersion>;

const time = (at: Micros | null): string | null => (at === null ? null : isoSeconds(at));
/** Policies and bindings show times without a zone. */
const naive = (at: Micros | null): string | null =>
  at === null ? null : isoMicros(Math.floor(at / SECOND) * SECOND).slice(0, -1);
/** Actions show seconds since 1970. */
const epoch = (at: Micros | null): number | null => (at === null ? null : at / SECOND);

const owner = ({ userId, projectId, domainId }: Owner): object => ({
  user: userId,
  project: projectId,
  domain: domainId,
});

const specView = ({ type, version, properties, description }: Spec): object => ({
  type,
  version,
  properties,
  ...(description === undefined ? {} : { description }),
});

/** @param profile may be validated only, and then has no id and no metadata */
export const profileView = (profile: Profile | ValidatedProfile): object => ({
  id: profile.id,
  name: profile.name,
  type: profile.type,
  ...owner(profile),
  spec: specView(profile.spec),
  metadata: profile.metadata,
  created_at: time(profile.createdAt),
  updated_at: time(profile.updatedAt),
});

/** @param hasZone whether times have a zone: those in the reply to a change do */
export const policyView = (policy: Policy | ValidatedPolicy, hasZone = false): object => {
  const format = hasZone ? time : naive;
  return {
    id: policy.id,
    name: policy.name,
    type: policy.type,
    ...owner(policy),
    spec: specView(policy.spec),
    data: policy.data,
    created_at: format(policy.createdAt),
    updated_at: format(policy.updatedAt),
  };
};

/** The name of a cluster's profile, and the ids of its nodes and policy bindings. */
export interface ClusterContext {
  readonly profileName: string;
  readonly nodes: readonly string[];
  readonly bindings: readonly string[];
}

export const clusterView = (
  cluster: Cluster,
  { profileName, nodes, bindings }: ClusterContext,
): object => ({
  id: cluster.id,
  name: cluster.name,
  profile_id: cluster.profileId,
  profile_name: profileName,
  ...owner(cluster),
  init_at: time(cluster.initAt),
  created_at: time(cluster.createdAt),
  updated_at: time(cluster.updatedAt),
  min_size: cluster.minSize,
  max_size: cluster.maxSize,
  desired_capacity: cluster.desiredCapacity,
  timeout: cluster.timeout,
  status: cluster.status,
  status_reason: cluster.statusReason,
  metadata: cluster.metadata,
  data: cluster.data,
  dependents: cluster.dependents,
  config: cluster.config,
  nodes,
  policies: bindings,
});

export const nodeView = (node: Node, version: At, profileName: string, details?: Json): object => ({
  id: node.id,
  name: node.name,
  cluster_id: node.clusterId,
  physical_id: node.physicalId,
  profile_id: node.profileId,
  profile_name: profileName,
  ...owner(node),
  index: node.index,
  role: node.role,
  init_at: time(node.initAt),
  created_at: time(node.createdAt),
  updated_at: time(node.updatedAt),
  status: node.status,
  status_reason: node.statusReason,
  data: node.data,
  metadata: node.metadata,
  dependents: node.dependents,
  ...version.since('1.13', { tainted: node.tainted }),
  ...(details ? { details } : {}),
});

export const bindingView = (
  binding: Binding,
  cluster: Pick<Cluster, 'name'>,
  policy: Pick<Policy, 'name' | 'type'>,
): object => ({
  id: binding.id,
  cluster_id: binding.clusterId,
  policy_id: binding.policyId,
  enabled: binding.enabled,
  // Most types of policies keep no data.
  data: Object.keys(binding.data).length ? binding.data : null,
  last_op: naive(binding.lastOp),
  priority: binding.priority,
  cluster_name: cluster.name,
  policy_name: policy.name,
  policy_type: policy.type,
});

export interface ActionContext {
  readonly dependsOn: readonly string[];
  readonly dependedBy: readonly string[];
}

export const actionView = (
  action: Action,
  version: At,
  { dependsOn, dependedBy }: ActionContext,
): object => ({
  id: action.id,
  name: action.name,
  ...version.since('1.14', { cluster_id: action.clusterId }),
  action: action.action,
  target: action.target,
  cause: action.cause,
  owner: action.owner,
  interval: -1,
  start_time: epoch(action.startTime),
  end_time: epoch(action.endTime),
  timeout: action.timeout,
  status: action.status,
  status_reason: action.statusReason,
  inputs: action.inputs,
  outputs: action.outputs,
  depends_on: dependsOn,
  depended_by: dependedBy,
  created_at: time(action.createdAt),
  updated_at: time(action.updatedAt),
  data: action.data,
  user: action.userId,
  project: action.projectId,
});

export const receiverView = (receiver: Receiver): object => ({
  id: receiver.id,
  name: receiver.name,
  type: receiver.type,
  ...owner(receiver),
  created_at: time(receiver.createdAt),
  updated_at: time(receiver.updatedAt),
  cluster_id: receiver.clusterId,
  actor: receiver.actor,
  action: receiver.action,
  params: receiver.params,
  channel: receiver.channel,
});

const levelNames: Readonly<Record<number, string>> = {
  50: 'CRITICAL',
  40: 'ERROR',
  30: 'WARN',
  20: 'INFO',
  10: 'DEBUG',
  0: 'NOTSET',
};

export const eventView = (event: Event): object => ({
  id: event.id,
  timestamp: isoSeconds(event.timestamp).replace('Z', '+00:00'),
  oid: event.oid,
  oname: event.oname,
  otype: event.otype,
  cluster_id: event.clusterId,
  level: levelNames[event.level] ?? 'INFO',
  user: event.userId,
  project: event.projectId,
  action: event.action,
  status: event.status,
  status_reason: event.statusReason,
  meta_data: event.metaData,
});
