// Nodes: their records, their actions and operations, and their adoption.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import { inRegionTransaction } from '../../../kernel/context.ts';
import type { ClusteringCall } from '../call.ts';
import type { Asked } from '../domain/clusters/action-requests.ts';
import { detailsOf } from '../domain/nodes/details.ts';
import { clusterFor, nodeFor } from '../domain/requests/identities.ts';
import * as domain from '../domain/nodes/nodes.ts';
import { nodeOperation } from '../domain/requests/operations.ts';
import type { Json, Node } from '../model.ts';
import { recoverInputs } from '../domain/requests/recovery.ts';
import { bad, invalid } from '../domain/refusals.ts';
import { nodeList } from '../domain/requests/collections.ts';
import { isMap } from '../domain/requests/fields.ts';
import { boolParameter, readList } from '../domain/requests/lists.ts';
import { onlyKey } from '../domain/requests/objects.ts';
import * as store from '../store/index.ts';
import { nodeView } from '../views/resources.ts';
import { isForced, queued } from './queued.ts';

const named = (call: ClusteringCall): Promise<Node> => nodeFor(call, call.params['node_id']!);

async function views({ db, version }: ClusteringCall, nodes: readonly Node[]): Promise<object[]> {
  const names = await store.namesOf(
    db,
    'clustering_profiles',
    nodes.map(({ profileId }) => profileId),
  );
  return nodes.map((node) => nodeView(node, version, names.get(node.profileId)!));
}

/** GET /v1/nodes */
export async function list(call: ClusteringCall): Promise<Reply> {
  const listing = readList(nodeList, call.query, call.actor);
  const identity = call.query.last('cluster_id');
  const unknown = (_kind: string, id: string) => bad(`Cannot find the given cluster: ${id}`);
  const cluster =
    identity === undefined ? {} : { cluster_id: [(await clusterFor(call, identity, unknown)).id] };
  const found = await store.nodes.list(call.db, {
    ...listing,
    filters: { ...listing.filters, ...cluster },
  });
  return ok({ nodes: await views(call, found) });
}

/** POST /v1/nodes */
export async function create(call: ClusteringCall): Promise<Reply> {
  const { record, action } = await domain.createNode(call, call.body, call.version);
  return queued(call, action, { node: (await views(call, [record]))[0] });
}

/** GET /v1/nodes/{node_id}, in no transaction: its details may be in another region */
export async function show(call: ClusteringCall): Promise<Reply> {
  const isDetailed = boolParameter(call.query, 'show_details', false);
  const { node, names } = await inRegionTransaction(call, call.region, async (context) => {
    const found = await nodeFor(context, call.params['node_id']!);
    return {
      node: found,
      names: await store.namesOf(context.db, 'clustering_profiles', [found.profileId]),
    };
  });
  const details = isDetailed && node.physicalId ? await detailsOf(call, node) : undefined;
  return ok({ node: nodeView(node, call.version, names.get(node.profileId)!, details) });
}

/** PATCH /v1/nodes/{node_id} */
export async function update(call: ClusteringCall): Promise<Reply> {
  const { record, action } = await domain.updateNode(
    call,
    call.params['node_id']!,
    call.body,
    call.version,
  );
  return queued(call, action, { node: (await views(call, [record]))[0] });
}

/** DELETE /v1/nodes/{node_id} */
export async function remove(call: ClusteringCall): Promise<Reply> {
  return queued(call, await domain.deleteNode(call, call.params['node_id']!, isForced(call)), null);
}

/** What the body of an action on a node asks for. @throws 400 */
function asked(name: string, value: unknown): Asked {
  if (name !== 'check' && name !== 'recover')
    throw invalid(`Unrecognized action '${name}' specified`);
  if (!isMap(value)) throw invalid('The params provided is not a map.');
  if (name === 'check') return { kind: 'NODE_CHECK', inputs: value };
  return {
    kind: 'NODE_RECOVER',
    inputs: recoverInputs(value, ['check', 'force_recreate'], ['delete_timeout']),
  };
}

const queue = async (
  call: ClusteringCall,
  node: Node,
  { kind, inputs, name }: Asked,
): Promise<Reply> =>
  queued(
    call,
    await domain.actOnNode(
      call,
      node,
      kind,
      inputs,
      name ? { name: `${name}_${node.id.slice(0, 8)}` } : {},
    ),
  );

/** POST /v1/nodes/{node_id}/actions */
export async function act(call: ClusteringCall): Promise<Reply> {
  const [name, value] = onlyKey(call.body, {
    none: 'No action specified.',
    several: 'Multiple actions specified.',
  });
  const request = asked(name, value);
  return queue(call, await named(call), request);
}

/** POST /v1/nodes/{node_id}/ops */
export async function operate(call: ClusteringCall): Promise<Reply> {
  const [name, value] = onlyKey(call.body, {
    none: 'No operation specified.',
    several: 'Multiple operations specified.',
  });
  const node = await named(call);
  return queue(call, node, await nodeOperation(call, node, name, value));
}

/** POST /v1/nodes/adopt */
export async function adopt(call: ClusteringCall): Promise<Reply> {
  return ok({
    node: (await views(call, [await domain.adoptNode(call, call.body, call.version)]))[0],
  });
}

/** POST /v1/nodes/adopt-preview */
export async function preview(call: ClusteringCall): Promise<Reply> {
  const node_preview: Json = { ...(await domain.previewNode(call, call.body, call.version)) };
  return ok({ node_profile: { node_preview } });
}
