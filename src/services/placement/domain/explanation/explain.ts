// Explains allocation candidates: which provider trees Placement offers, and why not the others.
import type { Db } from '../../../../kernel/db/database.ts';
import { yieldToEventLoop } from '../../../../kernel/clock.ts';
import { ApiError } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { CandidateRequest, ProviderTree, TreeNode } from '../../model.ts';
import { keptTrees, type KeptTrees } from '../../store/kept-trees.ts';
import { KnownUsage } from '../../store/used.ts';
import { findCandidates } from '../candidates/find.ts';
import { resolveRequest, type ResolvedRequest } from '../candidates/resolve.ts';
import type { AllocationCandidates, CandidateConfig } from '../candidates/search.ts';
import { loadSharing, loadTrees, sharingWith, type Sharing } from '../candidates/trees.ts';
import { hasFixedNames, namesIn, type ExplanationNames } from './names.ts';
import { causesOf, type Cause, type CombinedRule } from './causes.ts';
import { hasCandidate, smallestChange, type Change, type Surroundings } from './changes.ts';

/** How a request was answered for one provider tree. */
export interface TreeExplanation {
  readonly root: TreeNode;
  /** Whether a candidate of the reply allocates from a provider of the tree. */
  readonly offered: boolean;
  /** Empty if the tree is offered. The first cause is the first that the search meets. */
  readonly causes: readonly Cause[];
  /** The smallest change that makes it a candidate; undefined if it is offered, or if none is. */
  readonly change: readonly Change[] | undefined;
}

/** Why a request has the candidates that it has. */
export interface CandidatesExplanation {
  /** The number of candidates of the reply. */
  readonly candidates: number;
  /** Why the request is refused, or has no candidates regardless of providers. */
  readonly refusal: string | undefined;
  readonly trees: readonly TreeExplanation[];
  /** Whether there are more trees than these. */
  readonly hasMoreTrees: boolean;
  readonly names: ExplanationNames;
}

export interface ExplainOptions {
  /** Whether several providers of one tree can serve a request (from 1.29). */
  readonly nested: boolean;
  readonly config: CandidateConfig;
  /** For how many trees the smallest change is sought: fifty by default. */
  readonly maxChanges?: number;
  /** How many trees are explained, in the order of their roots: all by default. */
  readonly maxTrees?: number;
  /** The reply, if the same transaction has found it already. */
  readonly found?: AllocationCandidates | undefined;
  /** What that search has read. */
  readonly usage?: KnownUsage | undefined;
}

/**
 * The limits of an explanation that is made within a client's request. They keep a request without
 * candidates fast in a region with many providers.
 */
export const keptLimits = { maxTrees: 500, maxChanges: 3 };

/** The reply without candidates. */
export const noCandidates: AllocationCandidates = {
  candidates: [],
  more: undefined,
  trees: new Map(),
  loaded: [],
};

/** Why a request has no candidates if one of its groups names what does not exist. */
export const unknownAggregate =
  'A required aggregate has no members, or the provider of in_tree does not exist.';

const refused = (refusal: string): CandidatesExplanation => ({
  candidates: 0,
  refusal,
  trees: [],
  hasMoreTrees: false,
  names: {
    classes: new Map(),
    traits: new Map(),
    aggregates: new Map(),
    holders: [],
    consumers: new Map(),
  },
});

/** Explains the candidates of a request, as a search at the same time finds them. */
export async function explainCandidates(
  context: Context,
  request: CandidateRequest,
  options: ExplainOptions,
): Promise<CandidatesExplanation> {
  const { nested, config, maxTrees = Infinity, usage = new KnownUsage() } = options;
  const { db } = context;
  const resolution = await orRefusal(resolveRequest(db, request));
  if (typeof resolution === 'string') return refused(resolution);
  const { request: resolved, end } = resolution;
  const search = { nested, config, steps: Infinity, usage };
  // A reply does not say why the request is refused.
  const found =
    options.found && !end ? options.found : await orRefusal(findCandidates(db, request, search));
  if (typeof found === 'string') return refused(found);
  if (end) return refused(unknownAggregate);
  const limit = Math.min(
    resolved.limit ?? Infinity,
    config.maxAllocationCandidates < 0 ? Infinity : config.maxAllocationCandidates,
  );
  const subject: Explaining = {
    request: resolved,
    nested,
    sharing: await loadSharing(db),
    offered: new Set(found.trees.keys()),
    isLimited: found.candidates.length >= limit,
    maxTrees,
    maxChanges: options.maxChanges ?? 50,
    usage,
  };
  const { length: candidates } = found.candidates;
  const kept = await keptTrees(db);
  const basis = basisOf(subject, kept);
  const isSame = kept.latest?.basis === basis && kept.latest?.candidates === candidates;
  const latest = basis !== undefined && isSame ? kept.latest : undefined;
  if (latest && hasFixedNames(latest.names)) return latest;
  const { trees, hasMoreTrees } = latest ?? (await explainTrees(db, subject));
  const names = await namesIn(context, trees);
  const explanation = { candidates, refusal: undefined, trees, hasMoreTrees, names };
  if (basis !== undefined) kept.latest = { ...explanation, basis };
  return explanation;
}

/** The result, or the message with which the request is refused. */
const orRefusal = <T>(result: Promise<T>): Promise<T | string> =>
  result.catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 400) return error.message;
    throw error;
  });

/** A request that is explained, and what its search has found. */
interface Explaining {
  readonly request: ResolvedRequest;
  readonly nested: boolean;
  readonly sharing: Sharing;
  /** The roots of the trees that are offered. */
  readonly offered: ReadonlySet<number>;
  /** Whether the reply has as many candidates as it may have. */
  readonly isLimited: boolean;
  readonly maxTrees: number;
  readonly maxChanges: number;
  readonly usage: KnownUsage;
}

declare module '../../store/kept-trees.ts' {
  interface KeptTrees {
    /** The latest explanation of a request, and what it is based on. */
    latest?: CandidatesExplanation & { readonly basis: string };
  }
}

/**
 * What determines the explanation of a request, besides the kept trees: as long as it is the same,
 * so are the trees of the explanation. Undefined if too much would belong to it.
 */
function basisOf(subject: Explaining, { all }: KeptTrees): string | undefined {
  const { request, nested, sharing, offered, isLimited, maxTrees, maxChanges, usage } = subject;
  if (sharing.nodes.length) return undefined;
  const used = usage.stateOf(all.slice(0, maxTrees));
  if (used === undefined) return undefined;
  const options = [nested, isLimited, maxTrees, maxChanges];
  return `${JSON.stringify([request, ...options, ...offered])} ${used}`;
}

interface Explained {
  readonly surroundings: Surroundings;
  readonly isOffered: boolean;
  readonly causes: readonly Cause[];
  /** What the next explanation may use again, if anything. */
  readonly finding: Finding | undefined;
}

/** Why a tree did not serve a request, as the latest explanation found. */
interface Finding {
  readonly request: string;
  readonly causes: readonly Cause[];
  change?: readonly Change[] | undefined;
}

declare module '../../model.ts' {
  interface ProviderTree {
    /**
     * The latest finding. Searches share a tree for as long as what is used of it is the same, so a
     * request that fails repeatedly is compared only with the trees that have changed.
     */
    finding?: Finding;
  }
}

function findingFor(tree: ProviderTree, request: string, causes: () => readonly Cause[]): Finding {
  if (tree.finding?.request !== request) tree.finding = { request, causes: causes() };
  return tree.finding;
}

/** The number of trees that are read at once. */
const chunk = 500;

async function explainTrees(
  db: Db,
  subject: Explaining,
): Promise<Pick<CandidatesExplanation, 'trees' | 'hasMoreTrees'>> {
  const { request, nested, sharing, offered, isLimited, maxTrees, usage } = subject;
  const explained: Explained[] = [];
  // Sharing providers change without the trees that they serve.
  const key = sharing.nodes.length ? undefined : JSON.stringify([request, nested, isLimited]);
  const { all } = await keptTrees(db);
  const roots = all.slice(0, maxTrees);
  for (let at = 0; at < roots.length; at += chunk) {
    for (const loaded of await loadTrees(db, roots.slice(at, at + chunk), { usage })) {
      const tree: ProviderTree = sharing.trees.get(loaded.root.id) ?? loaded;
      const surroundings = { tree, sharing: sharingWith(tree, sharing) };
      const isOffered = offered.has(tree.root.id);
      const find = (): readonly Cause[] => causesIn(request, nested, surroundings, isLimited);
      const finding = isOffered || key === undefined ? undefined : findingFor(loaded, key, find);
      const causes = isOffered ? [] : (finding?.causes ?? find());
      explained.push({ surroundings, isOffered, causes, finding });
    }
    await yieldToEventLoop();
  }
  return { trees: withChanges(subject, explained), hasMoreTrees: roots.length < all.length };
}

/** Seeks the smallest change of the trees that have the fewest causes. */
function withChanges(
  { request, nested, sharing, maxChanges }: Explaining,
  all: readonly Explained[],
): TreeExplanation[] {
  const nearest = all
    .filter(({ isOffered, causes }) => !isOffered && causes.length)
    .toSorted((one, other) => one.causes.length - other.causes.length)
    .slice(0, maxChanges);
  const near = new Set(nearest);
  const trees = all.map(({ surroundings }) => surroundings.tree);
  return all.map((one) => ({
    root: one.surroundings.tree.root,
    offered: one.isOffered,
    causes: one.causes,
    change: near.has(one) ? changeOf(one) : undefined,
  }));

  function changeOf({ surroundings: { tree }, finding }: Explained): Finding['change'] {
    const find = (): Finding['change'] => smallestChange({ request, nested, trees, sharing }, tree);
    if (!finding) return find();
    if (!('change' in finding)) finding.change = find();
    return finding.change;
  }
}

/**
 * Lists why a tree has no candidate: the conditions that it does not meet, or else the rules for
 * several parts together. @param isLimited whether the reply has as many candidates as it may have
 */
export function causesIn(
  request: ResolvedRequest,
  nested: boolean,
  surroundings: Surroundings,
  isLimited: boolean,
): readonly Cause[] {
  const causes = causesOf(request, surroundings.tree, surroundings.sharing);
  if (causes.length) return causes;
  if (hasCandidate(request, nested, surroundings) === true)
    return [{ cause: isLimited ? 'limit' : 'duplicate' }];
  return [{ cause: 'rule', rules: rulesThatReject(request, nested, surroundings) }];
}

/** A request, and whether several providers may serve it, without one of the rules. */
interface Relaxed {
  readonly rule: CombinedRule;
  readonly request: ResolvedRequest;
  readonly nested: boolean;
}

/**
 * Finds the rules for several parts together that reject a tree: each one without which it has a
 * candidate, or all that apply if several reject it.
 */
function rulesThatReject(
  request: ResolvedRequest,
  nested: boolean,
  surroundings: Surroundings,
): CombinedRule[] {
  const { isolate, sameSubtree, groups } = request;
  const together = groups.some(({ suffix, requiredTraits }) => !suffix && requiredTraits.length);
  const relaxed: Relaxed[] = [];
  if (isolate)
    relaxed.push({ rule: 'group_policy', request: { ...request, isolate: false }, nested });
  if (sameSubtree.length)
    relaxed.push({ rule: 'same_subtree', request: { ...request, sameSubtree: [] }, nested });
  if (together)
    relaxed.push({
      rule: 'required_together',
      request: {
        ...request,
        groups: groups.map((one) => (one.suffix ? one : { ...one, requiredTraits: [] })),
      },
      nested,
    });
  if (!nested) relaxed.push({ rule: 'single_provider', request, nested: true });
  const rejecting = relaxed.filter((one) => hasCandidate(one.request, one.nested, surroundings));
  if (rejecting.length) return rejecting.map(({ rule }) => rule);
  return ['shared_inventory', ...relaxed.map(({ rule }) => rule)];
}
