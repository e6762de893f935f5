// The lists of several pods as one: merged by the order in which each of them is sorted, and cut
// into pages.
import { badRequest } from '../../../kernel/errors.ts';

type Item = Readonly<Record<string, unknown>>;

/** A field of the items, and its direction. */
export interface Order {
  readonly field: string;
  readonly isDescending: boolean;
}

/**
 * Merges lists that are sorted alike. Of items that are equal by the order the first pod's come
 * first.
 */
export function merged(lists: readonly (readonly Item[])[], order: readonly Order[]): Item[] {
  const heads = lists.map(() => 0);
  const result: Item[] = [];
  for (;;) {
    let best: number | undefined;
    lists.forEach((list, at) => {
      const head = list[heads[at]!];
      if (
        head !== undefined &&
        (best === undefined || compare(head, lists[best]![heads[best]!]!, order) < 0)
      )
        best = at;
    });
    if (best === undefined) return result;
    result.push(lists[best]![heads[best]!]!);
    heads[best]!++;
  }
}

function compare(one: Item, other: Item, order: readonly Order[]): number {
  for (const { field, isDescending } of order) {
    const difference = compareValues(valueAt(one, field), valueAt(other, field));
    if (difference !== 0) return isDescending ? -difference : difference;
  }
  return 0;
}

/** The value of a field; of `image.id` that of a field in an object. */
const valueAt = (item: Item, field: string): unknown =>
  field
    .split('.')
    .reduce<unknown>((value, name) => (value as Item | null | undefined)?.[name], item);

/** Null is smaller than all else, as databases have it. */
function compareValues(one: unknown, other: unknown): number {
  if (one === other) return 0;
  if (one === null || one === undefined) return other === null || other === undefined ? 0 : -1;
  if (other === null || other === undefined) return 1;
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return String(one) < String(other) ? -1 : 1;
}

/** A page of a list. */
export interface PageRequest {
  readonly limit: number;
  readonly marker: string | undefined;
  readonly offset: number;
}

/**
 * The part of a list after the marker and the offset, up to the limit.
 * @throws 400 where the marker is not in the list
 */
export function pageOf(all: readonly Item[], { limit, marker, offset }: PageRequest): Item[] {
  const at = marker === undefined ? -1 : all.findIndex(({ id }) => id === marker);
  if (marker !== undefined && at < 0) throw badRequest(`marker [${marker}] not found`);
  return all.slice(at + 1 + offset, at + 1 + offset + limit);
}
