// What is used of the inventories of provider trees. It is read for each search, as one text: rows
// would take several times as long.
import type { Db } from '../../../kernel/db/database.ts';
import { packed, unpacked, type Packed } from '../../../kernel/db/drivers/packed-numbers.ts';
import { Recurring } from '../../../kernel/db/drivers/recurring.ts';
import type { Extent, KeptTree } from './kept-trees.ts';

const recurring = new Recurring();

/** What is used of the inventory at a place among all inventories of the region. */
export type UsedAt = (place: number) => number;

/** The most providers that a query names. Otherwise it reads a range of them. */
const maxNamed = 500;

/** The inventories between two places, and what is used of them. */
interface Range {
  readonly from: number;
  readonly until: number;
  readonly amounts: readonly number[];
  /** The amounts as the database returned them. */
  readonly packed: string;
}

/**
 * What a transaction has read of the usage. Whoever asks about the same inventories again, before
 * the transaction changes any, needs no other statement.
 */
export class KnownUsage {
  private readonly ranges: Range[] = [];

  add(range: Range): void {
    this.ranges.push(range);
  }

  /** The usage between two places, if it is known. */
  between(from: number, until: number): UsedAt | undefined {
    const found = this.rangeOf(from, until);
    return found && ((place) => found.amounts[place - found.from]!);
  }

  /** What identifies the usage of some trees, if it is known. It is the same for the same usage. */
  stateOf(trees: readonly KeptTree[]): string | undefined {
    const { from, until } = extentOf(trees);
    const found = this.rangeOf(from, until);
    return found && `${found.from} ${found.until} ${found.packed}`;
  }

  private rangeOf(from: number, until: number): Range | undefined {
    return this.ranges.find((range) => range.from <= from && until <= range.until);
  }
}

/** Reads what is used of the inventories of some trees. The transaction has read the trees. */
export async function readUsed(
  db: Db,
  trees: readonly KeptTree[],
  known: KnownUsage,
): Promise<UsedAt> {
  if (!trees.length) return () => 0;
  const { nodes, inventories, first, last, from, until } = extentOf(trees);
  const usedAt = known.between(from, until);
  if (usedAt) return usedAt;
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
  if (isRange) {
    known.add({ from, until, amounts, packed: String(rows[0]!.packed) });
    return known.between(from, until)!;
  }
  const byPlace = new Map(placesOf(trees).map((place, index) => [place, index]));
  return (place) => amounts[byPlace.get(place)!]!;
}

/** The extent of some trees together. */
function extentOf(trees: readonly KeptTree[]): Extent {
  let [nodes, inventories, first, last, from, until] = [0, 0, Infinity, 0, Infinity, 0];
  for (const { extent } of trees) {
    nodes += extent.nodes;
    inventories += extent.inventories;
    first = Math.min(first, extent.first);
    last = Math.max(last, extent.last);
    from = Math.min(from, extent.from);
    until = Math.max(until, extent.until);
  }
  return { nodes, inventories, first, last, from, until };
}

/** The places of all inventories of some trees, ascending. */
function placesOf(trees: readonly KeptTree[]): number[] {
  const found: number[] = [];
  for (const { places } of trees)
    for (const [from, until] of places)
      for (let place = from; place < until; place++) found.push(place);
  return found.sort((one, other) => one - other);
}
