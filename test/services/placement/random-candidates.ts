// Generates random forests of providers, and random requests for candidates.
import type { SeededRandom } from '../../support/seeded-random.ts';
import type {
  ReferenceGroup,
  ReferenceInventory,
  ReferenceProvider,
  ReferenceRequest,
} from './reference-search.ts';

export const classes = ['VCPU', 'MEMORY_MB', 'DISK_GB'];
export const traits = ['HW_CPU_X86_AVX', 'HW_CPU_X86_SSE', 'STORAGE_DISK_SSD'];
export const aggregates = [1, 2, 3].map(
  (digit) => `${String(digit).repeat(8)}-aaaa-4aaa-8aaa-aaaaaaaaaaaa`,
);
const sharing = 'MISC_SHARES_VIA_AGGREGATE';

/** Returns the UUID of the provider with this number. */
export const providerUuid = (number: number): string =>
  `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** Generates one to four trees of up to four providers. Parents precede their children. */
export function randomForest(random: SeededRandom): ReferenceProvider[] {
  const providers: ReferenceProvider[] = [];
  const sharers = random.chance(0.6) ? 0.25 : 0;
  for (let trees = random.between(1, 4); trees > 0; trees--) {
    const tree: ReferenceProvider[] = [];
    for (let size = random.pick([1, 1, 2, 3, 4]); size > 0; size--) {
      const parent = tree.length ? random.pick(tree).uuid : null;
      tree.push(
        randomProvider(random, providerUuid(providers.length + tree.length + 1), parent, sharers),
      );
    }
    providers.push(...tree);
  }
  return providers;
}

function randomProvider(
  random: SeededRandom,
  uuid: string,
  parent: string | null,
  sharers: number,
): ReferenceProvider {
  const inventories: Record<string, ReferenceInventory> = {};
  const used: Record<string, number> = {};
  for (const name of random.some(classes, 0.55)) {
    inventories[name] = randomInventory(random);
    if (random.chance(0.4)) used[name] = random.between(1, 5);
  }
  const own = [...random.some(traits, 0.35), ...(random.chance(sharers) ? [sharing] : [])];
  return { uuid, parent, inventories, used, traits: own, aggregates: random.some(aggregates, 0.3) };
}

function randomInventory(random: SeededRandom): ReferenceInventory {
  const total = random.between(1, 9);
  return {
    total,
    reserved: random.chance(0.25) ? random.between(0, Math.min(2, total - 1)) : 0,
    min_unit: random.chance(0.2) ? 2 : 1,
    max_unit: random.pick([2, 4, 1000, 1000]),
    step_size: random.chance(0.15) ? 2 : 1,
    allocation_ratio: random.pick([1, 1, 1, 1.5, 2, 1.1]),
  };
}

/** Generates a tree of five providers with small inventories, and a sharing provider. */
export function narrowForest(random: SeededRandom): ReferenceProvider[] {
  const providers: ReferenceProvider[] = [];
  for (let number = 1; number <= 6; number++) {
    const parent = number === 1 || number === 6 ? null : random.pick(providers).uuid;
    const { uuid, inventories } = randomProvider(random, providerUuid(number), parent, 0);
    const own = random.some(traits, 0.3);
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

/** Generates a request with so many groups that most combinations break its rules. */
export function crowdedRequest(random: SeededRandom): ReferenceRequest {
  const plain = { required: [], forbidden: [], memberOf: [], notMemberOf: [], inTree: undefined };
  const suffixes = ['1', '2', '_A', 'net-port', '5'].slice(0, random.between(4, 5));
  const class1 = random.pick(classes);
  const named = suffixes.map((suffix) => ({
    ...plain,
    suffix,
    resources: {
      [random.chance(0.8) ? class1 : random.pick(classes)]: random.pick([1, 1, 1, 2, 3]),
    },
  }));
  const required = random.chance(0.5) ? random.some(traits, 0.7).map((trait) => [trait]) : [];
  const unsuffixed = { ...plain, suffix: '', resources: { VCPU: 1, DISK_GB: 1 }, required };
  return {
    minor: 39,
    groups: random.chance(0.5) ? [unsuffixed, ...named] : named,
    isolate: random.chance(0.5),
    rootRequired: [],
    rootForbidden: [],
    subtrees: random.chance(0.5) ? [random.shuffled(suffixes).slice(0, random.between(2, 4))] : [],
  };
}

/**
 * Generates a request that is valid at a version. `quirks` includes cases in which upstream has
 * bugs that should not be copied.
 */
export function randomRequest(
  random: SeededRandom,
  forest: readonly ReferenceProvider[],
  quirks = true,
): ReferenceRequest {
  const minor = random.pick([
    10, 12, 16, 17, 21, 22, 24, 25, 27, 28, 29, 31, 32, 33, 34, 35, 36, 39, 39, 39, 39,
  ]);
  const suffixes = minor >= 33 ? ['1', '2', '_A', 'net-port'] : ['1', '2', '30'];
  const named = minor >= 25 ? random.some(suffixes, 0.35).slice(0, 3) : [];
  const groupSuffixes = named.length && random.chance(0.4) ? named : ['', ...named];
  const groups = groupSuffixes.map((suffix) => randomGroup(random, forest, suffix, minor));
  const bare =
    minor >= 36 && random.chance(0.35) ? [randomBare(random, forest, minor, quirks)] : [];
  const all = [...groups, ...bare];
  const root = minor >= 35 && random.chance(0.25) ? random.shuffled(traits) : [];
  return {
    minor,
    groups: all,
    isolate: minor >= 25 && random.chance(0.4),
    rootRequired: root.slice(0, random.between(0, 1)),
    rootForbidden: root.slice(2),
    subtrees: randomSubtrees(random, minor, all, bare),
  };
}

function randomSubtrees(
  random: SeededRandom,
  minor: number,
  all: readonly ReferenceGroup[],
  bare: readonly ReferenceGroup[],
): string[][] {
  const names = all.map(({ suffix }) => suffix).filter(Boolean);
  const must = bare.map(({ suffix }) => suffix);
  if (minor < 36 || !names.length || (!must.length && random.chance(0.5))) return [];
  const first = [...new Set([...must, ...random.some(names, 0.6)])];
  const subtrees = random.chance(0.2) ? [first, random.some(names, 0.6)] : [first];
  return subtrees.filter((set) => set.length);
}

function randomGroup(
  random: SeededRandom,
  forest: readonly ReferenceProvider[],
  suffix: string,
  minor: number,
): ReferenceGroup {
  const names = random.shuffled(classes).slice(0, random.pick([1, 1, 2, 3]));
  const resources = Object.fromEntries(names.map((name) => [name, random.pick([1, 1, 2, 3, 4])]));
  return { suffix, resources, ...randomDemands(random, forest, minor) };
}

/** Generates a group without resources, with conditions on its provider. */
function randomBare(
  random: SeededRandom,
  forest: readonly ReferenceProvider[],
  minor: number,
  quirks: boolean,
): ReferenceGroup {
  const demands = randomDemands(random, forest, minor);
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
  return mute || unlike ? { ...group, required: [[random.pick(traits)]], forbidden: [] } : group;
}

function randomDemands(
  random: SeededRandom,
  forest: readonly ReferenceProvider[],
  minor: number,
): Omit<ReferenceGroup, 'suffix' | 'resources'> {
  const any = (): string[] =>
    minor >= 39 && random.chance(0.5) ? random.shuffled(traits).slice(0, 2) : [random.pick(traits)];
  const required =
    minor >= 17 && random.chance(0.3) ? Array.from({ length: random.between(1, 2) }, any) : [];
  const forbidden = minor >= 22 && random.chance(0.2) ? [random.pick(traits)] : [];
  const sets = (): string[] => random.shuffled(aggregates).slice(0, random.pick([1, 1, 2]));
  const memberOf =
    minor >= 21 && random.chance(0.25)
      ? Array.from({ length: minor >= 24 ? random.between(1, 2) : 1 }, sets)
      : [];
  return {
    // A required set whose traits are all forbidden would be an error.
    required: required.filter((set) => !set.every((trait) => forbidden.includes(trait))),
    forbidden,
    memberOf,
    notMemberOf: minor >= 32 && random.chance(0.15) ? sets() : [],
    inTree:
      minor >= 31 && random.chance(0.15)
        ? random.chance(0.05)
          ? providerUuid(999)
          : random.pick(forest).uuid
        : undefined,
  };
}

/** Renders the query of a request, with its parameters in random order. */
export function queryOf(
  random: SeededRandom,
  { minor, groups, isolate, rootRequired, rootForbidden, subtrees }: ReferenceRequest,
): string {
  const pairs = groups.flatMap((group) => pairsOf(random, group, minor));
  if (isolate) pairs.push(['group_policy', 'isolate']);
  else if (groups.filter(({ suffix }) => suffix !== '').length > 1)
    pairs.push(['group_policy', 'none']);
  const root = [...rootRequired, ...rootForbidden.map((trait) => `!${trait}`)];
  if (root.length) pairs.push(['root_required', root.join()]);
  for (const suffixes of subtrees) pairs.push(['same_subtree', suffixes.join()]);
  return random
    .shuffled(pairs)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}

function pairsOf(random: SeededRandom, group: ReferenceGroup, minor: number): [string, string][] {
  const { suffix, resources, required, forbidden, memberOf, notMemberOf, inTree } = group;
  const pairs: [string, string][] = [];
  const amounts = Object.entries(resources).map(([name, amount]) => `${name}:${amount}`);
  if (amounts.length) pairs.push([`resources${suffix}`, amounts.join()]);
  const plain = [
    ...required.filter((set) => set.length === 1).flat(),
    ...forbidden.map((trait) => `!${trait}`),
  ];
  if (plain.length) pairs.push([`required${suffix}`, random.shuffled(plain).join()]);
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
