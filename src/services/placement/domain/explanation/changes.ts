// Finds the smallest change that makes a provider tree a candidate: it assumes providers that
// accept everything, lets the search choose among them, and lists what the chosen ones lack.
import type { ClassInventory, ProviderTree, TreeNode } from '../../model.ts';
import { capacityOf } from '../../store/inventories.ts';
import { candidatesOf, matchingOf, type AllocationRequest } from '../candidates/match.ts';
import { hasAny, hasOneOfEach } from '../candidates/parts.ts';
import type { ResolvedRequest } from '../candidates/resolve.ts';
import { hasTraits, inventoryOf } from '../candidates/tree.ts';
import { sharingWith, type Sharing } from '../candidates/trees.ts';

/** A change of a provider. Classes, traits and aggregates are ids. */
export type Change = { readonly node: TreeNode } & (
  | { readonly change: 'free'; readonly classId: number; readonly amount: number }
  | { readonly change: 'add_capacity'; readonly classId: number; readonly amount: number }
  | { readonly change: 'add_inventory'; readonly classId: number; readonly amount: number }
  | {
      readonly change: 'set_min_unit' | 'set_max_unit' | 'set_step_size';
      readonly classId: number;
      readonly amount: number;
    }
  | { readonly change: 'add_trait' | 'remove_trait'; readonly trait: number }
  | { readonly change: 'add_aggregate' | 'remove_aggregate'; readonly aggregate: number }
);

/** A tree with the providers outside of it that share with it. */
export interface Surroundings {
  readonly tree: ProviderTree;
  readonly sharing: readonly TreeNode[];
}

/** A request and the trees that it may be served by. */
export interface Subject {
  readonly request: ResolvedRequest;
  /** Whether several providers of one tree can serve a request (from 1.29). */
  readonly nested: boolean;
  readonly trees: readonly ProviderTree[];
  /** All sharing providers of the region. */
  readonly sharing: Sharing;
}

/** How many ways to serve the request are compared. */
const maxPlans = 200;

/** How many steps a search for one of them may take. */
const maxSteps = 20_000;

/** Whether the tree has a candidate, regardless of other trees; undefined after too many steps. */
export function hasCandidate(
  request: ResolvedRequest,
  nested: boolean,
  { tree, sharing }: Surroundings,
): boolean | undefined {
  for (const candidate of candidatesIn(request, nested, { tree, sharing }))
    return candidate !== 'too many';
  return false;
}

function* candidatesIn(
  request: ResolvedRequest,
  nested: boolean,
  { tree, sharing }: Surroundings,
): Generator<AllocationRequest | 'too many', void> {
  if (!hasTraits(tree.root, request)) return;
  const matching = matchingOf(request, nested, sharing);
  for (const candidate of candidatesOf(matching, tree, sharing)) {
    if (candidate) yield candidate;
    if (matching.progress.steps > maxSteps) return void (yield 'too many');
  }
}

/**
 * Finds a change of a tree, and of the providers that share with it, after which a candidate
 * allocates from the tree or from these providers. It is minimal: without one of its parts, there
 * is no such candidate.
 * @returns undefined if no change of these providers is sufficient (the request names another tree,
 *   or the tree has too few providers), or if too many trees share them
 */
export function smallestChange(
  subject: Subject,
  tree: ProviderTree,
): readonly Change[] | undefined {
  const { request, nested, sharing } = subject;
  const open = opened(request, { tree, sharing: sharingWith(tree, sharing) });
  const root = rootChanges(request, tree.root);
  const isCandidate = (changes: readonly Change[]): boolean =>
    hasCandidate(request, nested, changed(subject, tree, changes)) === true;
  let best: readonly Change[] | undefined;
  let plans = 0;
  for (const plan of candidatesIn(request, nested, open)) {
    if (plan === 'too many' || plans++ >= maxPlans) break;
    const changes = [...root, ...changesFor(request, plan, open)];
    if (best && costOf(changes) >= costOf(best)) continue;
    if (isCandidate(changes)) best = changes;
    if (best?.length === 1) break;
  }
  if (!best) return undefined;
  const affected = affectedBy(subject, tree, best);
  if (!affected) return undefined;
  return withoutSpareParts(
    best,
    (part) => isCandidate(part) || affected.some((other) => usesTree(subject, other, tree, part)),
  );
}

/** How many other trees are searched for candidates that take from a changed provider. */
const maxAffected = 50;

/**
 * The other trees that a change may affect, because it changes sharing providers.
 * @returns undefined if there are too many of them
 */
function affectedBy(
  { trees, sharing }: Subject,
  tree: ProviderTree,
  changes: readonly Change[],
): readonly ProviderTree[] | undefined {
  if (!changes.some(({ node }) => sharing.nodes.includes(node))) return [];
  const others = trees.filter((other) => other.root !== tree.root);
  return others.length > maxAffected ? undefined : others;
}

/** Whether a candidate of another tree takes something from this one, after some changes. */
function usesTree(
  subject: Subject,
  other: ProviderTree,
  { root }: ProviderTree,
  changes: readonly Change[],
): boolean {
  const { request, nested } = subject;
  for (const candidate of candidatesIn(request, nested, changed(subject, other, changes)))
    if (candidate === 'too many') return false;
    else if (candidate.resources.some(({ node }) => node.rootId === root.id)) return true;
  return false;
}

/**
 * Drops parts until each is necessary. Dropping one can make an earlier one unnecessary: a provider
 * that keeps an aggregate can serve another tree, which has the rest.
 */
function withoutSpareParts(
  changes: readonly Change[],
  isSufficient: (changes: readonly Change[]) => boolean,
): readonly Change[] {
  for (const change of changes) {
    const others = changes.filter((one) => one !== change);
    if (isSufficient(others)) return withoutSpareParts(others, isSufficient);
  }
  return changes;
}

/** Fewer changes are better, then smaller amounts. */
const costOf = (changes: readonly Change[]): number =>
  changes.length +
  changes.reduce((sum, change) => sum + ('amount' in change ? change.amount : 0), 0) / 2 ** 40;

const endless = 2 ** 40;

/** Copies the providers, so that each accepts every part of the request. */
function opened(
  request: ResolvedRequest,
  surroundings: Surroundings,
): Surroundings & { readonly originals: ReadonlyMap<TreeNode, TreeNode> } {
  const { groups, rootRequired, rootForbidden } = request;
  const classes = new Set(groups.flatMap((group) => group.resources.map((one) => one.classId)));
  const traits = assumed(
    [...rootRequired, ...groups.flatMap(({ requiredTraits }) => requiredTraits.flat())],
    [...rootForbidden, ...groups.flatMap(({ forbiddenTraits }) => forbiddenTraits)],
  );
  const aggregates = assumed(
    groups.flatMap(({ memberOf }) => memberOf.flat()),
    groups.flatMap(({ notMemberOf }) => notMemberOf),
  );
  const originals = new Map<TreeNode, TreeNode>();
  const copies = copied(surroundings, (node) => ({
    inventories: [...classes].map((classId) => ({
      classId,
      used: 0,
      total: endless,
      reserved: 0,
      min_unit: 1,
      max_unit: endless,
      step_size: 1,
      allocation_ratio: 1,
    })),
    traits: traits(node.traits),
    aggregates: aggregates(node.aggregates),
  }));
  for (const [original, copy] of copies.copies) originals.set(copy, original);
  // A search tries the first providers first: those that need the fewest changes.
  const defects = new Map(
    [...copies.copies].map(([original, copy]) => [copy, defectsOf(request, original)]),
  );
  const sorted = (nodes: readonly TreeNode[]): TreeNode[] =>
    nodes.toSorted((one, other) => defects.get(one)! - defects.get(other)!);
  return {
    tree: { root: copies.tree.root, nodes: sorted(copies.tree.nodes) },
    sharing: sorted(copies.sharing),
    originals,
  };
}

/**
 * Adds to the ids of a provider those that the request wants, and removes those that it does not.
 * It leaves those alone that one group wants and another does not.
 */
const assumed =
  (wanted: readonly number[], unwanted: readonly number[]) =>
  (ids: readonly number[]): number[] => [
    ...new Set([
      ...ids.filter((id) => !unwanted.includes(id) || wanted.includes(id)),
      ...wanted.filter((id) => !unwanted.includes(id)),
    ]),
  ];

/** Roughly how much of the request a provider cannot serve without a change. */
const defectsOf = ({ groups }: ResolvedRequest, node: TreeNode): number =>
  groups.reduce(
    (sum, group) =>
      sum +
      group.resources.filter(({ classId, amount }) => {
        const inventory = inventoryOf(node, classId);
        return !inventory || inventory.used + amount > capacityOf(inventory);
      }).length +
      (hasOneOfEach(group.requiredTraits, node.traits) ? 0 : 1) +
      (hasAny(group.forbiddenTraits, node.traits) ? 1 : 0),
    0,
  );

/** What the providers that a plan chooses lack in reality. */
function changesFor(
  { groups }: ResolvedRequest,
  { resources, mappings }: AllocationRequest,
  { originals, tree }: ReturnType<typeof opened>,
): Change[] {
  const changes: Change[] = [];
  const add = (change: Change): void => {
    const key = keyOf(change);
    if (!changes.some((one) => keyOf(one) === key)) changes.push(change);
  };
  for (const { node, classId, amount } of resources) {
    const parts = groups.flatMap((group, index) =>
      mappings[index]?.includes(node)
        ? group.resources.filter((part) => part.classId === classId).map((part) => part.amount)
        : [],
    );
    for (const change of amountChanges(originals.get(node)!, classId, { amount, parts }))
      add(change);
  }
  for (const [index, group] of groups.entries()) {
    const nodes = (mappings[index] ?? []).map((node) => originals.get(node)!);
    const root = originals.get(tree.root)!;
    const together = nodes.flatMap(({ traits }) => traits);
    for (const any of group.requiredTraits)
      if (!hasAny(any, together) && nodes.length)
        add({ change: 'add_trait', node: nodes[0]!, trait: any[0]! });
    for (const node of group.suffix === '' ? [root, ...nodes] : nodes)
      for (const aggregate of group.notMemberOf)
        if (node.aggregates.includes(aggregate))
          add({ change: 'remove_aggregate', node, aggregate });
    for (const node of nodes) {
      for (const trait of group.forbiddenTraits)
        if (node.traits.includes(trait)) add({ change: 'remove_trait', node, trait });
      const counts = group.suffix === '' && node.rootId === root.rootId;
      if (counts && hasOneOfEach(group.memberOf, root.aggregates)) continue;
      for (const any of group.memberOf)
        if (!hasAny(any, node.aggregates))
          add({ change: 'add_aggregate', node, aggregate: any[0]! });
    }
  }
  return changes;
}

const keyOf = ({ node, ...change }: Change): string => `${node.id} ${JSON.stringify(change)}`;

function rootChanges({ rootRequired, rootForbidden }: ResolvedRequest, node: TreeNode): Change[] {
  return [
    ...rootRequired
      .filter((trait) => !node.traits.includes(trait))
      .map((trait): Change => ({ change: 'add_trait', node, trait })),
    ...rootForbidden
      .filter((trait) => node.traits.includes(trait))
      .map((trait): Change => ({ change: 'remove_trait', node, trait })),
  ];
}

/** What an inventory needs so that a consumer can have an amount of it, in the parts of groups. */
function amountChanges(
  node: TreeNode,
  classId: number,
  { amount, parts }: { readonly amount: number; readonly parts: readonly number[] },
): Change[] {
  const inventory = inventoryOf(node, classId);
  if (!inventory) return [{ change: 'add_inventory', node, classId, amount }];
  const changes: Change[] = [];
  const short = Math.ceil(inventory.used + amount - capacityOf(inventory));
  if (short > 0)
    changes.push({
      change: short > inventory.used ? 'add_capacity' : 'free',
      node,
      classId,
      amount: short,
    });
  const least = Math.min(...parts);
  if (least < inventory.min_unit)
    changes.push({ change: 'set_min_unit', node, classId, amount: least });
  if (amount > inventory.max_unit) changes.push({ change: 'set_max_unit', node, classId, amount });
  const step = parts.reduce(greatestCommonDivisor, inventory.step_size);
  if (step < inventory.step_size)
    changes.push({ change: 'set_step_size', node, classId, amount: step });
  return changes;
}

const greatestCommonDivisor = (one: number, other: number): number =>
  other === 0 ? one : greatestCommonDivisor(other, one % other);

type Fields = Pick<TreeNode, 'inventories' | 'traits' | 'aggregates'>;

/** Copies a tree and the providers that share with it, with other fields. */
function copied(
  { tree, sharing }: Surroundings,
  fieldsOf: (node: TreeNode) => Fields,
): Surroundings & { readonly copies: ReadonlyMap<TreeNode, TreeNode> } {
  const copies = new Map<TreeNode, TreeNode>();
  for (const node of [...tree.nodes, ...sharing]) copies.set(node, { ...node, ...fieldsOf(node) });
  for (const copy of copies.values()) copy.parent = copy.parent && copies.get(copy.parent);
  const of = (node: TreeNode): TreeNode => copies.get(node)!;
  return {
    tree: { root: of(tree.root), nodes: tree.nodes.map(of) },
    sharing: sharing.map(of),
    copies,
  };
}

/** A tree after some changes, with the providers that share with it then. */
function changed(
  { sharing }: Subject,
  tree: ProviderTree,
  changes: readonly Change[],
): Surroundings {
  const all = sharing.nodes.filter(({ rootId }) => rootId !== tree.root.id);
  const copies = copied({ tree, sharing: all }, (node) =>
    changes.filter((change) => change.node === node).reduce(applied, node),
  );
  return {
    tree: copies.tree,
    sharing: sharingWith(copies.tree, { nodes: copies.sharing, trees: sharing.trees }),
  };
}

function applied(fields: Fields, change: Change): Fields {
  const { inventories, traits, aggregates } = fields;
  const update = (classId: number, edit: (one: ClassInventory) => ClassInventory): Fields => ({
    ...fields,
    inventories: inventories.map((one) => (one.classId === classId ? edit(one) : one)),
  });
  switch (change.change) {
    case 'free':
    case 'add_capacity':
      return update(change.classId, (one) => ({ ...one, used: one.used - change.amount }));
    case 'set_min_unit':
      return update(change.classId, (one) => ({ ...one, min_unit: change.amount }));
    case 'set_max_unit':
      return update(change.classId, (one) => ({ ...one, max_unit: change.amount }));
    case 'set_step_size':
      return update(change.classId, (one) => ({ ...one, step_size: change.amount }));
    case 'add_inventory':
      return { ...fields, inventories: [...inventories, newInventory(change)] };
    case 'add_trait':
      return { ...fields, traits: [...traits, change.trait] };
    case 'remove_trait':
      return { ...fields, traits: traits.filter((id) => id !== change.trait) };
    case 'add_aggregate':
      return { ...fields, aggregates: [...aggregates, change.aggregate] };
    case 'remove_aggregate':
      return { ...fields, aggregates: aggregates.filter((id) => id !== change.aggregate) };
  }
}

const newInventory = ({
  classId,
  amount,
}: {
  classId: number;
  amount: number;
}): ClassInventory => ({
  classId,
  used: 0,
  total: amount,
  reserved: 0,
  min_unit: 1,
  max_unit: amount,
  step_size: 1,
  allocation_ratio: 1,
});
