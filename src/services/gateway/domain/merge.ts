// Merges the sorted lists of several pods into one list, and cuts it into pages.
import type { ApiError } from '../../../kernel/errors.ts';

type Item = Readonly<Record<string, unknown>>;

/** A field by which items are sorted, and the direction. */
export interface SortKey {
  readonly field: string;
  readonly isDescending: boolean;
}

/**
 * Merges lists that have the same order. An item of an earlier list precedes an equal one of a
 * later list.
 */
export function mergeLists(
  lists: readonly (readonly Item[])[],
  sortKeys: readonly SortKey[],
): Item[] {
  const positions = lists.map(() => 0);
  const result: Item[] = [];
  for (;;) {
    let first: number | undefined;
    lists.forEach((list, index) => {
      const head = list[positions[index]!];
      if (
        head !== undefined &&
        (first === undefined || compare(head, lists[first]![positions[first]!]!, sortKeys) < 0)
      )
        first = index;
    });
    if (first === undefined) return result;
    result.push(lists[first]![positions[first]!]!);
    positions[first]!++;
  }
}

function compare(a: Item, b: Item, sortKeys: readonly SortKey[]): number {
  for (const { field, isDescending } of sortKeys) {
    const difference = compareValues(valueAt(a, field), valueAt(b, field));
    if (difference !== 0) return isDescending ? -difference : difference;
  }
  return 0;
}

/** The value of a field. `image.id` is the field `id` of the object `image`. */
const valueAt = (item: Item, field: string): unknown =>
  field
    .split('.')
    .reduce<unknown>((value, name) => (value as Item | null | undefined)?.[name], item);

/** Compares two values. Null is less than any other value, as in SQLite and MySQL. */
function compareValues(a: unknown, b: unknown): number {
  if (a === b) return 0;
  if (a === null || a === undefined) return b === null || b === undefined ? 0 : -1;
  if (b === null || b === undefined) return 1;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a) < String(b) ? -1 : 1;
}

/** The page of a list that a client requests. */
export interface PageRequest {
  readonly limit: number;
  readonly marker: string | undefined;
  readonly offset: number;
  /** The refusal of a marker that the list does not contain. */
  readonly unknownMarker: (marker: string) => ApiError;
}

/**
 * The items after the marker and the offset, up to the limit.
 * @throws what `unknownMarker` returns
 */
export function pageOf<T extends Item>(
  items: readonly T[],
  { limit, marker, offset, unknownMarker }: PageRequest,
): T[] {
  const index = marker === undefined ? -1 : items.findIndex(({ id }) => id === marker);
  if (marker !== undefined && index < 0) throw unknownMarker(marker);
  return items.slice(index + 1 + offset, index + 1 + offset + limit);
}
