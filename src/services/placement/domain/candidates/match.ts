// The search in one tree: its providers, and those that share with it, are chosen for one part of
// the request after the other.
import { ticks } from '../../../../kernel/clock.ts';
import type { ProviderTree, TreeNode } from '../../model.ts';
import { outlookOf } from './outlook.ts';
import { partsOf, serves, type Part } from './parts.ts';
import { rulesFor, type Rule } from './rules.ts';
import { repeatsOf, type Repeats } from './repeats.ts';
import type { ResolvedGroup, ResolvedRequest } from './resolve.ts';

/** An amount of a resource class that a candidate would allocate from a provider. */
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

/**
 * How much a search has done, over all trees; when it looks at the clock next, and when others had
 * their turn.
 */
export interface Effort {
  steps: number;
  lookAt: number;
  /** In `ticks`. */
  turnAt: number;
}

/**
 * A search pauses when it has kept others waiting for so long, in milliseconds. It looks at the
 * clock every so many steps.
 */
const turn = 10;
const stepsPerLook = 64;

const noEffort = (): Effort => ({ steps: 0, lookAt: stepsPerLook, turnAt: ticks() });

function isTimeForOthers(effort: Effort): boolean {
  if (++effort.steps < effort.lookAt) return false;
  effort.lookAt = effort.steps + stepsPerLook;
  const now = ticks();
  if (now - effort.turnAt < turn) return false;
  effort.turnAt = now;
  return true;
}

/** What stays the same from tree to tree. */
export interface Matching {
  readonly request: ResolvedRequest;
  /** Whether several providers of one tree may serve a request together (from 1.29). */
  readonly nested: boolean;
  readonly effort: Effort;
  readonly repeats: Repeats;
  /**
   * The group of the request, where it is the only one and no provider shares: then a provider
   * alone in its tree serves all of it, or nothing.
   */
  readonly only: ResolvedGroup | undefined;
}

/** @param sharing all sharing providers */
export const matchingOf = (
  request: ResolvedRequest,
  nested: boolean,
  sharing: readonly TreeNode[],
): Matching => ({
  request,
  nested,
  effort: noEffort(),
  repeats: repeatsOf(new Set(sharing)),
  only: request.groups.length === 1 && !sharing.length ? request.groups[0] : undefined,
});

/**
 * Finds every candidate of the tree that no earlier tree has, one when it is asked for the next. A
 * choice that breaks a rule, or leaves nothing for a later part, is left at once.
 * @param sharing the providers outside of the tree that share with a member of it
 * @returns candidates; undefined now and then, for a pause
 */
export function* candidatesOf(
  matching: Matching,
  tree: ProviderTree,
  sharing: readonly TreeNode[],
): Generator<AllocationRequest | undefined, void> {
  const { request, nested, repeats, only } = matching;
  if (!request.rootRequired.every((trait) => tree.root.traits.includes(trait))) return;
  if (request.rootForbidden.some((trait) => tree.root.traits.includes(trait))) return;
  if (only && tree.nodes.length === 1) {
    if (isTimeForOthers(matching.effort)) yield undefined;
    if (serves(only, tree.root)) yield allOf(only, tree.root);
    return;
  }
  const parts = partsOf(request, tree, sharing);
  if (!parts) return;
  const chosen: TreeNode[] = [];
  const rules = rulesFor(request, parts, chosen, nested);
  const repeated = repeats.enter(parts, chosen);
  const outlook = outlookOf({ request, parts, chosen, rules });
  yield* choose(matching, { parts, chosen, rules: rules.all, repeated, outlook });
}

interface Choosing {
  readonly parts: readonly Part[];
  /** The providers of the parts so far. */
  readonly chosen: TreeNode[];
  readonly rules: readonly Rule[];
  /**
   * Whether an earlier tree gives all candidates that begin with the chosen providers of the parts
   * before this one.
   */
  readonly repeated: (next: number) => boolean;
  readonly outlook: ((next: number) => boolean) | undefined;
}

function* choose(
  { effort }: Matching,
  choosing: Choosing,
): Generator<AllocationRequest | undefined, void> {
  const { parts, chosen, rules, repeated, outlook } = choosing;
  const costOfLooking = outlook ? parts.reduce((sum, { choices }) => sum + choices.length, 0) : 0;
  const hopeless = (next: number): boolean => {
    if (repeated(next)) return true;
    if (!outlook || next >= parts.length - 1) return false;
    effort.steps += costOfLooking;
    return !outlook(next);
  };
  if (hopeless(0)) return;
  const tried = [0];
  const leave = (part: number): void => rules.forEach((rule) => rule.release(part, chosen[part]!));
  for (let part = 0; part >= 0;) {
    if (isTimeForOthers(effort)) yield undefined;
    const node = parts[part]!.choices[tried[part]!++];
    if (!node) {
      if (--part >= 0) leave(part);
      continue;
    }
    if (!rules.every((rule) => rule.allows(part, node))) continue;
    rules.forEach((rule) => rule.take(part, node));
    chosen[part] = node;
    if (hopeless(part + 1)) {
      leave(part);
    } else if (part === parts.length - 1) {
      yield allocationRequestOf(parts, chosen);
      leave(part);
    } else {
      tried[++part] = 0;
    }
  }
}

const allOf = ({ resources }: ResolvedGroup, node: TreeNode): AllocationRequest => ({
  resources: resources.map(({ classId, amount }) => ({ node, classId, amount })),
  mappings: [[node]],
});

/** Amounts of the same class and provider are added. */
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
