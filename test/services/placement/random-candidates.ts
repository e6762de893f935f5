// Random forests of providers, and random requests for candidates in them.
import type { Dice } from './dice.ts';
import type {
  PlainGroup,
  PlainInventory,
  PlainProvider,
  PlainRequest,
} from './plain-candidates.ts';

export const classes = ['VCPU', 'MEMORY_MB', 'DISK_GB'];
export const traits = ['HW_CPU_X86_AVX', 'HW_CPU_X86_SSE', 'STORAGE_DISK_SSD'];
export const aggregates = [1, 2, 3].map(
  (digit) => `${String(digit).repeat(8)}-aaaa-4aaa-8aaa-aaaaaaaaaaaa`,
);
const sharing = 'MISC_SHARES_VIA_AGGREGATE';

/** The UUID of the provider with that number. */
export const providerUuid = (number: number): string =>
  `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** One to four trees of up to four providers. A parent comes before its children. */
export function randomForest(dice: Dice): PlainProvider[] {
  const providers: PlainProvider[] = [];
  const sharers = dice.chance(0.6) ? 0.25 : 0;
  for (let trees = dice.between(1, 4); trees > 0; trees--) {
    const tree: PlainProvider[] = [];
    for (let size = dice.pick([1, 1, 2, 3, 4]); size > 0; size--) {
      const parent = tree.length ? dice.pick(tree).uuid : null;
      tree.push(
        randomProvider(dice, providerUuid(providers.length + tree.length + 1), parent, sharers),
      );
    }
    providers.push(...tree);
  }
  return providers;
}

function randomProvider(
  dice: Dice,
  uuid: string,
  parent: string | null,
  sharers: number,
): PlainProvider {
  const inventories: Record<string, PlainInventory> = {};
  const used: Record<string, number> = {};
  for (const name of dice.some(classes, 0.55)) {
    inventories[name] = randomInventory(dice);
    if (dice.chance(0.4)) used[name] = dice.between(1, 5);
  }
  const own = [...dice.some(traits, 0.35), ...(dice.chance(sharers) ? [sharing] : [])];
  return { uuid, parent, inventories, used, traits: own, aggregates: dice.some(aggregates, 0.3) };
}

function randomInventory(dice: Dice): PlainInventory {
  const total = dice.between(1, 9);
  return {
    total,
    reserved: dice.chance(0.25) ? dice.between(0, Math.min(2, total - 1)) : 0,
    min_unit: dice.chance(0.2) ? 2 : 1,
    max_unit: dice.pick([2, 4, 1000, 1000]),
    step_size: dice.chance(0.15) ? 2 : 1,
    allocation_ratio: dice.pick([1, 1, 1, 1.5, 2, 1.1]),
  };
}

/** One tree of five providers that have little, and one that shares with it. */
export function narrowForest(dice: Dice): PlainProvider[] {
  const providers: PlainProvider[] = [];
  for (let number = 1; number <= 6; number++) {
    const parent = number === 1 || number === 6 ? null : dice.pick(providers).uuid;
    const { uuid, inventories } = randomProvider(dice, providerUuid(number), parent, 0);
    const own = dice.some(traits, 0.3);
    const aggregate = number === 1 || number === 6 ? [aggregates[0]!] : [];
    providers.push({
      uuid,
      parent,
      inventories,
      used: {},
      traits: number === 6 ? [...own, sharing] : own,
      aggregates: aggregate,
    });
  }
  return providers;
}

/** A request with so many groups that more combinations break its rules than not. */
export function crowdedRequest(dice: Dice): PlainRequest {
  const plain = { required: [], forbidden: [], memberOf: [], notMemberOf: [], inTree: undefined };
  const suffixes = ['1', '2', '_A', 'net-port', '5'].slice(0, dice.between(4, 5));
  const class1 = dice.pick(classes);
  const named = suffixes.map((suffix) => ({
    ...plain,
    suffix,
    resources: { [dice.chance(0.8) ? class1 : dice.pick(classes)]: dice.pick([1, 1, 1, 2, 3]) },
  }));
  const required = dice.chance(0.5) ? dice.some(traits, 0.7).map((trait) => [trait]) : [];
  const together = { ...plain, suffix: '', resources: { VCPU: 1, DISK_GB: 1 }, required };
  return {
    minor: 39,
    groups: dice.chance(0.5) ? [together, ...named] : named,
    isolate: dice.chance(0.5),
    rootRequired: [],
    rootForbidden: [],
    subtrees: dice.chance(0.5) ? [dice.shuffled(suffixes).slice(0, dice.between(2, 4))] : [],
  };
}

/**
 * A request that a version can make. `quirks` are those corners where upstream has bugs that nobody
 * should copy.
 */
export function randomRequest(
  dice: Dice,
  forest: readonly PlainProvider[],
  quirks = true,
): PlainRequest {
  const minor = dice.pick([
    10, 12, 16, 17, 21, 22, 24, 25, 27, 28, 29, 31, 32, 33, 34, 35, 36, 39, 39, 39, 39,
  ]);
  const suffixes = minor >= 33 ? ['1', '2', '_A', 'net-port'] : ['1', '2', '30'];
  const named = minor >= 25 ? dice.some(suffixes, 0.35).slice(0, 3) : [];
  const wanted = named.length && dice.chance(0.4) ? named : ['', ...named];
  const groups = wanted.map((suffix) => randomGroup(dice, forest, suffix, minor));
  const bare = minor >= 36 && dice.chance(0.35) ? [randomBare(dice, forest, minor, quirks)] : [];
  const all = [...groups, ...bare];
  const root = minor >= 35 && dice.chance(0.25) ? dice.shuffled(traits) : [];
  return {
    minor,
    groups: all,
    isolate: minor >= 25 && dice.chance(0.4),
    rootRequired: root.slice(0, dice.between(0, 1)),
    rootForbidden: root.slice(2),
    subtrees: randomSubtrees(dice, minor, all, bare),
  };
}

function randomSubtrees(
  dice: Dice,
  minor: number,
  all: readonly PlainGroup[],
  bare: readonly PlainGroup[],
): string[][] {
  const names = all.map(({ suffix }) => suffix).filter(Boolean);
  const must = bare.map(({ suffix }) => suffix);
  if (minor < 36 || !names.length || (!must.length && dice.chance(0.5))) return [];
  const first = [...new Set([...must, ...dice.some(names, 0.6)])];
  const subtrees = dice.chance(0.2) ? [first, dice.some(names, 0.6)] : [first];
  return subtrees.filter((set) => set.length);
}

function randomGroup(
  dice: Dice,
  forest: readonly PlainProvider[],
  suffix: string,
  minor: number,
): PlainGroup {
  const names = dice.shuffled(classes).slice(0, dice.pick([1, 1, 2, 3]));
  const resources = Object.fromEntries(names.map((name) => [name, dice.pick([1, 1, 2, 3, 4])]));
  return { suffix, resources, ...randomDemands(dice, forest, minor) };
}

/** A group that asks for no resources, only for what its provider is like. */
function randomBare(
  dice: Dice,
  forest: readonly PlainProvider[],
  minor: number,
  quirks: boolean,
): PlainGroup {
  const demands = randomDemands(dice, forest, minor);
  const group = {
    suffix: 'bare',
    resources: {},
    ...demands,
    ...(quirks ? {} : { inTree: undefined }),
  };
  const mute =
    !group.required.length &&
    !group.forbidden.length &&
    !group.memberOf.length &&
    !group.notMemberOf.length &&
    group.inTree === undefined;
  const unlike = !quirks && !group.required.length && !group.memberOf.length;
  return mute || unlike ? { ...group, required: [[dice.pick(traits)]], forbidden: [] } : group;
}

function randomDemands(
  dice: Dice,
  forest: readonly PlainProvider[],
  minor: number,
): Omit<PlainGroup, 'suffix' | 'resources'> {
  const any = (): string[] =>
    minor >= 39 && dice.chance(0.5) ? dice.shuffled(traits).slice(0, 2) : [dice.pick(traits)];
  const required =
    minor >= 17 && dice.chance(0.3) ? Array.from({ length: dice.between(1, 2) }, any) : [];
  const forbidden = minor >= 22 && dice.chance(0.2) ? [dice.pick(traits)] : [];
  const sets = (): string[] => dice.shuffled(aggregates).slice(0, dice.pick([1, 1, 2]));
  const memberOf =
    minor >= 21 && dice.chance(0.25)
      ? Array.from({ length: minor >= 24 ? dice.between(1, 2) : 1 }, sets)
      : [];
  return {
    // A set of which all are forbidden would be refused.
    required: required.filter((set) => !set.every((trait) => forbidden.includes(trait))),
    forbidden,
    memberOf,
    notMemberOf: minor >= 32 && dice.chance(0.15) ? sets() : [],
    inTree:
      minor >= 31 && dice.chance(0.15)
        ? dice.chance(0.05)
          ? providerUuid(999)
          : dice.pick(forest).uuid
        : undefined,
  };
}

/** The request as a client writes it, with its parameters in any order. */
export function queryOf(
  dice: Dice,
  { minor, groups, isolate, rootRequired, rootForbidden, subtrees }: PlainRequest,
): string {
  const pairs = groups.flatMap((group) => pairsOf(dice, group, minor));
  if (isolate) pairs.push(['group_policy', 'isolate']);
  else if (groups.filter(({ suffix }) => suffix !== '').length > 1)
    pairs.push(['group_policy', 'none']);
  const root = [...rootRequired, ...rootForbidden.map((trait) => `!${trait}`)];
  if (root.length) pairs.push(['root_required', root.join()]);
  for (const suffixes of subtrees) pairs.push(['same_subtree', suffixes.join()]);
  return dice
    .shuffled(pairs)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}

function pairsOf(dice: Dice, group: PlainGroup, minor: number): [string, string][] {
  const { suffix, resources, required, forbidden, memberOf, notMemberOf, inTree } = group;
  const pairs: [string, string][] = [];
  const amounts = Object.entries(resources).map(([name, amount]) => `${name}:${amount}`);
  if (amounts.length) pairs.push([`resources${suffix}`, amounts.join()]);
  const plain = [
    ...required.filter((set) => set.length === 1).flat(),
    ...forbidden.map((trait) => `!${trait}`),
  ];
  if (plain.length) pairs.push([`required${suffix}`, dice.shuffled(plain).join()]);
  for (const set of required.filter(({ length }) => length > 1))
    pairs.push([`required${suffix}`, `in:${set.join()}`]);
  for (const set of memberOf)
    pairs.push([`member_of${suffix}`, set.length > 1 ? `in:${set.join()}` : set[0]!]);
  if (notMemberOf.length)
    pairs.push([
      `member_of${suffix}`,
      notMemberOf.length > 1 ? `!in:${notMemberOf.join()}` : `!${notMemberOf[0]}`,
    ]);
  if (inTree !== undefined && minor >= 31) pairs.push([`in_tree${suffix}`, inTree]);
  return pairs;
}
