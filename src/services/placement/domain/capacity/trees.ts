// The provider trees of a region in memory, from which candidates are taken as if each had been
// claimed. Capacity is counted on such a copy, because trial requests would take minutes.
import type { Db } from '../../../../kernel/db/database.ts';
import type { Amounts, ClassInventory, ProviderTree, TreeNode } from '../../model.ts';
import { keptTrees } from '../../store/kept-trees.ts';
import { classTable, namesOf } from '../../store/names.ts';
import { classesOf, freeOf } from '../candidates/list.ts';
import type { AllocationRequest } from '../candidates/match.ts';
import { inventoryOf } from '../candidates/tree.ts';
import { loadOwnTrees, sharingIn, sharingWith, type Sharing } from '../candidates/trees.ts';
import { capacityOf } from '../../store/inventories.ts';

/** All provider trees of a region, in the order in which a search visits them. */
export class TreesInMemory {
  readonly trees: readonly ProviderTree[];
  readonly sharing: Sharing;
  private readonly classes: ReadonlyMap<number, string>;
  private readonly byRoot: ReadonlyMap<number, ProviderTree>;

  private constructor(
    trees: readonly ProviderTree[],
    sharing: Sharing,
    classes: ReadonlyMap<number, string>,
  ) {
    this.trees = trees;
    this.sharing = sharing;
    this.classes = classes;
    this.byRoot = new Map(trees.map((tree) => [tree.root.id, tree]));
  }

  static async load(db: Db): Promise<TreesInMemory> {
    const kept = await keptTrees(db);
    const all = await loadOwnTrees(db, kept.all);
    const names = await namesOf(db, classTable, classesOf(all));
    return new TreesInMemory(all, sharingIn(kept, all), names);
  }

  /** The free amount of each of the root's own classes, by name. */
  free({ root }: ProviderTree): Amounts {
    return freeOf(root, this.classes);
  }

  /** The tree that a provider is in. */
  treeWith({ rootId }: TreeNode): ProviderTree | undefined {
    return this.byRoot.get(rootId);
  }

  /** Lists the providers outside of a tree that share with it. */
  sharingWith(tree: ProviderTree): readonly TreeNode[] {
    return sharingWith(tree, this.sharing);
  }
}

/** The amount of a class that a provider has free; zero if it has no inventory of the class. */
export function freeIn(node: TreeNode, classId: number): number {
  const inventory = inventoryOf(node, classId);
  return inventory ? Math.max(0, Math.trunc(capacityOf(inventory)) - inventory.used) : 0;
}

/** How many times in succession a candidate can be claimed. */
export const timesOf = ({ resources }: AllocationRequest): number =>
  resources.reduce(
    (least, { node, classId, amount }) =>
      Math.min(least, Math.floor(freeIn(node, classId) / amount)),
    Infinity,
  );

/** Adds the amounts of a candidate to what its providers have allocated, in this copy. */
export function take({ resources }: AllocationRequest, times: number): void {
  for (const { node, classId, amount } of resources) {
    const index = node.inventories.findIndex((inventory) => inventory.classId === classId);
    const inventory = node.inventories[index]!;
    (node.inventories as ClassInventory[])[index] = {
      ...inventory,
      used: inventory.used + amount * times,
    };
  }
}
