// Distributes new nodes over places by weight, or chooses how many to remove from each. Places are
// zones or regions.
import type { ActionData } from '../../model.ts';
import { countOf, parseResize } from '../clusters/size.ts';
import type { Check } from './types.ts';

export interface Place {
  readonly name: string;
  readonly weight: number;
  /** The maximum number of its nodes; unlimited if negative. */
  readonly cap?: number;
}

/** The arithmetic for one place. */
export interface Share {
  readonly name: string;
  readonly weight: number;
  /** How many nodes are there. */
  readonly here: number;
  /** How many it should have by its weight, before rounding. */
  readonly fair: number;
  /** The cap of the place; Infinity without one. */
  readonly limit: number;
  /** How many it gets or gives up. */
  readonly share: number;
  /** How many were left to distribute before. */
  readonly remaining: number;
}

type Counts = Readonly<Record<string, number>>;

/**
 * Distributes `count` new nodes; if it is negative, removals. Places with a high weight are filled
 * first, and those with a low weight emptied first; among equals, the first in the spec. A weight
 * below 0 counts as 0. Never removes more nodes from a place than it has, which upstream's
 * `_create_plan` (senlin/policies/zone_placement.py) does if the places have too few nodes together.
 * @returns the number of nodes for each place; undefined if the places cannot take or give up all
 *   of them
 */
export function distribute(
  places: readonly Place[],
  current: Counts,
  count: number,
  onShare?: (share: Share) => void,
): Record<string, number> | undefined {
  const grows = count > 0;
  const total = places.reduce((sum, { name }) => sum + (current[name] ?? 0), 0) + count;
  if (total < 0) return undefined;
  const weights = places.reduce((sum, { weight }) => sum + Math.max(0, weight), 0);
  const plan: Record<string, number> = {};
  let remaining = Math.abs(count);
  for (const { name, weight, cap = -1 } of places.toSorted((a, b) =>
    grows ? b.weight - a.weight : a.weight - b.weight,
  )) {
    const fair = weights > 0 ? (total * Math.max(0, weight)) / weights : 0;
    const here = current[name] ?? 0;
    const limit = cap >= 0 ? cap : Infinity;
    const capacity = grows ? Math.min(Math.ceil(fair), limit) - here : here - Math.floor(fair);
    const share = Math.min(capacity, remaining);
    if (share > 0) plan[name] = share;
    onShare?.({ name, weight, here, fair, limit, share: Math.max(0, share), remaining });
    remaining -= Math.max(0, share);
    if (remaining === 0) break;
  }
  return remaining === 0 ? plan : undefined;
}

/**
 * The number of nodes that an action adds or (negative) removes: as other policies have decided,
 * else by the inputs, else one. The data returned hold the result of a resize for the next
 * policies.
 */
export function changeOf(
  { action: { action, inputs }, cluster, maxNodes }: Pick<Check, 'action' | 'cluster' | 'maxNodes'>,
  data: ActionData,
  current: number,
): { readonly change: number; readonly data: ActionData } | { readonly problem: string } {
  switch (action) {
    case 'CLUSTER_SCALE_IN':
    case 'CLUSTER_SCALE_OUT': {
      const shrinks = action === 'CLUSTER_SCALE_IN';
      const decided = shrinks ? data.deletion : data.creation;
      const count = decided ? (decided.count ?? 1) : (countOf(inputs) ?? 1);
      if (Number.isNaN(count))
        return { problem: `Invalid count (${String(inputs['count'])}) for action '${action}'.` };
      return { change: shrinks ? -count : count, data };
    }
    case 'CLUSTER_RESIZE': {
      if (data.creation) return { change: data.creation.count, data };
      if (data.deletion) return { change: -data.deletion.count, data };
      const resize = parseResize(cluster, inputs, current, maxNodes);
      if ('problem' in resize) return resize;
      const { change } = resize;
      const decision =
        change < 0 ? { deletion: { count: -change } } : { creation: { count: change } };
      return { change, data: { ...data, ...decision } };
    }
    default:
      return { change: 1, data };
  }
}
