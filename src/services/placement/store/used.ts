// What is used of the inventories of provider trees. It is read for each search, as one text: rows
// would take several times as long.
import type { Db } from '../../../kernel/db/database.ts';
import { packedNumbers } from '../../../kernel/db/drivers/packed-numbers.ts';
import type { KeptTree } from './kept-trees.ts';

/** What is used of the inventory at a place among all inventories of the region. */
export type UsedAt = (place: number) => number;

/** The most providers that a query names. Otherwise it reads a range of them. */
const maxNamed = 500;

/** The inventories of some providers, in the order of providers and classes. */
interface Extent {
  /** The ids of the providers. */
  readonly ids: readonly number[];
  readonly places: readonly number[];
  /** The ids of the first and of the last provider, and the places of what is between them. */
  readonly first: number;
  readonly last: number;
  readonly from: number;
  readonly until: number;
}

/** Reads what is used of the inventories of some trees. The transaction has read the trees. */
export async function readUsed(db: Db, trees: readonly KeptTree[]): Promise<UsedAt> {
  if (!trees.length) return () => 0;
  const { ids, places, first, last, from, until } = extentOf(trees);
  // Trees that were created in succession have adjacent ids.
  const isRange = ids.length > maxNamed || until - from <= places.length * 2;
  const query = db('placement_inventories');
  if (isRange) void query.whereBetween('provider_id', [first, last]);
  else void query.whereIn('provider_id', ids);
  const amounts = await packedNumbers(db, query, 'used', ['provider_id', 'class_id']);
  const expected = isRange ? until - from : places.length;
  if (amounts.length !== expected)
    throw new Error(`There are ${amounts.length} inventories instead of ${expected}.`);
  if (isRange) return (place) => amounts[place - from]!;
  const byPlace = new Map(places.toSorted(ascending).map((place, index) => [place, index]));
  return (place) => amounts[byPlace.get(place)!]!;
}

const ascending = (one: number, other: number): number => one - other;

function extentOf(trees: readonly KeptTree[]): Extent {
  const [ids, places]: [number[], number[]] = [[], []];
  let [first, last, from, until] = [Infinity, 0, Infinity, 0];
  for (const { nodes, places: starts } of trees) {
    for (let index = 0; index < nodes.length; index++) {
      const { id, inventories } = nodes[index]!;
      const start = starts[index]!;
      const end = start + inventories.length;
      ids.push(id);
      for (let place = start; place < end; place++) places.push(place);
      if (id < first) first = id;
      if (id > last) last = id;
      if (start < from) from = start;
      if (end > until) until = end;
    }
  }
  return { ids, places, first, last, from, until };
}
