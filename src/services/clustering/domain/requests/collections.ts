// What each collection may be filtered and sorted by.
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

const same = (...names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, name]));

export const clusterList: Collection = {
  filters: same('name', 'status'),
  enums: { status: clusterStatuses },
  sorts: same('name', 'status', 'init_at', 'created_at', 'updated_at'),
  order: 'init_at',
  quotes: true,
};

export const nodeList: Collection = {
  filters: same('name', 'status', 'cluster_id'),
  enums: { status: nodeStatuses },
  sorts: same('index', 'name', 'status', 'init_at', 'created_at', 'updated_at'),
  order: 'init_at',
};

export const specList: Collection = {
  filters: same('name', 'type'),
  sorts: same('type', 'name', 'created_at', 'updated_at'),
  order: 'created_at',
};

/** @param hasCluster from 1.14 on */
export const actionList = (hasCluster: boolean): Collection => ({
  filters: same('name', 'target', 'action', 'status', ...(hasCluster ? ['cluster_id'] : [])),
  enums: { action: allActions, status: actionStatuses },
  sorts: same('name', 'target', 'action', 'created_at', 'status'),
  order: 'created_at',
});

export const eventList: Collection = {
  filters: same('oid', 'oname', 'otype', 'cluster_id', 'action', 'level'),
  enums: {
    action: allActions,
    level: ['CRITICAL', 'ERROR', 'WARN', 'WARNING', 'INFO', 'DEBUG', 'NOTSET'],
    otype: ['CLUSTER', 'NODE'],
  },
  sorts: same('timestamp', 'level', 'otype', 'oname', 'action', 'status', 'oid', 'cluster_id'),
  order: 'timestamp',
};

/** @param hasUser from 1.4 on */
export const receiverList = (hasUser: boolean): Collection => ({
  filters: {
    ...same('name', 'type', 'cluster_id', 'action'),
    ...(hasUser ? { user: 'user_id' } : {}),
  },
  enums: { action: clusterActions, type: ['webhook', 'message'] },
  sorts: { ...same('name', 'type', 'action', 'cluster_id', 'created_at'), user: 'user_id' },
  order: 'name',
});

export const bindingList: Collection = {
  filters: same('enabled', 'policy_name', 'policy_type'),
  sorts: same('enabled'),
  order: 'id',
  unpaged: true,
};
