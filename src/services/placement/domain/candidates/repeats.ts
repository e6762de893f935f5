// Candidates that several trees have: only those whose providers all share can be found from more
// than one tree.
import type { TreeNode } from '../../model.ts';
import type { Part } from './parts.ts';

/** What earlier trees had. */
export interface Repeats {
  /**
   * Begins a tree.
   * @param chosen the providers of the parts so far, which the caller keeps
   * @returns whether an earlier tree gives all candidates that begin with the providers of the
   *   parts before `next`
   */
  enter(parts: readonly Part[], chosen: readonly TreeNode[]): (next: number) => boolean;
}

/** Of one tree, the sharing providers that can serve each part. */
type SharingChoices = readonly ReadonlySet<TreeNode>[];

const never = (): boolean => false;

export function repeatsOf(sharing: ReadonlySet<TreeNode>): Repeats {
  const known = new Map<string, SharingChoices>();
  return {
    enter: (parts, chosen) => {
      if (!sharing.size) return never;
      const own = parts.map(({ choices }) => new Set(choices.filter((node) => sharing.has(node))));
      if (own.some((nodes) => !nodes.size)) return never;
      const earlier = [...known.values()];
      known.set(own.map((nodes) => [...nodes].map(({ id }) => id).join()).join('/'), own);
      const coveredFrom = earlier.map((choices) => coveredPart(parts, choices));
      return (next) =>
        earlier.some(
          (choices, index) =>
            next >= coveredFrom[index]! &&
            choices.every((nodes, part) => part >= next || nodes.has(chosen[part]!)),
        );
    },
  };
}

/** The part from which on an earlier tree has all the choices that this one has. */
function coveredPart(parts: readonly Part[], choices: SharingChoices): number {
  let from = parts.length;
  while (from > 0 && parts[from - 1]!.choices.every((node) => choices[from - 1]!.has(node))) from--;
  return from;
}
