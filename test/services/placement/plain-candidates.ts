// The answers of GET /allocation_candidates worked out the slow way: everything is enumerated,
// nothing is clever, names stand for themselves.

export interface PlainInventory {
  readonly total: number;
  readonly reserved: number;
  readonly min_unit: number;
  readonly max_unit: number;
  readonly step_size: number;
  readonly allocation_ratio: number;
}

export interface PlainProvider {
  readonly uuid: string;
  readonly parent: string | null;
  readonly inventories: Readonly<Record<string, PlainInventory>>;
  readonly used: Readonly<Record<string, number>>;
  readonly traits: readonly string[];
  readonly aggregates: readonly string[];
}

export interface PlainGroup {
  /** Empty for the group that several providers may serve together. */
  readonly suffix: string;
  readonly resources: Readonly<Record<string, number>>;
  readonly required: readonly (readonly string[])[];
  readonly forbidden: readonly string[];
  readonly memberOf: readonly (readonly string[])[];
  readonly notMemberOf: readonly string[];
  readonly inTree: string | undefined;
}

export interface PlainRequest {
  /** The second half of the microversion. */
  readonly minor: number;
  readonly groups: readonly PlainGroup[];
  readonly isolate: boolean;
  readonly rootRequired: readonly string[];
  readonly rootForbidden: readonly string[];
  readonly subtrees: readonly (readonly string[])[];
}

type Amounts = Record<string, number>;

export interface PlainCandidate {
  readonly allocations: Record<string, Amounts>;
  readonly mappings: Record<string, string[]>;
}

export interface PlainAnswer {
  readonly candidates: PlainCandidate[];
  /** The providers that the summaries show. */
  readonly shown: string[];
}

/** A way to serve one group, seen from one tree. */
interface Choice {
  readonly anchor: string;
  readonly suffix: string;
  readonly parts: readonly {
    readonly rp: PlainProvider;
    readonly rc: string;
    readonly amount: number;
  }[];
  readonly serving: readonly PlainProvider[];
}

const sharingTrait = 'MISC_SHARES_VIA_AGGREGATE';

/** All ways to choose one of each list. */
function product<T>(lists: readonly (readonly T[])[]): T[][] {
  return lists.reduce<T[][]>(
    (rows, list) => rows.flatMap((row) => list.map((item) => [...row, item])),
    [[]],
  );
}

const meets = (one: readonly string[], other: readonly string[]): boolean =>
  one.some((item) => other.includes(item));

/** A forest, and the questions that are asked of it. */
export class PlainForest {
  readonly providers: readonly PlainProvider[];

  constructor(providers: readonly PlainProvider[]) {
    this.providers = providers;
  }

  candidates(request: PlainRequest): PlainAnswer {
    const unknownTree = request.groups.some(
      ({ inTree }) => inTree !== undefined && !this.providers.some(({ uuid }) => uuid === inTree),
    );
    if (unknownTree) return { candidates: [], shown: [] };
    const perGroup = request.groups.map((group) =>
      group.suffix === '' ? this.together(group) : this.alone(group),
    );
    const found = new Map<string, PlainCandidate>();
    for (const root of this.providers.filter(({ parent }) => parent === null)) {
      if (
        !request.rootRequired.every((trait) => root.traits.includes(trait)) ||
        meets(request.rootForbidden, root.traits)
      )
        continue;
      for (const choices of product(
        perGroup.map((all) => all.filter(({ anchor }) => anchor === root.uuid)),
      )) {
        if (!this.holdTogether(choices, request)) continue;
        const candidate = this.merged(choices);
        if (request.minor < 29 && this.usesTreeTwice(candidate)) continue;
        found.set(canonical(candidate), candidate);
      }
    }
    const candidates = [...found.values()];
    return { candidates, shown: this.shown(candidates, request.minor) };
  }

  private of(uuid: string): PlainProvider {
    return this.providers.find((one) => one.uuid === uuid)!;
  }

  rootOf(rp: PlainProvider): string {
    return rp.parent === null ? rp.uuid : this.rootOf(this.of(rp.parent));
  }

  private atOrAbove(upper: PlainProvider, lower: PlainProvider): boolean {
    return (
      upper === lower || (lower.parent !== null && this.atOrAbove(upper, this.of(lower.parent)))
    );
  }

  private shares(rp: PlainProvider): boolean {
    return rp.traits.includes(sharingTrait);
  }

  /** The roots of all trees that any member of is in an aggregate of the provider. */
  private reached(rp: PlainProvider): string[] {
    return this.providers
      .filter((other) => meets(other.aggregates, rp.aggregates))
      .map((other) => this.rootOf(other));
  }

  private fits(rp: PlainProvider, rc: string, amount: number): boolean {
    const inventory = rp.inventories[rc];
    if (!inventory) return false;
    const { total, reserved, allocation_ratio, min_unit, max_unit, step_size } = inventory;
    const free = (rp.used[rc] ?? 0) + amount <= (total - reserved) * allocation_ratio;
    return free && min_unit <= amount && amount <= max_unit && amount % step_size === 0;
  }

  private inAggregates(rp: PlainProvider, group: PlainGroup): boolean {
    return group.memberOf.every((any) => meets(any, rp.aggregates));
  }

  /** A group with a suffix: one provider that has everything itself. */
  private alone(group: PlainGroup): Choice[] {
    const { suffix, resources, required, forbidden, notMemberOf, inTree } = group;
    const good = this.providers.filter(
      (rp) =>
        Object.entries(resources).every(([rc, amount]) => this.fits(rp, rc, amount)) &&
        required.every((any) => meets(any, rp.traits)) &&
        !meets(forbidden, rp.traits) &&
        this.inAggregates(rp, group) &&
        !meets(notMemberOf, rp.aggregates) &&
        (inTree === undefined || this.rootOf(rp) === this.rootOf(this.of(inTree))),
    );
    return good.flatMap((rp) => {
      const anchors = new Set([this.rootOf(rp), ...(this.shares(rp) ? this.reached(rp) : [])]);
      const parts = Object.entries(resources).map(([rc, amount]) => ({ rp, rc, amount }));
      return [...anchors].map((anchor) => ({ anchor, suffix, parts, serving: [rp] }));
    });
  }

  /**
   * The group without a suffix: each class from any provider that the tree has or that shares with
   * it.
   */
  private together(group: PlainGroup): Choice[] {
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
        if (meets(forbidden, traits) || !required.every((any) => meets(any, traits))) continue;
        choices.push({ anchor: root.uuid, suffix: '', parts, serving });
      }
    }
    return choices;
  }

  /** Whether a provider may serve the group without a suffix where `root` is the anchor. */
  private serves(rp: PlainProvider, root: PlainProvider, group: PlainGroup): boolean {
    const own = this.rootOf(rp) === root.uuid;
    const { inTree, memberOf, notMemberOf } = group;
    if (inTree !== undefined && (!own || this.rootOf(this.of(inTree)) !== root.uuid)) return false;
    const shared =
      this.shares(rp) && this.reached(rp).includes(root.uuid) && this.inAggregates(rp, group);
    if (!own && !shared) return false;
    if (memberOf.length && !this.inAggregates(rp, group) && !this.inAggregates(root, group))
      return false;
    return !meets(notMemberOf, rp.aggregates) && !meets(notMemberOf, root.aggregates);
  }

  /** What holds for all groups at once: the policy, the subtrees, and what their sums come to. */
  private holdTogether(choices: readonly Choice[], request: PlainRequest): boolean {
    const named = choices.filter(({ suffix }) => suffix !== '');
    if (request.isolate && new Set(named.map(({ serving }) => serving[0])).size !== named.length)
      return false;
    for (const suffixes of request.subtrees) {
      const members = named
        .filter(({ suffix }) => suffixes.includes(suffix))
        .map(({ serving }) => serving[0]!);
      if (!members.some((upper) => members.every((lower) => this.atOrAbove(upper, lower))))
        return false;
    }
    return Object.entries(this.merged(choices).allocations).every(([uuid, amounts]) =>
      this.holds(this.of(uuid), amounts),
    );
  }

  private holds(rp: PlainProvider, amounts: Amounts): boolean {
    return Object.entries(amounts).every(([rc, amount]) => {
      const { total, reserved, allocation_ratio, max_unit } = rp.inventories[rc]!;
      return (
        (rp.used[rc] ?? 0) + amount <= Math.trunc((total - reserved) * allocation_ratio) &&
        amount <= max_unit
      );
    });
  }

  private merged(choices: readonly Choice[]): PlainCandidate {
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

  private usesTreeTwice({ allocations }: PlainCandidate): boolean {
    const roots = Object.keys(allocations).map((uuid) => this.rootOf(this.of(uuid)));
    return new Set(roots).size < roots.length;
  }

  /** From 1.29 on whole trees, before only who would give something. */
  private shown(candidates: readonly PlainCandidate[], minor: number): string[] {
    const givers = new Set(candidates.flatMap(({ allocations }) => Object.keys(allocations)));
    const roots = new Set([...givers].map((uuid) => this.rootOf(this.of(uuid))));
    return this.providers
      .filter((rp) => (minor < 29 ? givers.has(rp.uuid) : roots.has(this.rootOf(rp))))
      .map(({ uuid }) => uuid);
  }
}

/**
 * Two candidates are the same where they read the same here. Before 1.34 mappings count, though
 * nobody sees them.
 */
export function canonical({ allocations, mappings }: PlainCandidate, withMappings = true): string {
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
