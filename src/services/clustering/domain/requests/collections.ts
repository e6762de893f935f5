// The filters and the sort keys of each list.
import type { Action, Binding, Cluster, Event, Node, Owned, Receiver } from '../../model.ts';
import type { Collection } from './lists.ts';

const clusterStatuses = [
  'INIT',
  'ACTIVE',
  'CREATING',
  'UPDATING',
  'RESIZING',
  'DELETING',
  'CHECKING',
  'RECOVERING',
  'CRITICAL',
  'ERROR',
  'WARNING',
  'OPERATING',
];
const nodeStatuses = [
  'INIT',
  'ACTIVE',
  'ERROR',
  'WARNING',
  'CREATING',
  'UPDATING',
  'DELETING',
  'RECOVERING',
  'OPERATING',
];
const actionStatuses = [
  'INIT',
  'WAITING',
  'READY',
  'RUNNING',
  'SUCCEEDED',
  'FAILED',
  'CANCELLED',
  'WAITING_LIFECYCLE_COMPLETION',
  'SUSPENDED',
];
const clusterActions = [
  'CREATE',
  'DELETE',
  'UPDATE',
  'ADD_NODES',
  'DEL_NODES',
  'RESIZE',
  'CHECK',
  'RECOVER',
  'REPLACE_NODES',
  'SCALE_OUT',
  'SCALE_IN',
  'ATTACH_POLICY',
  'DETACH_POLICY',
  'UPDATE_POLICY',
  'OPERATION',
].map((name) => `CLUSTER_${name}`);
const nodeActions = [
  'CREATE',
  'DELETE',
  'UPDATE',
  'JOIN',
  'LEAVE',
  'CHECK',
  'RECOVER',
  'OPERATION',
].map((name) => `NODE_${name}`);
const allActions = [...clusterActions, ...nodeActions];

const common = {
  name: 'name',
  status: 'status',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
} as const;

export const clusterList: Collection<Cluster> = {
  filters: { name: 'name', status: 'status' },
  enums: { status: clusterStatuses },
  sorts: { ...common, init_at: 'initAt' },
  order: 'initAt',
  quotes: true,
};

export const nodeList: Collection<Node> = {
  filters: { name: 'name', status: 'status', cluster_id: 'clusterId' },
  enums: { status: nodeStatuses },
  sorts: { ...common, index: 'index', init_at: 'initAt' },
  order: 'initAt',
};

/** The lists of profiles and of policies. */
export const specList: Collection<Owned & { readonly type: string }> = {
  filters: { name: 'name', type: 'type' },
  sorts: { type: 'type', name: 'name', created_at: 'createdAt', updated_at: 'updatedAt' },
  order: 'createdAt',
};

/** @param hasCluster from 1.14 on */
export const actionList = (hasCluster: boolean): Collection<Action> => ({
  filters: {
    name: 'name',
    target: 'target',
    action: 'action',
    status: 'status',
    ...(hasCluster && { cluster_id: 'clusterId' }),
  },
  enums: { action: allActions, status: actionStatuses },
  sorts: {
    name: 'name',
    target: 'target',
    action: 'action',
    created_at: 'createdAt',
    status: 'status',
  },
  order: 'createdAt',
});

export const eventList: Collection<Event> = {
  filters: {
    oid: 'oid',
    oname: 'oname',
    otype: 'otype',
    cluster_id: 'clusterId',
    action: 'action',
    level: 'level',
  },
  enums: {
    action: allActions,
    level: ['CRITICAL', 'ERROR', 'WARN', 'WARNING', 'INFO', 'DEBUG', 'NOTSET'],
    otype: ['CLUSTER', 'NODE'],
  },
  sorts: {
    timestamp: 'timestamp',
    level: 'level',
    otype: 'otype',
    oname: 'oname',
    action: 'action',
    status: 'status',
    oid: 'oid',
    cluster_id: 'clusterId',
  },
  order: 'timestamp',
};

/** @param hasUser from 1.4 on */
export const receiverList = (hasUser: boolean): Collection<Receiver> => ({
  filters: {
    name: 'name',
    type: 'type',
    cluster_id: 'clusterId',
    action: 'action',
    ...(hasUser && { user: 'userId' }),
  },
  enums: { action: clusterActions, type: ['webhook', 'message'] },
  sorts: {
    name: 'name',
    type: 'type',
    action: 'action',
    cluster_id: 'clusterId',
    created_at: 'createdAt',
    user: 'userId',
  },
  order: 'name',
});

/** The names and the types of policies are filtered after reading: other tables hold them. */
export const bindingList: Collection<Binding> = {
  filters: { enabled: 'enabled', policy_name: undefined, policy_type: undefined },
  sorts: { enabled: 'enabled' },
  order: 'id',
  unpaged: true,
};
