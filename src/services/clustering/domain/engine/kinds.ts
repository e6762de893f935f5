// What each kind of action does.
import { clusterCheck, clusterOperation, clusterRecover } from '../clusters/actions/recovery.ts';
import { clusterCreate, clusterDelete, clusterUpdate } from '../clusters/actions/lifecycle.ts';
import { addNodes, delNodes, replaceNodes } from '../clusters/actions/membership.ts';
import { attachPolicy, detachPolicy, updatePolicy } from '../clusters/actions/policies.ts';
import { resize, scaleIn, scaleOut } from '../clusters/actions/scaling.ts';
import { nodeCheck, nodeOperation, nodeRecover } from '../nodes/actions/recovery.ts';
import { nodeCreate, nodeDelete, nodeJoin, nodeLeave, nodeUpdate } from '../nodes/actions/lifecycle.ts';
import type { Handler } from './step.ts';

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
