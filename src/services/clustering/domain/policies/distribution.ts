// How nodes are spread over places by weight, when some come or go. Places are zones or regions.
import type { ActionData, Action, Cluster } from '../../model.ts';
import { countOf, parseResize } from '../clusters/size.ts';

export interface Place {
  readonly name: string;
  readonly weight: number;
  /** The most nodes that it may have; none where it is negative. */
  readonly cap?: number;
}

type Counts = Readonly<Record<string, number>>;

/**
 * Spreads `count` more nodes (fewer, where it is negative). Heavy places are filled first and light
 * ones emptied first; of equal ones the first of the spec.
 * @returns how many at each place, or undefined where there is no plan for all of them
 */
export function distribute(
  places: readonly Place[],
  current: Counts,
  count: number,
): Record<string, number> | undefined {
  const grows = count > 0;
  const total = places.reduce((sum, { name }) => sum + (current[name] ?? 0), 0) + count;
  const weights = places.reduce((sum, { weight }) => sum + weight, 0);
  const plan: Record<string, number> = {};
  let left = Math.abs(count);
  for (const { name, weight, cap = -1 } of places.toSorted((a, b) =>
    grows ? b.weight - a.weight : a.weight - b.weight,
  )) {
    const fair = (total * weight) / weights;
    const quota = grows
      ? cap >= 0
        ? Math.min(Math.ceil(fair), cap)
        : Math.ceil(fair)
      : Math.floor(fair);
    const room = grows ? quota - (current[name] ?? 0) : (current[name] ?? 0) - quota;
    const taken = Math.min(room, left);
    if (taken > 0) plan[name] = taken;
    left -= Math.max(0, taken);
    if (left === 0) break;
  }
  return left === 0 ? plan : undefined;
}

/**
 * By how many nodes an action changes its cluster: what other policies have decided comes before
 * the inputs, and those before one. A resize that is worked out here stays in `data` for the
 * policies that follow.
 */
export function changeOf(
  { action, inputs }: Pick<Action, 'action' | 'inputs'>,
  data: ActionData,
  cluster: Cluster,
  current: number,
): { change: number } | { problem: string } {
  switch (action) {
    case 'CLUSTER_SCALE_IN':
    case 'CLUSTER_SCALE_OUT': {
      const shrinks = action === 'CLUSTER_SCALE_IN';
      const decided = shrinks ? data.deletion : data.creation;
      const count = decided ? (decided.count ?? 1) : (countOf(inputs) ?? 1);
      if (Number.isNaN(count))
        return { problem: `Invalid count (${String(inputs['count'])}) for action '${action}'.` };
      return { change: shrinks ? -count : count };
    }
    case 'CLUSTER_RESIZE': {
      if (data.creation) return { change: data.creation.count };
      if (data.deletion) return { change: -data.deletion.count };
      const resize = parseResize(cluster, inputs, current);
      if ('problem' in resize) return resize;
      if (resize.change < 0) data.deletion = { count: -resize.change };
      else data.creation = { count: resize.change };
      return resize;
    }
    default:
      return { change: 1 };
  }
}
