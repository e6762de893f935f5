// The sort order of a list of volumes or snapshots.
import type { GatewayCall } from '../call.ts';
import type { SortKey } from '../domain/merge.ts';

/** The sort keys in `sort=name:asc,size`, or in the older `sort_key` and `sort_dir`. */
export function volumeSortKeys({ query }: GatewayCall): SortKey[] {
  const key = query.last('sort_key') ?? 'created_at';
  const direction = query.last('sort_dir') ?? 'desc';
  const parts = (query.last('sort') ?? `${key}:${direction}`)
    .split(',')
    .map((part) => part.trim().split(':'));
  const requested = parts.map(([name = '', order = 'desc']) => ({
    field: name === 'display_name' ? 'name' : name,
    isDescending: order === 'desc',
  }));
  const { isDescending } = requested.at(-1)!;
  return [...requested, ...['created_at', 'id'].map((field) => ({ field, isDescending }))];
}
