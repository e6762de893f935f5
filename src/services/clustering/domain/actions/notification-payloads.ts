// The payloads of Senlin's versioned notifications. Upstream: senlin/objects/notification.py.
import { isoSeconds, SECOND, type Micros } from '../../../../kernel/clock.ts';
import type { Action, Cluster, Node } from '../../model.ts';

/** A versioned object as oslo.versionedobjects writes it. */
const versioned = (name: string, data: object): object => ({
  'senlin_object.name': name,
  'senlin_object.namespace': 'senlin',
  'senlin_object.version': '1.0',
  'senlin_object.data': data,
});

const time = (at: Micros | null): string | null => (at === null ? null : isoSeconds(at));

/** The fields that clusters and nodes share. */
const common = (subject: Cluster | Node): object => ({
  id: subject.id,
  name: subject.name,
  profile_id: subject.profileId,
  init_at: time(subject.initAt),
  created_at: time(subject.createdAt),
  updated_at: time(subject.updatedAt),
  status: subject.status,
  status_reason: subject.statusReason,
  metadata: subject.metadata,
  data: subject.data,
  user: subject.userId,
  project: subject.projectId,
  domain: subject.domainId,
  dependents: subject.dependents,
});

const clusterPayload = (cluster: Cluster): object =>
  versioned('ClusterPayload', {
    ...common(cluster),
    min_size: cluster.minSize,
    max_size: cluster.maxSize,
    desired_capacity: cluster.desiredCapacity,
    timeout: cluster.timeout,
  });

const nodePayload = (node: Node): object =>
  versioned('NodePayload', {
    ...common(node),
    cluster_id: node.clusterId,
    physical_id: node.physicalId,
    index: node.index,
    role: node.role,
  });

const actionPayload = (action: Action): object =>
  versioned('ActionPayload', {
    id: action.id,
    name: action.name,
    created_at: time(action.createdAt),
    target: action.target,
    action: action.action,
    start_time: action.startTime === null ? null : action.startTime / SECOND,
    end_time: action.endTime === null ? null : action.endTime / SECOND,
    timeout: action.timeout,
    status: action.status,
    status_reason: action.statusReason,
    inputs: action.inputs,
    outputs: action.outputs,
    data: action.data,
    user: action.userId,
    project: action.projectId,
  });

/** The payload of a notification about an action on a cluster or a node. */
export const actionNotification = (action: Action, subject: Cluster | Node): object => {
  const isNode = 'clusterId' in subject;
  return versioned(isNode ? 'NodeActionPayload' : 'ClusterActionPayload', {
    ...(isNode ? { node: nodePayload(subject) } : { cluster: clusterPayload(subject) }),
    action: actionPayload(action),
    exception: null,
  });
};
