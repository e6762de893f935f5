// Which nodes go first when a cluster shrinks.
import { newHexId } from '../../../../kernel/ids.ts';
import type { Node } from '../records.ts';

export type Criterion = 'RANDOM' | 'OLDEST_FIRST' | 'OLDEST_PROFILE_FIRST' | 'YOUNGEST_FIRST';

type Member = Pick<Node, 'id' | 'status' | 'tainted' | 'createdAt'> & { readonly profileCreatedAt?: number };

const isBad = ({ status, tainted }: Member): boolean => status === 'ERROR' || status === 'WARNING' || tainted;

/** The nodes in the order in which they go: broken and tainted ones, those that were never made, and then by the criterion. */
export function victims(members: readonly Member[], count: number, criterion: Criterion): string[] {
  const bad = members.filter(isBad);
  const rest = members.filter((node) => !isBad(node));
  const unborn = rest.filter(({ createdAt }) => createdAt === null);
  const good = rest.filter(({ createdAt }) => createdAt !== null);
  return [...bad, ...unborn, ...ordered(good, criterion)].slice(0, Math.max(0, count)).map(({ id }) => id);
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

/** The zone that a node is known to be in, by its data. */
export const zoneInData = ({ data }: Pick<Node, 'data'>): string | undefined => data.placement?.zone;
export const regionInData = ({ data }: Pick<Node, 'data'>): string | undefined => data.placement?.region_name;

/**
 * The victims of a plan: as many of each place as it says, or as are there. Where that is fewer than `count`, nodes that stand in none
 * of its places go too, and then any.
 */
export function plannedVictims(
  members: readonly Node[],
  plan: Readonly<Record<string, number>>,
  placeOf: (node: Node) => string | undefined,
  count: number,
  choose: (from: readonly Node[], count: number) => string[],
): string[] {
  const chosen = Object.keys(plan)
    .toSorted()
    .flatMap((place) => choose(members.filter((node) => placeOf(node) === place), plan[place]!)); // prettier-ignore
  for (const pool of [members.filter((node) => plan[placeOf(node) ?? ''] === undefined), members]) {
    const left = pool.filter(({ id }) => !chosen.includes(id));
    if (chosen.length < count) chosen.push(...choose(left, count - chosen.length));
  }
  return chosen;
}
