// What is used of the inventories of provider trees. It is read for each search, as one text: rows
// would take several times as long.
import type { Db } from '../../../kernel/db/database.ts';
import { packed, unpacked, type Packed } from '../../../kernel/db/drivers/packed-numbers.ts';
import { Recurring } from '../../../kernel/db/drivers/recurring.ts';
import type { KeptTree } from './kept-trees.ts';

const recurring = new Recurring();

/** What is used of the inventory at a place among all inventories of the region. */
export type UsedAt = (place: number) => number;

/** The most providers that a query names. Otherwise it reads a range of them. */
const maxNamed = 500;

/** Reads what is used of the inventories of some trees. The transaction has read the trees. */
export async function readUsed(db: Db, trees: readonly KeptTree[]): Promise<UsedAt> {
  if (!trees.length) return () => 0;
  const { nodes, inventories, first, last, from, until } = extentOf(trees);
  // Trees that were created in succession have adjacent ids.
  const isRange = nodes > maxNamed || until - from <= inventories * 2;
  const ids = isRange ? [first, last] : trees.flatMap((tree) => tree.nodes.map(({ id }) => id));
  const name = isRange ? 'used in a range' : `used of ${nodes}`;
  const rows = await recurring.statement<Packed[]>(db, name, ids, (wanted) => {
    const query = db('placement_inventories');
    if (isRange) void query.whereBetween('provider_id', [wanted[0]!, wanted[1]!]);
    else void query.whereIn('provider_id', wanted);
    return packed(db, query, 'used', ['provider_id', 'class_id']);
  });
  const amounts = unpacked(rows);
  const expected = isRange ? until - from : inventories;
  if (amounts.length !== expected)
    throw new Error(`There are ${amounts.length} inventories instead of ${expected}.`);
  if (isRange) return (place) => amounts[place - from]!;
  const byPlace = new Map(placesOf(trees).map((place, index) => [place, index]));
  return (place) => amounts[byPlace.get(place)!]!;
}

/** How many providers and inventories some trees have, and the range of both. */
interface Extent {
  readonly nodes: number;
  readonly inventories: number;
  /** The ids of the first and of the last provider, and the places of what is between them. */
  readonly first: number;
  readonly last: number;
  readonly from: number;
  readonly until: number;
}

function extentOf(trees: readonly KeptTree[]): Extent {
  let [count, inventories, first, last, from, until] = [0, 0, Infinity, 0, Infinity, 0];
  for (const { nodes, places } of trees) {
    count += nodes.length;
    for (const [own, ownEnd] of places) inventories += ownEnd - own;
    first = Math.min(first, nodes[0]!.id);
    last = Math.max(last, nodes.at(-1)!.id);
    from = Math.min(from, places[0]![0]);
    until = Math.max(until, places.at(-1)![1]);
  }
  return { nodes: count, inventories, first, last, from, until };
}

/** The places of all inventories of some trees, ascending. */
function placesOf(trees: readonly KeptTree[]): number[] {
  const found: number[] = [];
  for (const { places } of trees)
    for (const [from, until] of places)
      for (let place = from; place < until; place++) found.push(place);
  return found.sort((one, other) => one - other);
}
