// Which nodes go first when a cluster shrinks.
import { newHexId } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import { regionOf, zoneOf } from '../nodes/location.ts';
import type { Deletion, Node } from '../../model.ts';

export type Criterion = 'RANDOM' | 'OLDEST_FIRST' | 'OLDEST_PROFILE_FIRST' | 'YOUNGEST_FIRST';

type Member = Pick<Node, 'id' | 'status' | 'tainted' | 'createdAt'> & {
  readonly profileCreatedAt?: number;
};

const isBad = ({ status, tainted }: Member): boolean =>
  status === 'ERROR' || status === 'WARNING' || tainted;

/**
 * The nodes in the order in which they go: broken and tainted ones, those that were never made, and
 * then by the criterion.
 */
export function victims(members: readonly Member[], count: number, criterion: Criterion): string[] {
  const bad = members.filter(isBad);
  const rest = members.filter((node) => !isBad(node));
  const unborn = rest.filter(({ createdAt }) => createdAt === null);
  const good = rest.filter(({ createdAt }) => createdAt !== null);
  return [...bad, ...unborn, ...ordered(good, criterion)]
    .slice(0, Math.max(0, count))
    .map(({ id }) => id);
}

function ordered(nodes: readonly Member[], criterion: Criterion): Member[] {
  if (criterion === 'RANDOM') return keyed(nodes, () => newHexId());
  if (criterion === 'OLDEST_PROFILE_FIRST')
    return nodes.toSorted((a, b) => (a.profileCreatedAt ?? 0) - (b.profileCreatedAt ?? 0));
  const sign = criterion === 'OLDEST_FIRST' ? 1 : -1;
  return nodes.toSorted((a, b) => sign * (a.createdAt! - b.createdAt!));
}

function keyed(nodes: readonly Member[], keyOf: () => string): Member[] {
  const keys = new Map(nodes.map((node) => [node.id, keyOf()]));
  return nodes.toSorted((a, b) => (keys.get(a.id)! < keys.get(b.id)! ? -1 : 1));
}

/**
 * Who goes by the plans of the policies: as many of each place as the plan says, or as are there.
 * Where that is fewer than `count`, nodes that stand in none of its places go too, and then any.
 * Zones are the finer plan; upstream goes by regions alone where it has both.
 */
export async function plannedVictims(
  context: Context,
  members: readonly Node[],
  count: number,
  choose: (from: readonly Node[], count: number) => string[],
  { zones, regions }: Pick<Deletion, 'zones' | 'regions'> = {},
): Promise<string[]> {
  const plan = zones ?? regions;
  if (!plan) return choose(members, count);
  const places = new Map<string, string>();
  for (const node of members)
    places.set(node.id, (await (zones ? zoneOf : regionOf)(context, node)) ?? '');
  const isPlanned = ({ id }: Node): boolean => Object.hasOwn(plan, places.get(id)!);
  const chosen = Object.keys(plan)
    .toSorted()
    .flatMap((place) =>
      choose(
        members.filter(({ id }) => places.get(id) === place),
        plan[place]!,
      ),
    );
  for (const pool of [members.filter((node) => !isPlanned(node)), members]) {
    const left = pool.filter(({ id }) => !chosen.includes(id));
    if (chosen.length < count) chosen.push(...choose(left, count - chosen.length));
  }
  return chosen;
}
