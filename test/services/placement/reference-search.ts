// A reference implementation of GET /allocation_candidates: slow and simple, it enumerates all
// combinations and works with names instead of ids.

export interface ReferenceInventory {
  readonly total: number;
  readonly reserved: number;
  readonly min_unit: number;
  readonly max_unit: number;
  readonly step_size: number;
  readonly allocation_ratio: number;
}

export interface ReferenceProvider {
  readonly uuid: string;
  readonly parent: string | null;
  readonly inventories: Readonly<Record<string, ReferenceInventory>>;
  readonly used: Readonly<Record<string, number>>;
  readonly traits: readonly string[];
  readonly aggregates: readonly string[];
}

export interface ReferenceGroup {
  /** Empty for the group that several providers can serve. */
  readonly suffix: string;
  readonly resources: Readonly<Record<string, number>>;
  readonly required: readonly (readonly string[])[];
  readonly forbidden: readonly string[];
  readonly memberOf: readonly (readonly string[])[];
  readonly notMemberOf: readonly string[];
  readonly inTree: string | undefined;
}

export interface ReferenceRequest {
  /** The minor number of the microversion. */
  readonly minor: number;
  readonly groups: readonly ReferenceGroup[];
  readonly isolate: boolean;
  readonly rootRequired: readonly string[];
  readonly rootForbidden: readonly string[];
  readonly subtrees: readonly (readonly string[])[];
}

type Amounts = Record<string, number>;

export interface ReferenceCandidate {
  readonly allocations: Record<string, Amounts>;
  readonly mappings: Record<string, string[]>;
}

export interface ReferenceAnswer {
  readonly candidates: ReferenceCandidate[];
  /** The providers that the summaries show. */
  readonly shown: string[];
}

/** A way to serve one group in one tree. */
interface Choice {
  readonly anchor: string;
  readonly suffix: string;
  readonly parts: readonly {
    readonly rp: ReferenceProvider;
    readonly rc: string;
    readonly amount: number;
  }[];
  readonly serving: readonly ReferenceProvider[];
}

/** A choice for each group, all in the same tree. */
export interface Combination {
  readonly root: string;
  readonly choices: readonly Choice[];
}

const sharingTrait = 'MISC_SHARES_VIA_AGGREGATE';

/** Lists all combinations of one item of each list. */
function product<T>(lists: readonly (readonly T[])[]): T[][] {
  return lists.reduce<T[][]>(
    (rows, list) => rows.flatMap((row) => list.map((item) => [...row, item])),
    [[]],
  );
}

const intersects = (left: readonly string[], right: readonly string[]): boolean =>
  left.some((item) => right.includes(item));

/** A set of provider trees that can be searched for candidates. */
export class ReferenceForest {
  readonly providers: readonly ReferenceProvider[];

  constructor(providers: readonly ReferenceProvider[]) {
    this.providers = providers;
  }

  candidates(request: ReferenceRequest): ReferenceAnswer {
    const found = new Map<string, ReferenceCandidate>();
    for (const { choices } of this.combinations(request)) {
      const candidate = this.candidateOf(choices, request);
      if (candidate) found.set(canonical(candidate), candidate);
    }
    const candidates = [...found.values()];
    return { candidates, shown: this.shown(candidates, request.minor) };
  }

  /** Generates the combinations of a choice for each group, by the root of the tree. */
  *combinations(request: ReferenceRequest): Generator<Combination, void> {
    const unknownTree = request.groups.some(
      ({ inTree }) => inTree !== undefined && !this.providers.some(({ uuid }) => uuid === inTree),
    );
    if (unknownTree) return;
    const perGroup = request.groups.map((group) =>
      group.suffix === '' ? this.choicesOfUnsuffixed(group) : this.choicesOfSuffixed(group),
    );
    for (const { uuid: root, parent, traits } of this.providers) {
      if (
        parent !== null ||
        !request.rootRequired.every((trait) => traits.includes(trait)) ||
        intersects(request.rootForbidden, traits)
      )
        continue;
      const own = perGroup.map((all) => all.filter(({ anchor }) => anchor === root));
      for (const choices of product(own)) yield { root, choices };
    }
  }

  /** The candidate of a combination; undefined if the combination is not valid. */
  candidateOf(
    choices: readonly Choice[],
    request: ReferenceRequest,
  ): ReferenceCandidate | undefined {
    if (!this.isValid(choices, request)) return undefined;
    const candidate = this.merge(choices);
    return request.minor < 29 && this.usesTreeTwice(candidate) ? undefined : candidate;
  }

  private of(uuid: string): ReferenceProvider {
    return this.providers.find((provider) => provider.uuid === uuid)!;
  }

  rootOf(rp: ReferenceProvider): string {
    return rp.parent === null ? rp.uuid : this.rootOf(this.of(rp.parent));
  }

  private isSameOrAncestor(upper: ReferenceProvider, lower: ReferenceProvider): boolean {
    return (
      upper === lower ||
      (lower.parent !== null && this.isSameOrAncestor(upper, this.of(lower.parent)))
    );
  }

  private shares(rp: ReferenceProvider): boolean {
    return rp.traits.includes(sharingTrait);
  }

  /** Lists the roots of all trees that have an aggregate in common with the provider. */
  private sharedRoots(rp: ReferenceProvider): string[] {
    return this.providers
      .filter((other) => intersects(other.aggregates, rp.aggregates))
      .map((other) => this.rootOf(other));
  }

  /** Whether a provider has as much of a class free. */
  fits(rp: ReferenceProvider, rc: string, amount: number): boolean {
    const inventory = rp.inventories[rc];
    if (!inventory) return false;
    const { total, reserved, allocation_ratio, min_unit, max_unit, step_size } = inventory;
    const free = (rp.used[rc] ?? 0) + amount <= (total - reserved) * allocation_ratio;
    return free && min_unit <= amount && amount <= max_unit && amount % step_size === 0;
  }

  private inAggregates(rp: ReferenceProvider, group: ReferenceGroup): boolean {
    return group.memberOf.every((any) => intersects(any, rp.aggregates));
  }

  /** Lists the choices of a group with a suffix: single providers that meet all its conditions. */
  private choicesOfSuffixed(group: ReferenceGroup): Choice[] {
    const { suffix, resources, required, forbidden, notMemberOf, inTree } = group;
    const serving = this.providers.filter(
      (rp) =>
        Object.entries(resources).every(([rc, amount]) => this.fits(rp, rc, amount)) &&
        required.every((any) => intersects(any, rp.traits)) &&
        !intersects(forbidden, rp.traits) &&
        this.inAggregates(rp, group) &&
        !intersects(notMemberOf, rp.aggregates) &&
        (inTree === undefined || this.rootOf(rp) === this.rootOf(this.of(inTree))),
    );
    return serving.flatMap((rp) => {
      const anchors = new Set([this.rootOf(rp), ...(this.shares(rp) ? this.sharedRoots(rp) : [])]);
      const parts = Object.entries(resources).map(([rc, amount]) => ({ rp, rc, amount }));
      return [...anchors].map((anchor) => ({ anchor, suffix, parts, serving: [rp] }));
    });
  }

  /**
   * Lists the choices of the group without a suffix: each class may come from any provider of the
   * tree, or sharing with it.
   */
  private choicesOfUnsuffixed(group: ReferenceGroup): Choice[] {
    const { resources, required, forbidden } = group;
    const choices: Choice[] = [];
    for (const root of this.providers.filter(({ parent }) => parent === null)) {
      const lists = Object.entries(resources).map(([rc, amount]) =>
        this.providers
          .filter((rp) => this.serves(rp, root, group) && this.fits(rp, rc, amount))
          .map((rp) => ({ rp, rc, amount })),
      );
      for (const parts of product(lists)) {
        const serving = [...new Set(parts.map(({ rp }) => rp))];
        const traits = serving.flatMap((rp) => rp.traits);
        if (intersects(forbidden, traits) || !required.every((any) => intersects(any, traits)))
          continue;
        choices.push({ anchor: root.uuid, suffix: '', parts, serving });
      }
    }
    return choices;
  }

  /** Whether a provider can serve the group without a suffix in the tree of `root`. */
  private serves(rp: ReferenceProvider, root: ReferenceProvider, group: ReferenceGroup): boolean {
    const own = this.rootOf(rp) === root.uuid;
    const { inTree, memberOf, notMemberOf } = group;
    if (inTree !== undefined && (!own || this.rootOf(this.of(inTree)) !== root.uuid)) return false;
    const shared =
      this.shares(rp) && this.sharedRoots(rp).includes(root.uuid) && this.inAggregates(rp, group);
    if (!own && !shared) return false;
    if (memberOf.length && !this.inAggregates(rp, group) && !this.inAggregates(root, group))
      return false;
    return !intersects(notMemberOf, rp.aggregates) && !intersects(notMemberOf, root.aggregates);
  }

  /** Checks the conditions on all groups: the group policy, the subtrees and the total amounts. */
  private isValid(choices: readonly Choice[], request: ReferenceRequest): boolean {
    const suffixed = choices.filter(({ suffix }) => suffix !== '');
    if (
      request.isolate &&
      new Set(suffixed.map(({ serving }) => serving[0])).size !== suffixed.length
    )
      return false;
    for (const suffixes of request.subtrees) {
      const members = suffixed
        .filter(({ suffix }) => suffixes.includes(suffix))
        .map(({ serving }) => serving[0]!);
      if (!members.some((upper) => members.every((lower) => this.isSameOrAncestor(upper, lower))))
        return false;
    }
    return Object.entries(this.merge(choices).allocations).every(([uuid, amounts]) =>
      this.canAllocate(this.of(uuid), amounts),
    );
  }

  private canAllocate(rp: ReferenceProvider, amounts: Amounts): boolean {
    return Object.entries(amounts).every(([rc, amount]) => {
      const { total, reserved, allocation_ratio, max_unit } = rp.inventories[rc]!;
      return (
        (rp.used[rc] ?? 0) + amount <= Math.trunc((total - reserved) * allocation_ratio) &&
        amount <= max_unit
      );
    });
  }

  private merge(choices: readonly Choice[]): ReferenceCandidate {
    const allocations: Record<string, Amounts> = {};
    for (const { rp, rc, amount } of choices.flatMap(({ parts }) => parts)) {
      const amounts = (allocations[rp.uuid] ??= {});
      amounts[rc] = (amounts[rc] ?? 0) + amount;
    }
    return {
      allocations,
      mappings: Object.fromEntries(
        choices.map(({ suffix, serving }) => [suffix, serving.map(({ uuid }) => uuid)]),
      ),
    };
  }

  private usesTreeTwice({ allocations }: ReferenceCandidate): boolean {
    const roots = Object.keys(allocations).map((uuid) => this.rootOf(this.of(uuid)));
    return new Set(roots).size < roots.length;
  }

  /** The providers in the summaries: whole trees from 1.29 on, before only those allocated from. */
  private shown(candidates: readonly ReferenceCandidate[], minor: number): string[] {
    const allocated = new Set(candidates.flatMap(({ allocations }) => Object.keys(allocations)));
    const roots = new Set([...allocated].map((uuid) => this.rootOf(this.of(uuid))));
    return this.providers
      .filter((rp) => (minor < 29 ? allocated.has(rp.uuid) : roots.has(this.rootOf(rp))))
      .map(({ uuid }) => uuid);
  }
}

/**
 * Renders a candidate as text, which is equal for equal candidates. Before 1.34 mappings are part
 * of it, although replies do not show them.
 */
export function canonical(
  { allocations, mappings }: ReferenceCandidate,
  withMappings = true,
): string {
  const amounts = Object.entries(allocations)
    .map(
      ([uuid, resources]) =>
        `${uuid} ${Object.entries(resources)
          .map(([rc, amount]) => `${rc}:${amount}`)
          .sort()
          .join()}`,
    )
    .sort();
  const serving = Object.entries(mappings)
    .map(([suffix, uuids]) => `${suffix}=${[...uuids].sort().join()}`)
    .sort();
  return [...amounts, ...(withMappings ? serving : [])].join(' | ');
}
