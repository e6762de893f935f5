// Renders the explanation of allocation candidates: for programs, and in sentences.
import type { Explanation } from '../../../emulator/explain/model.ts';
import { isoMicros, isoSeconds } from '../../../kernel/clock.ts';
import { counted, someOf } from '../../../kernel/user/sentences.ts';
import type { AmountCause, AmountRule, Cause, CombinedRule } from '../domain/explanation/causes.ts';
import type { Change } from '../domain/explanation/changes.ts';
import type { CandidatesExplanation, TreeExplanation } from '../domain/explanation/explain.ts';
import type { ExplanationNames } from '../domain/explanation/names.ts';
import { capacityOf } from '../domain/inventories.ts';
import type { Holding, TreeNode } from '../model.ts';

/** The causes in the details of an explanation, as other services read them. */
export interface CandidatesDetails {
  readonly trees: { readonly total: number };
  /** How many trees have each first cause, the most frequent one first. */
  readonly causes: readonly { readonly text: string; readonly count: number }[];
}

/** How many trees the explanation of a question lists one by one, and one that is kept. */
const [maxTrees, maxKeptTrees] = [50, 20];

declare module '../domain/explanation/explain.ts' {
  interface CandidatesExplanation {
    /** As it is kept with a request: requests that fail repeatedly share it. */
    kept?: Explanation;
  }
}

/** An explanation that is kept with a request. */
export const keptExplanation = (explained: CandidatesExplanation): Explanation =>
  (explained.kept ??= candidatesExplanation(explained, maxKeptTrees));

/**
 * The explanation of a question, as `GET /_emulator/explain/candidates` returns it.
 * @param listed how many trees it lists one by one
 */
export function candidatesExplanation(
  { candidates, refusal, trees, hasMoreTrees, names }: CandidatesExplanation,
  listed = maxTrees,
): Explanation {
  const rejected = trees.filter(({ offered }) => !offered).toSorted(byCauses);
  const offered = trees.length - rejected.length;
  const summary =
    refusal ??
    `${counted(candidates, 'candidate')} from ${offered} of ` +
      `${hasMoreTrees ? 'the first ' : ''}${counted(trees.length, 'provider tree')}.`;
  const counts = countsOf(rejected, names);
  return {
    kind: 'candidates',
    subject: null,
    outcome: candidates ? 'success' : 'failure',
    summary,
    text: [
      summary,
      ...counts.map(({ sentence, count, roots }) => `  ${count}  ${sentence}: ${someOf(roots)}`),
      ...rejected
        .filter(({ change }) => change)
        .slice(0, 3)
        .flatMap((tree) => treeText(tree, names)),
    ],
    details: {
      candidates,
      refusal: refusal ?? null,
      trees: {
        total: trees.length,
        offered,
        rejected: rejected.length,
        has_more: hasMoreTrees,
      },
      causes: counts.map(({ cause, sentence, count, roots }) => ({
        cause,
        text: sentence,
        count,
        trees: roots.slice(0, listed),
      })),
      rejected: rejected.slice(0, listed).map((tree) => treeView(tree, names)),
    },
  };
}

/** Trees with a known change precede the others, the smallest change first. */
const byCauses = (one: TreeExplanation, other: TreeExplanation): number =>
  (one.change?.length ?? Infinity) - (other.change?.length ?? Infinity) ||
  one.causes.length - other.causes.length ||
  0;

interface Count {
  readonly cause: string;
  readonly sentence: string;
  readonly count: number;
  readonly roots: readonly string[];
}

/** How many trees have each first cause, the most frequent one first. */
function countsOf(trees: readonly TreeExplanation[], names: ExplanationNames): Count[] {
  const groups = new Map<string, { sentence: string; cause: string; roots: string[] }>();
  for (const { root, causes } of trees) {
    const first = causes[0];
    if (!first) continue;
    const sentence = kindOf(first, names);
    const group = groups.get(sentence) ?? { sentence, cause: first.cause, roots: [] };
    groups.set(sentence, group);
    group.roots.push(root.name);
  }
  return [...groups.values()]
    .map((group) => ({ ...group, count: group.roots.length }))
    .toSorted((one, other) => other.count - one.count);
}

function treeText(tree: TreeExplanation, names: ExplanationNames): string[] {
  return [
    `${tree.root.name}:`,
    ...tree.causes.map((cause) => `  ${causeText(cause, names)}`),
    ...(tree.change ?? []).map((change) => `  to fit: ${changeText(change, names)}`),
  ];
}

const treeView = ({ root, causes, change }: TreeExplanation, names: ExplanationNames): object => ({
  root: { uuid: root.uuid, name: root.name },
  causes: causes.map((cause) => causeView(cause, names)),
  change: change?.map((one) => changeView(one, names)) ?? null,
});

/** The fields of a cause. They are set one by one, because a reply has up to hundreds of causes. */
function causeView(cause: Cause, names: ExplanationNames): object {
  const view: Record<string, unknown> = { cause: cause.cause };
  if ('group' in cause) view['group'] = cause.group;
  if ('node' in cause) view['provider'] = providerView(cause.node);
  if ('classId' in cause) view['resource_class'] = names.classes.get(cause.classId);
  if ('trait' in cause) view['traits'] = [names.traits.get(cause.trait)];
  if ('traits' in cause) view['traits'] = cause.traits.map((id) => names.traits.get(id));
  if ('aggregate' in cause) view['aggregates'] = [names.aggregates.get(cause.aggregate)];
  if ('aggregates' in cause)
    view['aggregates'] = cause.aggregates.map((id) => names.aggregates.get(id));
  if (cause.cause === 'amount') {
    const { total, reserved, allocation_ratio: ratio, used } = cause.inventory;
    const { min_unit, max_unit, step_size } = cause.inventory;
    view['requested'] = cause.amount;
    view['free'] = freeOf(cause.inventory);
    view['inventory'] = {
      total,
      reserved,
      allocation_ratio: ratio,
      used,
      min_unit,
      max_unit,
      step_size,
    };
  }
  if ('rules' in cause) view['rules'] = cause.rules;
  view['text'] = causeText(cause, names);
  return view;
}

const freeOf = (inventory: AmountCause['inventory']): number =>
  Math.max(0, Math.floor(capacityOf(inventory)) - inventory.used);

const changeView = (change: Change, names: ExplanationNames): object => ({
  change: change.change,
  provider: providerView(change.node),
  ...('classId' in change ? { resource_class: names.classes.get(change.classId) } : {}),
  ...('amount' in change ? { amount: change.amount } : {}),
  ...('trait' in change ? { trait: names.traits.get(change.trait) } : {}),
  ...('aggregate' in change ? { aggregate: names.aggregates.get(change.aggregate) } : {}),
  ...(change.change === 'free'
    ? {
        held_by: holdersOf(change, names).map(({ consumerUuid, used }) => {
          const { name, release } = names.consumers.get(consumerUuid) ?? {};
          return {
            consumer: consumerUuid,
            amount: used,
            name: name ?? null,
            released_by: release?.lease ?? null,
            released_at: release ? isoMicros(release.at) : null,
          };
        }),
      }
    : {}),
  text: changeText(change, names),
});

const providerView = ({ uuid, name }: TreeNode): object => ({ uuid, name });

/** A cause without the provider and its numbers, by which trees are counted. */
export function kindOf(cause: Cause, names: ExplanationNames): string {
  switch (cause.cause) {
    case 'amount':
      return cause.rules.includes('capacity')
        ? `not enough ${names.classes.get(cause.classId)}`
        : `${cause.rules.join(' and ')} of ${names.classes.get(cause.classId)}`;
    case 'trait_missing':
      return `no provider with ${anyOf(cause.traits, names.traits)}`;
    case 'trait_forbidden':
      return `the forbidden trait ${names.traits.get(cause.trait)}`;
    case 'aggregate_missing':
      return 'outside of the requested aggregates';
    case 'aggregate_forbidden':
    case 'root_aggregate_forbidden':
      return `in the forbidden aggregate ${names.aggregates.get(cause.aggregate)}`;
    default:
      return causeText(cause, names);
  }
}

const anyOf = (ids: readonly number[], names: ReadonlyMap<number, string>): string =>
  ids.map((id) => names.get(id)).join(' or ');

const inGroup = (group: string): string => (group ? ` (group ${group})` : '');

/** A cause as a sentence without its period. */
function causeText(cause: Cause, names: ExplanationNames): string {
  switch (cause.cause) {
    case 'root_trait_missing':
      return `the root lacks the trait ${names.traits.get(cause.trait)}`;
    case 'root_trait_forbidden':
      return `the root has the forbidden trait ${names.traits.get(cause.trait)}`;
    case 'root_aggregate_forbidden':
      return `the root is in the forbidden aggregate ${names.aggregates.get(cause.aggregate)}`;
    case 'outside_of_tree':
      return `in_tree names another tree${inGroup(cause.group)}`;
    case 'no_inventory':
      return (
        `no provider has inventory of ${names.classes.get(cause.classId)}` + inGroup(cause.group)
      );
    case 'amount':
      return amountText(cause, names) + inGroup(cause.group);
    case 'trait_missing':
      return (
        `${cause.node.name} lacks the trait ${anyOf(cause.traits, names.traits)}` +
        inGroup(cause.group)
      );
    case 'trait_forbidden':
      return (
        `${cause.node.name} has the forbidden trait ` +
        `${names.traits.get(cause.trait)}${inGroup(cause.group)}`
      );
    case 'aggregate_missing':
      return (
        `${cause.node.name} is not in the aggregate ` +
        `${anyOf(cause.aggregates, names.aggregates)}${inGroup(cause.group)}`
      );
    case 'aggregate_forbidden':
      return (
        `${cause.node.name} is in the forbidden aggregate ` +
        `${names.aggregates.get(cause.aggregate)}${inGroup(cause.group)}`
      );
    case 'rule':
      return (
        'each group fits by itself, but ' + cause.rules.map((rule) => ruleTexts[rule]).join(' or ')
      );
    case 'limit':
      return 'it fits, but the limit of candidates is reached';
    case 'duplicate':
      return 'its candidates use sharing providers only, and another tree has them';
  }
}

const ruleTexts: Readonly<Record<CombinedRule, string>> = {
  group_policy: 'group_policy=isolate needs a provider for each group',
  same_subtree: 'same_subtree needs the providers in one subtree',
  required_together: 'the chosen providers lack the required traits together',
  shared_inventory: 'the groups exceed an inventory together',
  single_provider: 'before 1.29, one provider must serve the whole request',
};

function amountText(cause: AmountCause, names: ExplanationNames): string {
  const { node, classId, amount, inventory, rules } = cause;
  const name = names.classes.get(classId)!;
  return rules.map((rule) => ruleText(rule)).join('; ');

  function ruleText(rule: AmountRule): string {
    switch (rule) {
      case 'capacity': {
        const { total, reserved, allocation_ratio: ratio, used } = inventory;
        return (
          `${node.name} has ${freeOf(inventory)} of ${amount} ${name} free ` +
          `(total ${total}, reserved ${reserved}, ratio ${ratio}, used ${used})`
        );
      }
      case 'min_unit':
        return `${node.name} allocates at least ${inventory.min_unit} ${name} (min_unit), not ${amount}`;
      case 'max_unit':
        return `${node.name} allocates at most ${inventory.max_unit} ${name} (max_unit), not ${amount}`;
      case 'step_size':
        return (
          `${node.name} allocates multiples of ${inventory.step_size} ${name} (step_size), ` +
          `not ${amount}`
        );
    }
  }
}

/** A change as an imperative sentence without its period. */
function changeText(change: Change, names: ExplanationNames): string {
  const provider = change.node.name;
  switch (change.change) {
    case 'free':
      return (
        `free ${change.amount} ${names.classes.get(change.classId)} on ${provider}` +
        heldBy(change, names)
      );
    case 'add_capacity':
      return `add ${change.amount} ${names.classes.get(change.classId)} of capacity to ${provider}`;
    case 'add_inventory':
      return (
        `add an inventory of ${change.amount} ${names.classes.get(change.classId)} ` +
        `to ${provider}`
      );
    case 'set_min_unit':
    case 'set_max_unit':
    case 'set_step_size':
      return (
        `set ${change.change.slice(4)} of ${names.classes.get(change.classId)} on ${provider} ` +
        `to ${change.amount}`
      );
    case 'add_trait':
      return `add the trait ${names.traits.get(change.trait)} to ${provider}`;
    case 'remove_trait':
      return `remove the trait ${names.traits.get(change.trait)} from ${provider}`;
    case 'add_aggregate':
      return `add ${provider} to the aggregate ${names.aggregates.get(change.aggregate)}`;
    case 'remove_aggregate':
      return `remove ${provider} from the aggregate ${names.aggregates.get(change.aggregate)}`;
  }
}

const holdersOf = (
  { node, classId }: Extract<Change, { change: 'free' }>,
  { holders }: ExplanationNames,
): readonly Holding[] =>
  holders.filter((one) => one.providerId === node.id && one.classId === classId);

function heldBy(change: Extract<Change, { change: 'free' }>, names: ExplanationNames): string {
  const holders = holdersOf(change, names);
  if (!holders.length) return '';
  return `, held by ${holders.map((holder) => holderText(holder, names)).join(', ')}`;
}

/** A consumer with what it holds: `server 'a' (2; released by lease 'nightly' at ...)`. */
function holderText({ consumerUuid, used }: Holding, { consumers }: ExplanationNames): string {
  const { name = consumerUuid, release } = consumers.get(consumerUuid) ?? {};
  const end = release
    ? `; released by lease '${release.lease}' at ${isoSeconds(release.at).slice(0, 16)}`
    : '';
  return `${name} (${used}${end})`;
}
