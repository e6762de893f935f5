// Chooses the nodes to remove when a cluster shrinks.
import { newHexId } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Action, ActionData, Deletion, Node } from '../../model.ts';
import type { Requester } from '../delegation.ts';
import { regionOf, zoneOf } from '../nodes/location.ts';

export type Criterion = 'RANDOM' | 'OLDEST_FIRST' | 'OLDEST_PROFILE_FIRST' | 'YOUNGEST_FIRST';

type Member = Pick<Node, 'id' | 'status' | 'tainted' | 'createdAt'> & {
  readonly profileCreatedAt?: number;
};

/** Whether a node is removed, or updated, before healthy ones. */
export const isUnhealthy = ({ status, tainted }: Member): boolean =>
  status === 'ERROR' || status === 'WARNING' || tainted;

/**
 * Chooses unhealthy and tainted nodes first, then nodes that were never created, then the others by
 * the criterion.
 */
export function victims(members: readonly Member[], count: number, criterion: Criterion): string[] {
  const unhealthy = members.filter(isUnhealthy);
  const healthy = members.filter((node) => !isUnhealthy(node));
  const uncreated = healthy.filter(({ createdAt }) => createdAt === null);
  const created = healthy.filter(({ createdAt }) => createdAt !== null);
  return [...unhealthy, ...uncreated, ...sorted(created, criterion)]
    .slice(0, Math.max(0, count))
    .map(({ id }) => id);
}

function sorted(nodes: readonly Member[], criterion: Criterion): Member[] {
  if (criterion === 'RANDOM') return shuffled(nodes);
  if (criterion === 'OLDEST_PROFILE_FIRST')
    return nodes.toSorted((a, b) => (a.profileCreatedAt ?? 0) - (b.profileCreatedAt ?? 0));
  const sign = criterion === 'OLDEST_FIRST' ? 1 : -1;
  return nodes.toSorted((a, b) => sign * (a.createdAt! - b.createdAt!));
}

function shuffled(nodes: readonly Member[]): Member[] {
  const keys = new Map(nodes.map((node) => [node.id, newHexId()]));
  return nodes.toSorted((a, b) => (keys.get(a.id)! < keys.get(b.id)! ? -1 : 1));
}

/**
 * Chooses nodes by the plans of the placement policies: in each place as many as planned. Without
 * a plan, chooses `count` nodes of the whole cluster. The plan of zones is the finer one, so it
 * takes precedence; upstream follows the regions alone if it has both.
 */
export async function plannedVictims(
  context: Context,
  requester: Requester,
  members: readonly Node[],
  count: number,
  choose: (from: readonly Node[], count: number) => string[],
  { zones, regions }: Pick<Deletion, 'zones' | 'regions'> = {},
): Promise<string[]> {
  const plan = zones ?? regions;
  if (!plan) return choose(members, count);
  const places = new Map<string, string>();
  for (const node of members)
    places.set(node.id, (await (zones ? zoneOf : regionOf)(context, node, requester)) ?? '');
  return Object.keys(plan)
    .toSorted()
    .flatMap((place) =>
      choose(
        members.filter(({ id }) => places.get(id) === place),
        plan[place]!,
      ),
    );
}

/**
 * Chooses the nodes that an action removes: those that the deletion policy has chosen, else by the
 * plan of zones or regions, else at random.
 */
export async function chooseVictims(
  context: Context,
  action: Action,
  { deletion }: ActionData,
  members: readonly Node[],
  count: number,
): Promise<readonly string[]> {
  if (deletion?.candidates?.length) return deletion.candidates;
  const choose = (from: readonly Node[], many: number): string[] => victims(from, many, 'RANDOM');
  return plannedVictims(context, action, members, count, choose, deletion);
}
