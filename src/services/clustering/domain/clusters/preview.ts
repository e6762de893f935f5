// Explains what an action would do to a cluster, by taking it in a transaction that is rolled back.
import type { Explanation } from '../../../../emulator/explain/model.ts';
import { ApiError, badRequest, conflict, notFound } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { counted } from '../../../../kernel/user/sentences.ts';
import type { Action, Cluster, Json, Node } from '../../model.ts';
import * as store from '../../store/index.ts';
import { clusteringVersions } from '../../versions.ts';
import { actingOn } from '../delegation.ts';
import { runActions } from '../engine/engine.ts';
import { clusterActions, readData } from './action-requests.ts';
import { queueClusterAction } from './clusters.ts';

/** An action of a node that the action of the cluster would start. */
interface NodeAction {
  readonly action: string;
  readonly node: string;
  /** Where a new node would be placed; null if no policy says so. */
  readonly zone: string | null;
}

/**
 * Explains what an action would do.
 * @param identity the id or the name of the cluster
 * @param body the action as `POST /clusters/{id}/actions` takes it
 * @param explanations those of the dry run, which the engine adds to
 * @throws 400, 404, and 409 if several clusters have the name
 */
export async function previewAction(
  context: Context,
  identity: string,
  body: Json,
  explanations: readonly Explanation[],
): Promise<Explanation> {
  const cluster = await clusterNamed(context, identity);
  const owner = await actingOn(context, cluster);
  const [[name, value] = ['', {}], ...more] = Object.entries(body);
  if (more.length || !Object.hasOwn(clusterActions, name))
    throw badRequest(
      `Name one action of a cluster with its inputs: ${Object.keys(clusterActions).join(', ')}.`,
    );
  const { kind, inputs } = await clusterActions[name]!.read({
    context: owner,
    find: () => Promise.resolve(cluster),
    identity,
    given: readData(value),
    version: clusteringVersions.max,
  });
  try {
    const { id } = await queueClusterAction(context, cluster, kind, inputs, { owner: cluster });
    await runActions(context, [{ subject: id }]);
    const action = (await store.actions.find(context.db, { id }))!;
    return explained(cluster, action, await nodeActionsOf(context, action), explanations);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return refused(cluster, kind, inputs, error.message, explanations);
  }
}

/** Finds a cluster of any project. @throws 404, 409 */
async function clusterNamed({ db }: Context, identity: string): Promise<Cluster> {
  const byId = await store.clusters.find(db, { id: identity });
  if (byId) return byId;
  const [found, ...more] = await store.clusters.list(db, { where: { name: identity } });
  if (!found) throw notFound(`There is no cluster '${identity}'.`);
  if (more.length) throw conflict(`Several clusters have the name '${identity}'. Use an id.`);
  return found;
}

async function nodeActionsOf({ db }: Context, { id }: Action): Promise<NodeAction[]> {
  const started = await store.dependencies.list(db, { where: { dependent: id } });
  const actions = await store.actions.among(
    db,
    'id',
    started.map(({ depended }) => depended),
  );
  const nodes = await store.nodes.among(
    db,
    'id',
    actions.map(({ target }) => target),
  );
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return actions.map(({ action, target }) => {
    const node = byId.get(target);
    return { action, node: node?.name ?? target, zone: node ? zoneOf(node) : null };
  });
}

const zoneOf = ({ data }: Node): string | null =>
  ((data['placement'] as Json | undefined)?.['zone'] as string | undefined) ?? null;

function explained(
  { id: subject, name }: Cluster,
  { action, inputs, status, statusReason }: Action,
  nodeActions: readonly NodeAction[],
  [decision]: readonly Explanation[],
): Explanation {
  const isFailed = status === 'FAILED';
  const effect = isFailed
    ? `${action} would fail: ${statusReason}`
    : nodeActions.length
      ? `${action} would start ${counted(nodeActions.length, 'action')} of nodes`
      : `${action} would change no node`;
  const summary = /[.!?]$/.test(effect) ? effect : `${effect}.`;
  return {
    kind: 'action',
    subject,
    name,
    outcome: isFailed ? 'failure' : (decision?.outcome ?? 'success'),
    summary,
    text: [
      summary,
      ...nodeActions.map(
        (one) => `  ${one.action} ${one.node}${one.zone === null ? '' : ` in ${one.zone}`}`,
      ),
      ...(decision?.text ?? []),
    ],
    details: {
      ...detailsOf(subject, action, inputs, decision),
      reason: isFailed ? statusReason : null,
      nodes: nodeActions,
    },
  };
}

/** Explains a request that would be refused before an action exists. */
function refused(
  { id: subject, name }: Cluster,
  kind: string,
  inputs: Json,
  reason: string,
  [decision]: readonly Explanation[],
): Explanation {
  const summary = `${kind} would be refused: ${reason}`;
  return {
    kind: 'action',
    subject,
    name,
    outcome: 'failure',
    summary,
    text: [summary, ...(decision?.text ?? [])],
    details: { ...detailsOf(subject, kind, inputs, decision), reason, nodes: [] },
  };
}

const detailsOf = (
  target: string,
  action: string,
  inputs: Json,
  decision: Explanation | undefined,
): object => ({
  action,
  target,
  inputs,
  policies: (decision?.details as { policies?: readonly object[] } | undefined)?.policies ?? [],
});
