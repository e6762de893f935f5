// CLUSTER_RESIZE, CLUSTER_SCALE_OUT and CLUSTER_SCALE_IN.
import { SECOND } from '../../../../../kernel/clock.ts';
import type { Context } from '../../../../../kernel/model.ts';
import type { Action, Cluster, Json } from '../../../model.ts';
import * as store from '../../../store/index.ts';
import {
  actionLatency,
  failed,
  goTo,
  succeeded,
  type Ending,
  type StepResult,
  type Steps,
} from '../../engine/step.ts';
import { childFailure, createNodes, removeNodes } from '../members.ts';
import { countOf, parseResize, sizeProblem } from '../size.ts';
import { loadSettings } from '../../settings.ts';
import { evaluate, updateCluster } from '../status.ts';
import { chooseVictims } from '../victims.ts';

/** The steps after the beginning, which all three kinds of actions share. */
const changeSize: Omit<Steps<Cluster>, 'begin'> = {
  grow: async (context, action, cluster) => {
    const { count } = action.memory;
    if (!count) return goTo('grown');
    return createNodes(context, action, cluster, count, 'grown');
  },
  shrink: async (context, action, cluster) => {
    return removeNodes(context, action, cluster, action.memory.ids!, 'shrunk');
  },
  grown: async (context, action) => {
    await evaluate(context, action.target, action.action);
    return action.memory.outcome ? failed('Failed in creating nodes.') : scaled(action);
  },
  shrunk: async (context, action) => {
    await evaluate(context, action.target, action.action);
    return action.memory.outcome
      ? failed(`Failed in deleting nodes: ${childFailure(action)}`)
      : scaled(action);
  },
};

const scaled = ({ action: kind }: Action): Ending =>
  succeeded(kind === 'CLUSTER_RESIZE' ? 'Cluster resize succeeded.' : 'Cluster scaling succeeded.');

const grow = (context: Context, action: Action, count: number): StepResult => ({
  ...goTo('grow', actionLatency(context, action)),
  remember: { count },
});

/** Chooses the nodes to remove. They go after the grace period of the deletion policy. */
async function shrink(context: Context, action: Action, count: number): Promise<StepResult> {
  const { data, target } = action;
  const members = await store.membersOf(context.db, target);
  const ids = await chooseVictims(context, action, data, members, count);
  const gracePeriod = (data.deletion?.grace_period ?? 0) * SECOND;
  return { ...goTo('shrink', actionLatency(context, action) + gracePeriod), remember: { ids } };
}

/** The limits that a resize sets. */
function limitsOf({ min_size: min, max_size: max }: Json): Partial<Cluster> {
  return {
    ...(typeof min === 'number' ? { minSize: min } : {}),
    ...(typeof max === 'number' ? { maxSize: max } : {}),
  };
}

export const resize: Steps<Cluster> = {
  ...changeSize,
  begin: async (context, action, cluster) => {
    const { data, inputs } = action;
    const current = await store.countMembers(context.db, cluster.id);
    let change = data.deletion ? -data.deletion.count : data.creation?.count;
    if (change === undefined) {
      const { maxNodesPerCluster } = await loadSettings(context);
      const parsed = parseResize(cluster, inputs, current, maxNodesPerCluster);
      if ('problem' in parsed) return failed(parsed.problem);
      change = parsed.change;
    }
    const keepsCapacity = change < 0 && data.deletion?.reduce_desired_capacity === false;
    await updateCluster(context, cluster.id, {
      ...limitsOf(inputs),
      ...(keepsCapacity ? {} : { desiredCapacity: current + change }),
      status: 'RESIZING',
      statusReason: 'Cluster resize started.',
    });
    return change < 0 ? shrink(context, action, -change) : grow(context, action, change);
  },
};

export const scaleOut: Steps<Cluster> = {
  ...changeSize,
  begin: async (context, action, cluster) => {
    const { data, inputs } = action;
    const count = data.creation?.count ?? countOf(inputs) ?? 1;
    // A policy may decide on zero: best effort, at the limit of the cluster.
    if (!(count >= (data.creation ? 0 : 1)))
      return failed(`Invalid count (${String(inputs['count'])}) for scaling out.`);
    const desired = (await store.countMembers(context.db, cluster.id)) + count;
    const { maxNodesPerCluster: maxNodes } = await loadSettings(context);
    const problem = sizeProblem(cluster, { desired, strict: true, maxNodes });
    if (problem) return failed(problem);
    await updateCluster(context, cluster.id, {
      desiredCapacity: desired,
      status: 'RESIZING',
      statusReason: 'Cluster scale out started.',
    });
    return grow(context, action, count);
  },
};

export const scaleIn: Steps<Cluster> = {
  ...changeSize,
  begin: async (context, action, cluster) => {
    const { inputs } = action;
    const { deletion } = action.data;
    const requested = (deletion?.candidates?.length || deletion?.count) ?? countOf(inputs) ?? 1;
    if (!(requested >= (deletion ? 0 : 1)))
      return failed(`Invalid count (${String(inputs['count'])}) for scaling in.`);
    const current = await store.countMembers(context.db, cluster.id);
    const count = Math.min(requested, current);
    const { maxNodesPerCluster: maxNodes } = await loadSettings(context);
    const problem = sizeProblem(cluster, { desired: current - count, strict: true, maxNodes });
    if (problem) return failed(problem);
    const keepsCapacity = deletion?.reduce_desired_capacity === false;
    await updateCluster(context, cluster.id, {
      desiredCapacity: keepsCapacity ? cluster.desiredCapacity : current - count,
      status: 'RESIZING',
      statusReason: 'Cluster scale in started.',
    });
    return shrink(context, action, count);
  },
};
