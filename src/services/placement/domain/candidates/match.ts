// Searches one tree: chooses a provider for each part of the request in turn, from the tree and the
// providers that share with it.
import { ticks } from '../../../../kernel/clock.ts';
import type { ProviderTree, TreeNode } from '../../model.ts';
import { lookaheadOf } from './lookahead.ts';
import { partsOf, serves, type Part } from './parts.ts';
import { rulesFor, type Rule } from './rules.ts';
import { duplicatesOf, type Duplicates } from './duplicates.ts';
import type { ResolvedGroup, ResolvedRequest } from './resolve.ts';

/** An amount of a resource class that a candidate allocates from a provider. */
export interface AllocatedResource {
  readonly node: TreeNode;
  readonly classId: number;
  amount: number;
}

/**
 * A candidate: one way to serve the whole request. Upstream:
 * placement/objects/allocation_candidate.py AllocationRequest.
 */
export interface AllocationRequest {
  readonly resources: readonly AllocatedResource[];
  /** The providers of each group, in the order of the request's groups. */
  readonly mappings: readonly (readonly TreeNode[])[];
}

/** The progress of a search over all trees. */
export interface Progress {
  /** The number of steps so far. */
  steps: number;
  /** The step at which the search checks the clock again. */
  nextCheck: number;
  /** The time of the last pause, in `ticks`. */
  pausedAt: number;
}

/**
 * A search pauses after so many milliseconds, so that other requests are served. It checks the
 * clock every so many steps.
 */
const millisecondsPerPause = 10;
const stepsPerCheck = 64;

const start = (): Progress => ({ steps: 0, nextCheck: stepsPerCheck, pausedAt: ticks() });

/** Counts a step. @returns whether the search should pause now */
function shouldPause(progress: Progress): boolean {
  if (++progress.steps < progress.nextCheck) return false;
  progress.nextCheck = progress.steps + stepsPerCheck;
  const now = ticks();
  if (now - progress.pausedAt < millisecondsPerPause) return false;
  progress.pausedAt = now;
  return true;
}

/** The state of a search that its trees share. */
export interface Matching {
  readonly request: ResolvedRequest;
  /** Whether several providers of one tree can serve a request (from 1.29). */
  readonly nested: boolean;
  readonly progress: Progress;
  readonly duplicates: Duplicates;
  /**
   * The request's only group, if no provider shares. A tree of a single provider then serves the
   * whole group or nothing, so no search is necessary.
   */
  readonly onlyGroup: ResolvedGroup | undefined;
}

/** @param sharing all sharing providers */
export const matchingOf = (
  request: ResolvedRequest,
  nested: boolean,
  sharing: readonly TreeNode[],
): Matching => ({
  request,
  nested,
  progress: start(),
  duplicates: duplicatesOf(new Set(sharing)),
  onlyGroup: request.groups.length === 1 && !sharing.length ? request.groups[0] : undefined,
});

/** Candidates of a tree; undefined requests a pause. */
export type TreeCandidates = Iterable<AllocationRequest | undefined>;

const pause: readonly undefined[] = [undefined];

/**
 * Finds the candidates of a tree that no earlier tree has. The root has the traits that the request
 * needs of it (`hasTraits`).
 * @param sharing the providers outside of the tree that share with one of its providers
 */
export function candidatesOf(
  matching: Matching,
  tree: ProviderTree,
  sharing: readonly TreeNode[],
): TreeCandidates {
  const { onlyGroup, progress } = matching;
  if (!onlyGroup || tree.nodes.length > 1) return combinationsIn(matching, tree, sharing);
  const before = shouldPause(progress) ? pause : [];
  if (!serves(onlyGroup, tree.root)) return before;
  return [...before, wholeGroupFrom(onlyGroup, tree.root)];
}

/**
 * Chooses a provider for each part of the request. It backtracks as soon as a choice breaks a rule
 * or leaves no provider for a later part.
 */
function* combinationsIn(
  matching: Matching,
  tree: ProviderTree,
  sharing: readonly TreeNode[],
): Generator<AllocationRequest | undefined, void> {
  const { request, nested, duplicates } = matching;
  const parts = partsOf(request, tree, sharing);
  if (!parts) return;
  const chosen: TreeNode[] = [];
  const rules = rulesFor(request, parts, chosen, nested);
  const isDuplicate = duplicates.enter(parts, chosen);
  const canComplete = lookaheadOf({ request, parts, chosen, rules });
  yield* choose(matching, { parts, chosen, rules: rules.all, isDuplicate, canComplete });
}

interface Choices {
  readonly parts: readonly Part[];
  /** The providers chosen so far, by part. */
  readonly chosen: TreeNode[];
  readonly rules: readonly Rule[];
  /**
   * Whether an earlier tree has all candidates that begin with the providers chosen for the parts
   * before `next`.
   */
  readonly isDuplicate: (next: number) => boolean;
  /** Whether the parts from `next` on can still be served; undefined if no check is worthwhile. */
  readonly canComplete: ((next: number) => boolean) | undefined;
}

function* choose(
  { progress }: Matching,
  choices: Choices,
): Generator<AllocationRequest | undefined, void> {
  const { parts, chosen, rules, isDuplicate, canComplete } = choices;
  const lookaheadSteps = canComplete
    ? parts.reduce((sum, part) => sum + part.choices.length, 0)
    : 0;
  const isDeadEnd = (next: number): boolean => {
    if (isDuplicate(next)) return true;
    if (!canComplete || next >= parts.length - 1) return false;
    progress.steps += lookaheadSteps;
    return !canComplete(next);
  };
  if (isDeadEnd(0)) return;
  const tried = [0];
  const release = (part: number): void =>
    rules.forEach((rule) => rule.release(part, chosen[part]!));
  for (let part = 0; part >= 0;) {
    if (shouldPause(progress)) yield undefined;
    const node = parts[part]!.choices[tried[part]!++];
    if (!node) {
      if (--part >= 0) release(part);
      continue;
    }
    if (!rules.every((rule) => rule.allows(part, node))) continue;
    rules.forEach((rule) => rule.choose(part, node));
    chosen[part] = node;
    if (isDeadEnd(part + 1)) {
      release(part);
    } else if (part === parts.length - 1) {
      yield allocationRequestOf(parts, chosen);
      release(part);
    } else {
      tried[++part] = 0;
    }
  }
}

const wholeGroupFrom = ({ resources }: ResolvedGroup, node: TreeNode): AllocationRequest => ({
  resources: resources.map(({ classId, amount }) => ({ node, classId, amount })),
  mappings: [[node]],
});

/** Combines the choices into a candidate, adding the amounts of the same class and provider. */
function allocationRequestOf(
  parts: readonly Part[],
  chosen: readonly TreeNode[],
): AllocationRequest {
  const resources: AllocatedResource[] = [];
  const mappings: TreeNode[][] = [];
  for (const [index, { group, resources: requested }] of parts.entries()) {
    const node = chosen[index]!;
    for (const { classId, amount } of requested) {
      const same = resources.find(
        (resource) => resource.node === node && resource.classId === classId,
      );
      if (same) same.amount += amount;
      else resources.push({ node, classId, amount });
    }
    const serving = (mappings[group] ??= []);
    if (!serving.includes(node)) serving.push(node);
  }
  return { resources, mappings };
}
