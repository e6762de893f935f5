// CLUSTER_RESIZE, CLUSTER_SCALE_OUT and CLUSTER_SCALE_IN.
import { SECOND } from '../../../../../kernel/clock.ts';
import * as store from '../../../store/index.ts';
import type { Cluster, Json } from '../../../model.ts';
import { childFailure, chooseVictims, createNodes, deleteNodes } from '../members.ts';
import { done, failed, type Handler, type Outcome, type Run } from '../../engine/step.ts';
import { countOf, parseResize, sizeProblem } from '../size.ts';
import { evaluate, writeCluster } from '../status.ts';

/** What follows once the size is settled: nodes come or go, and the cluster is looked at. */
const change: Omit<Handler, 'begin'> = {
  grow: async (run) => {
    if (!run.memory['count']) return change['grown']!(run);
    return createNodes(run, await run.cluster(), run.memory['count'] as number, 'grown');
  },
  shrink: async (run) =>
    deleteNodes(run, await run.cluster(), run.memory['ids'] as string[], 'shrunk'),
  grown: async ({ context, action, memory }) => {
    await evaluate(context, action.target, action.action);
    return memory.outcome ? failed('Failed in creating nodes.') : succeeded(action.action);
  },
  shrunk: async (run) => {
    const { context, action, memory } = run;
    await evaluate(context, action.target, action.action);
    return memory.outcome
      ? failed(`Failed in deleting nodes: ${childFailure(run)}`)
      : succeeded(action.action);
  },
};

const succeeded = (action: string): Outcome =>
  done(action === 'CLUSTER_RESIZE' ? 'Cluster resize succeeded.' : 'Cluster scaling succeeded.');

/** Begins to grow or to shrink, with the grace that the deletion policy gives. */
async function begin(
  run: Run,
  handler: Handler,
  step: 'grow' | 'shrink',
  count: number,
): Promise<Outcome> {
  if (step === 'shrink') {
    const members = await store.membersOf(run.context.db, run.action.target);
    run.memory['ids'] = await chooseVictims(run, members, count);
  } else run.memory['count'] = count;
  const grace = step === 'shrink' ? (run.data.deletion?.grace_period ?? 0) * SECOND : 0;
  return run.after(run.latency + grace, step, handler);
}

/** The limits that a resize sets. */
function limitsOf({ min_size: min, max_size: max }: Json): Partial<Cluster> {
  return {
    ...(typeof min === 'number' ? { minSize: min } : {}),
    ...(typeof max === 'number' ? { maxSize: max } : {}),
  };
}

export const resize: Handler = {
  ...change,
  begin: async (run) => {
    const { context, data, inputs } = run;
    const cluster = await run.cluster();
    const current = await store.nodes.count(context.db, { cluster_id: cluster.id });
    let byPolicies = data.deletion ? -data.deletion.count : data.creation?.count;
    if (byPolicies === undefined) {
      const parsed = parseResize(cluster, inputs, current);
      if ('problem' in parsed) return failed(parsed.problem);
      byPolicies = parsed.change;
    }
    const keeps = byPolicies < 0 && data.deletion?.reduce_desired_capacity === false;
    await writeCluster(context, cluster.id, {
      ...limitsOf(inputs),
      ...(keeps ? {} : { desiredCapacity: current + byPolicies }),
      status: 'RESIZING',
      statusReason: 'Cluster resize started.',
    });
    return begin(run, resize, byPolicies < 0 ? 'shrink' : 'grow', Math.abs(byPolicies));
  },
};

export const scaleOut: Handler = {
  ...change,
  begin: async (run) => {
    const { context, data, inputs } = run;
    const count = data.creation?.count ?? countOf(inputs) ?? 1;
    // Zero comes only from a policy that has done what it could.
    if (!(count >= (data.creation ? 0 : 1)))
      return failed(`Invalid count (${String(inputs['count'])}) for scaling out.`);
    const cluster = await run.cluster();
    const desired = (await store.nodes.count(context.db, { cluster_id: cluster.id })) + count;
    const problem = sizeProblem(cluster, { desired, strict: true });
    if (problem) return failed(problem);
    await writeCluster(context, cluster.id, {
      desiredCapacity: desired,
      status: 'RESIZING',
      statusReason: 'Cluster scale out started.',
    });
    return begin(run, scaleOut, 'grow', count);
  },
};

export const scaleIn: Handler = {
  ...change,
  begin: async (run) => {
    const { context, data, inputs } = run;
    const { deletion } = data;
    const asked = (deletion?.candidates?.length || deletion?.count) ?? countOf(inputs) ?? 1;
    if (!(asked >= (deletion ? 0 : 1)))
      return failed(`Invalid count (${String(inputs['count'])}) for scaling in.`);
    const cluster = await run.cluster();
    const current = await store.nodes.count(context.db, { cluster_id: cluster.id });
    const count = Math.min(asked, current);
    const problem = sizeProblem(cluster, { desired: current - count, strict: true });
    if (problem) return failed(problem);
    const desiredCapacity =
      deletion?.reduce_desired_capacity === false ? cluster.desiredCapacity : current - count;
    await writeCluster(context, cluster.id, {
      desiredCapacity,
      status: 'RESIZING',
      statusReason: 'Cluster scale in started.',
    });
    return begin(run, scaleIn, 'shrink', count);
  },
};
