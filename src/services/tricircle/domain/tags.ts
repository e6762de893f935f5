// Resource affinity tags: what a pod is for, and what a flavor or a volume type asks for.
import { createHash } from 'node:crypto';
import type { Pod, Tag } from '../model.ts';

/**
 * A tag as a key: the same for the same keys and values in any order, and empty for the general
 * group.
 */
export function groupOf(tag: Tag): string {
  const entries = Object.entries(tag).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.length ? createHash('sha256').update(JSON.stringify(entries)).digest('hex') : '';
}

/** The keys by which pods are told apart. */
export const keysOf = (pods: readonly Pod[]): ReadonlySet<string> =>
  new Set(pods.flatMap(({ resourceAffinityTag }) => Object.keys(resourceAffinityTag)));

/**
 * What extra specs ask of a pod: only the keys that some pod has. Other extra specs are for the
 * pod's own scheduler.
 */
export const tagOf = (specs: Readonly<Record<string, unknown>>, keys: ReadonlySet<string>): Tag =>
  Object.fromEntries(
    Object.entries(specs).filter(
      (entry): entry is [string, string] => keys.has(entry[0]) && typeof entry[1] === 'string',
    ),
  );
