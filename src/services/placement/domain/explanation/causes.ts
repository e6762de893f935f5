// Finds why a provider tree offers no candidate: the conditions of the request that it does not
// meet. The conditions are those that the search checks.
import type { ClassInventory, ProviderTree, TreeNode } from '../../model.ts';
import { hasAny, hasOneOfEach } from '../candidates/parts.ts';
import type { ResolvedGroup, ResolvedRequest } from '../candidates/resolve.ts';
import { amountRules, inventoryOf } from '../candidates/tree.ts';

/** The rule of an inventory that an amount breaks. */
export type AmountRule = keyof typeof amountRules;

const ruleNames = Object.keys(amountRules) as AmountRule[];

/** The rules for several parts of a request together. */
export type CombinedRule =
  'group_policy' | 'same_subtree' | 'required_together' | 'shared_inventory' | 'single_provider';

/** Why a tree is not a candidate. Classes, traits and aggregates are ids. */
export type Cause =
  | { readonly cause: 'root_trait_missing'; readonly trait: number }
  | { readonly cause: 'root_trait_forbidden'; readonly trait: number }
  | {
      readonly cause: 'root_aggregate_forbidden';
      readonly aggregate: number;
      readonly group: string;
    }
  | { readonly cause: 'outside_of_tree'; readonly group: string }
  | { readonly cause: 'no_inventory'; readonly classId: number; readonly group: string }
  | (AmountCause & { readonly cause: 'amount' })
  | (OnProvider & { readonly cause: 'trait_missing'; readonly traits: readonly number[] })
  | (OnProvider & { readonly cause: 'trait_forbidden'; readonly trait: number })
  | (OnProvider & { readonly cause: 'aggregate_missing'; readonly aggregates: readonly number[] })
  | (OnProvider & { readonly cause: 'aggregate_forbidden'; readonly aggregate: number })
  | { readonly cause: 'rule'; readonly rules: readonly CombinedRule[] }
  /** The reply has as many candidates as the request or the configuration allows. */
  | { readonly cause: 'limit' }
  /** The candidates of this tree take all from sharing providers, and another tree has them. */
  | { readonly cause: 'duplicate' };

/** A cause that one provider of the tree, or one that shares with it, has for one group. */
interface OnProvider {
  readonly node: TreeNode;
  readonly group: string;
}

/** An amount that a provider's inventory of the class does not have, or does not allow. */
export interface AmountCause extends OnProvider {
  readonly classId: number;
  readonly amount: number;
  readonly inventory: ClassInventory;
  readonly rules: readonly AmountRule[];
}

/**
 * Lists the conditions that the tree does not meet, in the order in which the search checks them.
 * An empty list means that each part of the request has a provider, so that only a rule for several
 * parts together can reject the tree.
 * @param sharing the providers outside of the tree that share with it
 */
export function causesOf(
  request: ResolvedRequest,
  tree: ProviderTree,
  sharing: readonly TreeNode[],
): Cause[] {
  const { rootRequired, rootForbidden, groups } = request;
  const own = tree.root.traits;
  return [
    ...rootRequired
      .filter((trait) => !own.includes(trait))
      .map((trait): Cause => ({ cause: 'root_trait_missing', trait })),
    ...rootForbidden
      .filter((trait) => own.includes(trait))
      .map((trait): Cause => ({ cause: 'root_trait_forbidden', trait })),
    ...groups.flatMap((group) =>
      group.suffix === ''
        ? causesOfUnsuffixed(group, tree, sharing)
        : causesOfSuffixed(group, [...tree.nodes, ...sharing]),
    ),
  ];
}

/** The causes of a group that one provider must serve completely. */
function causesOfSuffixed(group: ResolvedGroup, nodes: readonly TreeNode[]): Cause[] {
  const { suffix, resources, treeRoot } = group;
  const inTree = nodes.filter(({ rootId }) => treeRoot === undefined || rootId === treeRoot);
  if (!inTree.length) return [{ cause: 'outside_of_tree', group: suffix }];
  const absent = resources.filter(
    ({ classId }) => !inTree.some((node) => inventoryOf(node, classId)),
  );
  if (absent.length)
    return absent.map(({ classId }) => ({ cause: 'no_inventory', classId, group: suffix }));
  const causes = inTree.map((node) => ({
    absent: resources.filter(({ classId }) => !inventoryOf(node, classId)),
    causes: [...amountCauses(group, node, resources), ...conditionCauses(group, node, true)],
  }));
  if (causes.some((one) => !one.absent.length && !one.causes.length)) return [];
  // Providers without the classes of the group are of no interest if others have them.
  const fewest = Math.min(...causes.map((one) => one.absent.length));
  const nearest = causes.filter((one) => one.absent.length === fewest);
  return nearest.flatMap((one) => [
    ...one.absent.map(({ classId }): Cause => ({ cause: 'no_inventory', classId, group: suffix })),
    ...one.causes,
  ]);
}

/**
 * The causes of the group without a suffix, each class of which may come from another provider. The
 * aggregates of the root count for its whole tree.
 */
function causesOfUnsuffixed(
  group: ResolvedGroup,
  tree: ProviderTree,
  sharing: readonly TreeNode[],
): Cause[] {
  const { suffix, resources, treeRoot, notMemberOf } = group;
  const { aggregates: ofRoot, id: rootId } = tree.root;
  if (treeRoot !== undefined && treeRoot !== rootId)
    return [{ cause: 'outside_of_tree', group: suffix }];
  const forbidden = notMemberOf.filter((id) => ofRoot.includes(id));
  if (forbidden.length)
    return forbidden.map((aggregate) => ({
      cause: 'root_aggregate_forbidden',
      aggregate,
      group: suffix,
    }));
  const nodes = [...tree.nodes, ...(treeRoot === undefined ? sharing : [])];
  const rootIsMember = hasOneOfEach(group.memberOf, ofRoot);
  // The providers have the required traits together, so one that none of them has is missing.
  const causes: Cause[] = group.requiredTraits.length
    ? lacking(
        group.requiredTraits,
        nodes.flatMap((node) => node.traits),
      ).map((traits) => ({ cause: 'trait_missing', traits, node: tree.root, group: suffix }))
    : [];
  for (const resource of resources) {
    const having = nodes.filter((node) => inventoryOf(node, resource.classId));
    if (!having.length)
      causes.push({ cause: 'no_inventory', classId: resource.classId, group: suffix });
    const ofProviders = having.map((node) => [
      ...amountCauses(group, node, [resource]),
      ...conditionCauses(group, node, !(rootIsMember && node.rootId === rootId)),
    ]);
    if (ofProviders.every((one) => one.length)) causes.push(...ofProviders.flat());
  }
  return causes;
}

/** The sets of which the ids include none. */
const lacking = (
  sets: readonly (readonly number[])[],
  ids: readonly number[],
): (readonly number[])[] => sets.filter((any) => !hasAny(any, ids));

function amountCauses(
  { suffix: group }: ResolvedGroup,
  node: TreeNode,
  resources: ResolvedGroup['resources'],
): Cause[] {
  const causes: Cause[] = [];
  for (const { classId, amount } of resources) {
    const inventory = inventoryOf(node, classId);
    if (!inventory) continue;
    const rules = ruleNames.filter((rule) => !amountRules[rule](inventory, amount));
    if (rules.length)
      causes.push({ cause: 'amount', group, node, classId, amount, inventory, rules });
  }
  return causes;
}

const none: readonly Cause[] = [];

/** Whether a group asks for more of a provider than amounts, as few requests do. */
const hasConditions = (group: ResolvedGroup): boolean =>
  group.requiredTraits.length > 0 ||
  group.forbiddenTraits.length > 0 ||
  group.memberOf.length > 0 ||
  group.notMemberOf.length > 0;

/** The traits and aggregates of a provider that a group does not accept. */
function conditionCauses(
  wanted: ResolvedGroup,
  node: TreeNode,
  mustBeMember: boolean,
): readonly Cause[] {
  const { suffix: group } = wanted;
  const on = { group, node };
  if (!hasConditions(wanted)) return none;
  return [
    // The providers of the group without a suffix have the required traits together.
    ...(group === '' ? [] : lacking(wanted.requiredTraits, node.traits)).map((traits): Cause => ({
      ...on,
      cause: 'trait_missing',
      traits,
    })),
    ...wanted.forbiddenTraits
      .filter((trait) => node.traits.includes(trait))
      .map((trait): Cause => ({ ...on, cause: 'trait_forbidden', trait })),
    ...(mustBeMember ? lacking(wanted.memberOf, node.aggregates) : []).map((aggregates): Cause => ({
      ...on,
      cause: 'aggregate_missing',
      aggregates,
    })),
    ...wanted.notMemberOf
      .filter((aggregate) => node.aggregates.includes(aggregate))
      .map((aggregate): Cause => ({ ...on, cause: 'aggregate_forbidden', aggregate })),
  ];
}
