// Nodes, their actions and operations, and their adoption.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import { inRegionTransaction } from '../../../kernel/context.ts';
import type { ClusteringCall } from '../call.ts';
import type { ActionRequest } from '../domain/clusters/action-requests.ts';
import { adoptNode, previewNode } from '../domain/nodes/adoption.ts';
import { detailsOf } from '../domain/nodes/details.ts';
import { clusterFor, nodeFor } from '../domain/requests/identities.ts';
import * as domain from '../domain/nodes/nodes.ts';
import { readNodeOperation } from '../domain/requests/operations.ts';
import type { Node } from '../model.ts';
import { recoverInputs } from '../domain/requests/recovery.ts';
import { bad, invalid } from '../domain/refusals.ts';
import { nodeList } from '../domain/requests/collections.ts';
import { isMap } from '../domain/requests/fields.ts';
import { boolParameter, readList } from '../domain/requests/lists.ts';
import { onlyKey } from '../domain/requests/objects.ts';
import * as store from '../store/index.ts';
import { nodeView } from '../views/resources.ts';
import { isForced, queued } from './queued.ts';

const idOf = (call: ClusteringCall): string => call.params['node_id']!;

/** Finds the node in the path. @throws 400, 404 */
const target = (call: ClusteringCall): Promise<Node> => nodeFor(call, idOf(call));

async function views({ db, version }: ClusteringCall, nodes: readonly Node[]): Promise<object[]> {
  const profileIds = nodes.map(({ profileId }) => profileId);
  const names = await store.profileNames(db, profileIds);
  return nodes.map((node) => nodeView(node, version, names.get(node.profileId)!));
}

/** GET /v1/nodes */
export async function list(call: ClusteringCall): Promise<Reply> {
  const { where, ...page } = readList(nodeList, call.query, call.actor);
  const identity = call.query.last('cluster_id');
  const unknown = (_kind: string, id: string) => bad(`Cannot find the given cluster: ${id}`);
  const clusterId =
    identity === undefined ? undefined : (await clusterFor(call, identity, unknown)).id;
  const found = await store.listPage(call.db, store.nodes, {
    ...page,
    where: { ...where, clusterId },
  });
  return ok({ nodes: await views(call, found) });
}

/** POST /v1/nodes */
export async function create(call: ClusteringCall): Promise<Reply> {
  const { record, action } = await domain.createNode(call, call.body, call.version);
  return queued(call, action, { node: (await views(call, [record]))[0] });
}

/** GET /v1/nodes/{node_id}, outside of a transaction: its details may be in another region */
export async function show(call: ClusteringCall): Promise<Reply> {
  const isDetailed = boolParameter(call.query, 'show_details', false);
  const { node, names } = await inRegionTransaction(call, call.region, async (context) => {
    const found = await nodeFor(context, idOf(call));
    return { node: found, names: await store.profileNames(context.db, [found.profileId]) };
  });
  const details = isDetailed && node.physicalId ? await detailsOf(call, node) : undefined;
  return ok({ node: nodeView(node, call.version, names.get(node.profileId)!, details) });
}

/** PATCH /v1/nodes/{node_id} */
export async function update(call: ClusteringCall): Promise<Reply> {
  const { body, version } = call;
  const { record, action } = await domain.updateNode(call, idOf(call), body, version);
  return queued(call, action, { node: (await views(call, [record]))[0] });
}

/** DELETE /v1/nodes/{node_id} */
export async function remove(call: ClusteringCall): Promise<Reply> {
  return queued(call, await domain.deleteNode(call, idOf(call), isForced(call)), null);
}

/** Reads the body of an action on a node. @throws 400 */
function readAction(name: string, value: unknown): ActionRequest {
  if (name !== 'check' && name !== 'recover')
    throw invalid(`Unrecognized action '${name}' specified`);
  if (!isMap(value)) throw invalid('The params provided is not a map.');
  if (name === 'check') return { kind: 'NODE_CHECK', inputs: value };
  return {
    kind: 'NODE_RECOVER',
    inputs: recoverInputs(value, ['check', 'force_recreate'], ['delete_timeout']),
  };
}

async function queue(
  call: ClusteringCall,
  node: Node,
  { kind, inputs, name }: ActionRequest,
): Promise<Reply> {
  const options = name ? { name: `${name}_${node.id.slice(0, 8)}` } : {};
  return queued(call, await domain.queueNodeAction(call, node, kind, inputs, options));
}

/** POST /v1/nodes/{node_id}/actions */
export async function act(call: ClusteringCall): Promise<Reply> {
  const [name, value] = onlyKey(call.body, {
    none: 'No action specified.',
    several: 'Multiple actions specified.',
  });
  const request = readAction(name, value);
  return queue(call, await target(call), request);
}

/** POST /v1/nodes/{node_id}/ops */
export async function operate(call: ClusteringCall): Promise<Reply> {
  const [name, value] = onlyKey(call.body, {
    none: 'No operation specified.',
    several: 'Multiple operations specified.',
  });
  const node = await target(call);
  return queue(call, node, await readNodeOperation(call, node, name, value));
}

/** POST /v1/nodes/adopt */
export async function adopt(call: ClusteringCall): Promise<Reply> {
  const node = await adoptNode(call, call.body, call.version);
  return ok({ node: (await views(call, [node]))[0] });
}

/** POST /v1/nodes/adopt-preview */
export async function preview(call: ClusteringCall): Promise<Reply> {
  const node_preview = await previewNode(call, call.body, call.version);
  return ok({ node_profile: { node_preview } });
}
