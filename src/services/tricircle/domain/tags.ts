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

/** Whether all pairs of a tag are among the extra specs of a flavor or volume type. */
const isIn = (tag: Tag, specs: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(tag).every(([key, value]) => Object.hasOwn(specs, key) && specs[key] === value);

/**
 * The tag that extra specs require: the pairs of all pods' tags that the specs include as a whole.
 * Other extra specs are for the pod's own scheduler. Empty if the specs include no pod's tag.
 */
export const tagOf = (specs: Readonly<Record<string, unknown>>, pods: readonly Pod[]): Tag =>
  Object.fromEntries(
    pods
      .map(({ resourceAffinityTag }) => resourceAffinityTag)
      .filter((tag) => isIn(tag, specs))
      .flatMap((tag) => Object.entries(tag)),
  );

/**
 * Whether a pod with a tag serves a request that requires a tag. A tagged pod serves requests that
 * require all of its pairs, and possibly more; a pod without a tag serves only general requests.
 */
export const isServedBy = (required: Tag, tag: Tag): boolean =>
  Object.keys(tag).length ? isIn(tag, required) : !Object.keys(required).length;
