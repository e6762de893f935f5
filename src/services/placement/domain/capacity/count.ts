// Counts how often a request for allocation candidates can be answered, if the first candidate of
// each answer is claimed before the next request.
import type { Context } from '../../../../kernel/model.ts';
import type { CandidateRequest, ProviderTree } from '../../model.ts';
import { unknownAggregate } from '../explanation/explain.ts';
import { namesIn, type ExplanationNames } from '../explanation/names.ts';
import type { Cause } from '../explanation/causes.ts';
import { aggregateNames } from '../../store/aggregates.ts';
import { classTable, namesOf } from '../../store/names.ts';
import { CandidateSpace, type FreeAmounts } from './space.ts';
import { TreesInMemory } from './trees.ts';

/** How many requests a tree serves, and why it serves no more. */
export interface TreeCapacity {
  readonly tree: ProviderTree;
  readonly count: number;
  readonly causes: readonly Cause[];
}

/** The free amounts of a class before the first request. */
export interface ClassCapacity extends FreeAmounts {
  readonly classId: number;
  /** The amount of each request. */
  readonly requested: number;
}

/** How many requests fit. */
export interface CandidatesCapacity {
  /** Why the request has no candidates regardless of providers. */
  readonly refusal: string | undefined;
  readonly trees: readonly TreeCapacity[];
  readonly classes: readonly ClassCapacity[];
  readonly names: ExplanationNames;
}

/**
 * Counts how often a request can be answered.
 * @param nested whether several providers of one tree can serve a request (from 1.29)
 * @throws 400 for unknown resource classes and traits
 */
export async function countCandidates(
  context: Context,
  request: CandidateRequest,
  nested: boolean,
): Promise<CandidatesCapacity> {
  const { db } = context;
  const memory = await TreesInMemory.load(db);
  const space = await CandidateSpace.open(db, memory, request, nested);
  if (!space) {
    const trees = memory.trees.map((tree) => ({ tree, count: 0, causes: [] }));
    return {
      refusal: unknownAggregate,
      trees,
      classes: [],
      names: await capacityNames(context, trees, []),
    };
  }
  const initial = memory.trees.map((tree) => ({ tree, causes: space.causes(tree) }));
  const suitable = initial.filter(({ causes }) => causes.every(isShortage)).map(({ tree }) => tree);
  const classes = classesIn(space, suitable);
  // Claims never make a candidate possible, so a tree that has none left is done.
  const counts: number[] = [];
  for (const tree of memory.trees) counts.push(await space.fill(tree));
  const trees = memory.trees.map((tree, index) => ({
    tree,
    count: counts[index]!,
    causes: space.causes(tree),
  }));
  return {
    refusal: undefined,
    trees,
    classes,
    names: await capacityNames(context, trees, classes),
  };
}

/** What is free of each requested class in some trees. */
export const classesIn = (space: CandidateSpace, trees: readonly ProviderTree[]): ClassCapacity[] =>
  [...space.amounts()].map(([classId, requested]) => ({
    classId,
    requested,
    ...space.freeAmounts(classId, trees),
  }));

/** Whether a tree would serve the request if something were released or added. */
const isShortage = (cause: Cause): boolean =>
  cause.cause === 'amount'
    ? cause.rules.every((rule) => rule === 'capacity')
    : cause.cause === 'duplicate' ||
      (cause.cause === 'rule' && cause.rules.includes('shared_inventory'));

/** Reads the names of what the causes and the free amounts mention, and of all aggregates. */
export async function capacityNames(
  context: Context,
  trees: readonly TreeCapacity[],
  classes: readonly ClassCapacity[],
): Promise<ExplanationNames> {
  const providers = classes.flatMap(({ provider }) => (provider ? [provider] : []));
  const { db } = context;
  const names = await namesIn(context, [
    ...trees.map(({ tree: { root }, causes }) => ({ root, causes, change: undefined })),
    ...providers.map((root) => ({ root, causes: [], change: undefined })),
  ]);
  const aggregates = new Set(trees.flatMap(({ tree }) => tree.root.aggregates));
  return {
    ...names,
    classes: new Map([
      ...names.classes,
      ...(await namesOf(
        db,
        classTable,
        classes.map(({ classId }) => classId),
      )),
    ]),
    aggregates: new Map([...names.aggregates, ...(await aggregateNames(db, [...aggregates]))]),
  };
}
