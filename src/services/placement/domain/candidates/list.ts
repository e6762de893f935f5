// Lists allocation candidates for other services of the region: with names, and independent of
// microversions.
import { ApiError } from '../../../../kernel/errors.ts';
import { firstCustomId } from '../../standard-names.ts';
import { classTable, namesOf } from '../../store/names.ts';
import { capacityOf } from '../../store/inventories.ts';
import type { KnownUsage } from '../../store/used.ts';
import type {
  Allocations,
  Amounts,
  Candidate,
  CandidateRequest,
  CandidateTake,
  ProviderTree,
  TreeNode,
} from '../../model.ts';
import { findCandidates } from './find.ts';
import type { AllocationRequest } from './match.ts';
import type { CandidateConfig } from './search.ts';
import { inventoryOf } from './tree.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/**
 * Lists the candidates of a request in the order of their providers. A request with unknown classes
 * or traits has no candidates.
 * @param usage gets what the search reads
 */
export async function listCandidates(
  db: Db,
  request: CandidateRequest,
  config: CandidateConfig,
  usage?: KnownUsage,
): Promise<Candidate[]> {
  const options = { nested: true, config, steps: Infinity, usage };
  const found = await findCandidates(db, request, options).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 400) return undefined;
    throw error;
  });
  if (!found) return [];
  const { candidates, trees } = found;
  // All candidates of a request have the same classes.
  const requested = (candidates[0]?.resources ?? []).map(({ classId }) => classId);
  const others = classesOf([...trees.values()].filter((tree) => !tree.free));
  const names = await namesOf(db, classTable, [...requested, ...others]);
  return candidates.map(({ resources }) => {
    const tree = trees.get(resources[0]!.node.rootId)!;
    return new ListedCandidate(tree.root.uuid, sharedFree(tree, names), resources, names);
  });
}

class ListedCandidate implements Candidate {
  readonly root: string;
  readonly free: Amounts;
  private readonly resources: AllocationRequest['resources'];
  private readonly names: Names;

  constructor(
    root: string,
    free: Amounts,
    resources: AllocationRequest['resources'],
    names: Names,
  ) {
    this.root = root;
    this.free = free;
    this.resources = resources;
    this.names = names;
  }

  allocations(): Allocations {
    return allocationsOf(this.resources, this.names);
  }

  takes(): CandidateTake[] {
    return takesOf(this.resources, this.names);
  }
}

/** Lists the ids of all classes of which providers of the trees have inventory. */
export function classesOf(trees: Iterable<ProviderTree>): Set<number> {
  const ids = new Set<number>();
  for (const { nodes } of trees)
    for (const { inventories } of nodes) for (const { classId } of inventories) ids.add(classId);
  return ids;
}

type Names = ReadonlyMap<number, string>;

function allocationsOf(resources: AllocationRequest['resources'], names: Names): Allocations {
  const allocations = new Map<string, Amounts>();
  for (const { node, classId, amount } of resources)
    allocations.set(node.uuid, { ...allocations.get(node.uuid), [names.get(classId)!]: amount });
  return allocations;
}

const takesOf = (resources: AllocationRequest['resources'], names: Names): CandidateTake[] =>
  resources.map(({ node, classId, amount }) => {
    const inventory = inventoryOf(node, classId)!;
    return {
      provider: node.uuid,
      resourceClass: names.get(classId)!,
      amount,
      used: inventory.used,
      capacity: capacityOf(inventory),
    };
  });

/**
 * The free amounts of the root of a tree: the same object for the same tree, unless it has a custom
 * class, which may have got another name.
 */
function sharedFree(tree: ProviderTree, names: Names): Amounts {
  if (tree.free) return tree.free;
  const { root } = tree;
  const hasCustom = root.inventories.some(({ classId }) => classId >= firstCustomId);
  return hasCustom ? freeOf(root, names) : (tree.free = freeOf(root, names));
}

/** The free amount of each of a provider's own classes. */
export function freeOf({ inventories }: TreeNode, names: Names): Amounts {
  const free: Record<string, number> = {};
  for (const inventory of inventories)
    free[names.get(inventory.classId)!] = capacityOf(inventory) - inventory.used;
  return free;
}
