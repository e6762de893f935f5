// The tables of Clustering.
import {
  boolean,
  integer,
  jsonObject,
  jsonTexts,
  micros,
  nullable,
  referring,
  text,
  textOf,
  type Columns,
} from '../../../kernel/db/columns.ts';
import { RevisionTable } from '../../../kernel/db/revision-table.ts';
import { Table } from '../../../kernel/db/table.ts';
import {
  actionStatuses,
  clusterStatuses,
  nodeStatuses,
  type Action,
  type ActionData,
  type Binding,
  type Cluster,
  type Credential,
  type Delegator,
  type Dependency,
  type Event,
  type Json,
  type Lock,
  type Memory,
  type Node,
  type NodeData,
  type Owned,
  type Policy,
  type Profile,
  type Receiver,
  type Registration,
  type RemoteTaskResult,
  type Spec,
} from '../model.ts';

const owned: Columns<Owned> = {
  id: text,
  name: text,
  userId: text,
  projectId: text,
  domainId: nullable(text),
  createdAt: nullable(micros),
  updatedAt: nullable(micros),
};

const delegated: Columns<Owned & Delegator> = { ...owned, credentialId: nullable(text) };

const object = jsonObject<Json>();

export const profiles = new Table<Profile>('clustering_profiles', {
  ...owned,
  type: text,
  spec: jsonObject<Spec>(),
  metadata: object,
});

export const policies = new Table<Policy>('clustering_policies', {
  ...owned,
  type: text,
  spec: jsonObject<Spec>(),
  data: object,
});

export const clusters = new RevisionTable<Cluster>(
  'clustering_clusters',
  {
    ...delegated,
    profileId: text,
    initAt: micros,
    minSize: integer,
    maxSize: integer,
    desiredCapacity: integer,
    nextIndex: integer,
    timeout: integer,
    status: textOf(clusterStatuses),
    statusReason: text,
    metadata: object,
    data: object,
    dependents: object,
    config: object,
    revision: integer,
  },
  { revision: 'revision' },
);

export const nodes = new RevisionTable<Node>(
  'clustering_nodes',
  {
    ...delegated,
    profileId: text,
    clusterId: referring(text, 'clustering_clusters.id'),
    physicalId: nullable(text),
    index: integer,
    role: nullable(text),
    initAt: micros,
    tainted: boolean,
    status: textOf(nodeStatuses),
    statusReason: text,
    metadata: object,
    data: jsonObject<NodeData>(),
    dependents: object,
    revision: integer,
  },
  { revision: 'revision' },
);

export const bindings = new Table<Binding>('clustering_bindings', {
  id: text,
  clusterId: text,
  policyId: text,
  enabled: boolean,
  priority: integer,
  data: object,
  lastOp: nullable(micros),
});

export const receivers = new Table<Receiver>('clustering_receivers', {
  ...delegated,
  type: text,
  clusterId: referring(nullable(text), 'clustering_clusters.id'),
  action: nullable(text),
  actor: object,
  params: object,
  channel: object,
});

export const credentials = new Table<Credential>('clustering_credentials', {
  id: text,
  userId: text,
  projectId: text,
  trustId: nullable(text),
  roles: jsonTexts<readonly string[]>(),
});

export const actions = new RevisionTable<Action>(
  'clustering_actions',
  {
    ...delegated,
    clusterId: text,
    target: text,
    action: text,
    cause: text,
    owner: nullable(text),
    timeout: integer,
    startTime: nullable(micros),
    endTime: nullable(micros),
    control: nullable(text),
    status: textOf(actionStatuses),
    statusReason: text,
    inputs: object,
    outputs: object,
    data: jsonObject<ActionData>(),
    memory: jsonObject<Memory>(),
    revision: integer,
  },
  { revision: 'revision' },
);

export const dependencies = new Table<Dependency>(
  'clustering_dependencies',
  {
    depended: referring(text, 'clustering_actions.id'),
    dependent: referring(text, 'clustering_actions.id'),
  },
  { key: ['depended', 'dependent'] },
);

export const events = new Table<Event>('clustering_events', {
  id: text,
  timestamp: micros,
  oid: text,
  oname: text,
  otype: text,
  clusterId: text,
  level: integer,
  userId: text,
  projectId: text,
  action: text,
  status: text,
  statusReason: text,
  metaData: object,
});

export const locks = new Table<Lock>(
  'clustering_locks',
  {
    target: referring(text, 'clustering_clusters.id', 'clustering_nodes.id'),
    exclusive: boolean,
    actionIds: jsonTexts<readonly string[]>(),
  },
  { key: 'target' },
);

export const registry = new Table<Registration>(
  'clustering_health_registry',
  {
    clusterId: text,
    interval: integer,
    params: jsonObject<Registration['params']>(),
    enabled: boolean,
    round: integer,
  },
  { key: 'clusterId' },
);

export const remoteTasks = new Table<RemoteTaskResult>('clustering_remote_tasks', {
  id: text,
  createdAt: micros,
  result: jsonObject<RemoteTaskResult['result']>(),
});
