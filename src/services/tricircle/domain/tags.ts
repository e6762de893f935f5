// Resource affinity tags of pods, flavors and volume types.
import { createHash } from 'node:crypto';
import type { Pod, Tag } from '../model.ts';

/**
 * The affinity group of a tag: a hash that ignores the order of keys; empty for the general group.
 */
export function groupOf(tag: Tag): string {
  const entries = Object.entries(tag).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.length ? createHash('sha256').update(JSON.stringify(entries)).digest('hex') : '';
}

/** The keys that the tags of pods use. */
export const keysOf = (pods: readonly Pod[]): ReadonlySet<string> =>
  new Set(pods.flatMap(({ resourceAffinityTag }) => Object.keys(resourceAffinityTag)));

/**
 * The tag that extra specs require. Includes only keys that the tags of pods use, because other
 * extra specs are for the pod's own scheduler.
 */
export const tagOf = (specs: Readonly<Record<string, unknown>>, keys: ReadonlySet<string>): Tag =>
  Object.fromEntries(
    Object.entries(specs).filter(
      (entry): entry is [string, string] => keys.has(entry[0]) && typeof entry[1] === 'string',
    ),
  );
