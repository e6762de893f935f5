// Detects candidates that an earlier tree has already produced. Only candidates whose providers all
// share can be found in more than one tree.
import type { TreeNode } from '../../model.ts';
import type { Part } from './parts.ts';

/** The candidates of earlier trees. */
export interface Duplicates {
  /**
   * Begins a tree.
   * @param chosen the providers chosen so far, which the caller updates
   * @returns a function that checks whether an earlier tree has all candidates that begin with the
   *   providers chosen for the parts before `next`
   */
  enter(parts: readonly Part[], chosen: readonly TreeNode[]): (next: number) => boolean;
}

/** The sharing providers of one tree that can serve each part. */
type SharingChoices = readonly ReadonlySet<TreeNode>[];

const never = (): boolean => false;

export function duplicatesOf(sharing: ReadonlySet<TreeNode>): Duplicates {
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

/** Finds the part from which on an earlier tree has all the choices of this tree. */
function coveredPart(parts: readonly Part[], choices: SharingChoices): number {
  let from = parts.length;
  while (from > 0 && parts[from - 1]!.choices.every((node) => choices[from - 1]!.has(node))) from--;
  return from;
}
