// The kinds of actions, with the steps of each.
import { clusterCreate, clusterDelete, clusterUpdate } from '../clusters/actions/lifecycle.ts';
import { addNodes, delNodes, replaceNodes } from '../clusters/actions/membership.ts';
import { attachPolicy, detachPolicy, updatePolicy } from '../clusters/actions/policies.ts';
import { clusterCheck, clusterOperation, clusterRecover } from '../clusters/actions/recovery.ts';
import { resize, scaleIn, scaleOut } from '../clusters/actions/scaling.ts';
import {
  nodeCreate,
  nodeDelete,
  nodeJoin,
  nodeLeave,
  nodeUpdate,
} from '../nodes/actions/lifecycle.ts';
import { nodeCheck, nodeOperation, nodeRecover } from '../nodes/actions/recovery.ts';
import { latencyName, type Steps } from './step.ts';

/** The kinds that --latency can slow down. */
const delayable: Readonly<Record<string, Steps<never>>> = {
  CLUSTER_CREATE: clusterCreate,
  CLUSTER_DELETE: clusterDelete,
  CLUSTER_UPDATE: clusterUpdate,
  CLUSTER_RESIZE: resize,
  CLUSTER_SCALE_IN: scaleIn,
  CLUSTER_SCALE_OUT: scaleOut,
  CLUSTER_CHECK: clusterCheck,
  CLUSTER_RECOVER: clusterRecover,
  CLUSTER_OPERATION: clusterOperation,
  NODE_CREATE: nodeCreate,
  NODE_DELETE: nodeDelete,
  NODE_UPDATE: nodeUpdate,
  NODE_CHECK: nodeCheck,
  NODE_RECOVER: nodeRecover,
  NODE_OPERATION: nodeOperation,
};

export const kinds: Readonly<Record<string, Steps<never>>> = {
  ...delayable,
  CLUSTER_ADD_NODES: addNodes,
  CLUSTER_DEL_NODES: delNodes,
  CLUSTER_REPLACE_NODES: replaceNodes,
  CLUSTER_ATTACH_POLICY: attachPolicy,
  CLUSTER_DETACH_POLICY: detachPolicy,
  CLUSTER_UPDATE_POLICY: updatePolicy,
  NODE_JOIN: nodeJoin,
  NODE_LEAVE: nodeLeave,
};

/** The names of the actions that --latency can slow down. */
export const latencies: readonly string[] = Object.keys(delayable).map(latencyName);
