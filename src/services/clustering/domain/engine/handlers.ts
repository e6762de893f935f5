// What each kind of action does.
import { clusterCheck, clusterOperation, clusterRecover } from './cluster-care.ts';
import { clusterCreate, clusterDelete, clusterUpdate } from './cluster-lifecycle.ts';
import { addNodes, delNodes, replaceNodes } from './cluster-members.ts';
import { attachPolicy, detachPolicy, updatePolicy } from './cluster-policies.ts';
import { resize, scaleIn, scaleOut } from './cluster-scaling.ts';
import { nodeCheck, nodeOperation, nodeRecover } from './node-care.ts';
import { nodeCreate, nodeDelete, nodeJoin, nodeLeave, nodeUpdate } from './node-lifecycle.ts';
import type { Handler } from './run.ts';

export const handlers: Readonly<Record<string, Handler>> = {
  CLUSTER_CREATE: clusterCreate,
  CLUSTER_DELETE: clusterDelete,
  CLUSTER_UPDATE: clusterUpdate,
  CLUSTER_ADD_NODES: addNodes,
  CLUSTER_DEL_NODES: delNodes,
  CLUSTER_REPLACE_NODES: replaceNodes,
  CLUSTER_RESIZE: resize,
  CLUSTER_SCALE_OUT: scaleOut,
  CLUSTER_SCALE_IN: scaleIn,
  CLUSTER_CHECK: clusterCheck,
  CLUSTER_RECOVER: clusterRecover,
  CLUSTER_OPERATION: clusterOperation,
  CLUSTER_ATTACH_POLICY: attachPolicy,
  CLUSTER_DETACH_POLICY: detachPolicy,
  CLUSTER_UPDATE_POLICY: updatePolicy,
  NODE_CREATE: nodeCreate,
  NODE_DELETE: nodeDelete,
  NODE_UPDATE: nodeUpdate,
  NODE_JOIN: nodeJoin,
  NODE_LEAVE: nodeLeave,
  NODE_CHECK: nodeCheck,
  NODE_RECOVER: nodeRecover,
  NODE_OPERATION: nodeOperation,
};
