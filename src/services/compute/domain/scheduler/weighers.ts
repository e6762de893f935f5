// The scheduler's weighers. Each gives every host a weight; the weights are normalized, multiplied
// and summed. Upstream: nova/scheduler/weights.
import type { HostState } from './hosts.ts';
import type { Multiplier } from './multipliers.ts';
import type { RequestSpec } from './request-spec.ts';

export interface Weigher {
  readonly name: string;
  /** The setting with the multiplier of its weights. */
  readonly multiplier: Multiplier;
  weigh(host: HostState, spec: RequestSpec): number;
}

/**
 * All weighers. By default they prefer hosts with the most free resources and the fewest running
 * tasks, and follow the soft policies of server groups.
 */
export const weighers: readonly Weigher[] = [
  {
    name: 'ram',
    multiplier: 'ramWeightMultiplier',
    weigh: ({ free }) => free['MEMORY_MB'] ?? 0,
  },
  { name: 'cpu', multiplier: 'cpuWeightMultiplier', weigh: ({ free }) => free['VCPU'] ?? 0 },
  { name: 'disk', multiplier: 'diskWeightMultiplier', weigh: ({ free }) => free['DISK_GB'] ?? 0 },
  { name: 'io', multiplier: 'ioOpsWeightMultiplier', weigh: ({ busy }) => busy },
  {
    name: 'soft-affinity',
    multiplier: 'softAffinityWeightMultiplier',
    weigh: ({ members }, { group }) => (group?.policy === 'soft-affinity' ? members : 0),
  },
  {
    name: 'soft-anti-affinity',
    multiplier: 'softAntiAffinityWeightMultiplier',
    weigh: ({ members }, { group }) => (group?.policy === 'soft-anti-affinity' ? -members : 0),
  },
];

/**
 * Lists hosts by weight, best first. Hosts of equal weight keep their order. It sorts them only for
 * a caller that wants more than the first, because that is rarely full.
 */
export function* byWeight(hosts: readonly HostState[], spec: RequestSpec): Generator<HostState> {
  if (!hosts.length) return;
  const weights = weightsOf(hosts, spec);
  const best = indexOfGreatest(weights);
  yield hosts[best]!;
  const others = [...hosts.keys()].filter((index) => index !== best);
  others.sort((one, other) => weights[other]! - weights[one]!);
  for (const index of others) yield hosts[index]!;
}

/** The first of the hosts with the greatest weight; undefined if the list is empty. */
export const heaviest = (hosts: readonly HostState[], spec: RequestSpec): HostState | undefined =>
  hosts[indexOfGreatest(weightsOf(hosts, spec))];

function indexOfGreatest(weights: Float64Array): number {
  let best = 0;
  for (let index = 1; index < weights.length; index++)
    if (weights[index]! > weights[best]!) best = index;
  return best;
}

/** The weights of hosts of which few change between two selections. */
export class KeptWeights {
  private readonly hosts: readonly HostState[];
  private readonly spec: RequestSpec;
  private readonly parts: readonly (readonly [Weigher, Float64Array])[];

  constructor(hosts: readonly HostState[], spec: RequestSpec) {
    this.hosts = hosts;
    this.spec = spec;
    this.parts = weighers.map((weigher) => [weigher, rawWeights(weigher, hosts, spec)]);
  }

  /** Weighs a host again, after its state has changed. */
  update(index: number): void {
    for (const [weigher, weights] of this.parts)
      weights[index] = weigher.weigh(this.hosts[index]!, this.spec);
  }

  /** The index of the first host with the greatest weight. */
  heaviest(): number {
    const totals = new Float64Array(this.hosts.length);
    for (const [weigher, weights] of this.parts)
      addNormalized(weights, multiplierOf(weigher, this.hosts, this.spec), totals);
    return indexOfGreatest(totals);
  }
}

/** The total weight of each host. */
function weightsOf(hosts: readonly HostState[], spec: RequestSpec): Float64Array {
  const totals = new Float64Array(hosts.length);
  for (const weigher of weighers)
    addNormalized(rawWeights(weigher, hosts, spec), multiplierOf(weigher, hosts, spec), totals);
  return totals;
}

/** What each weigher adds to the weight of each host. */
export function weightParts(
  hosts: readonly HostState[],
  spec: RequestSpec,
): ReadonlyMap<string, Float64Array> {
  return new Map(
    weighers.map((weigher) => {
      const weights = new Float64Array(hosts.length);
      addNormalized(rawWeights(weigher, hosts, spec), multiplierOf(weigher, hosts, spec), weights);
      return [weigher.name, weights];
    }),
  );
}

/** What a weigher says of each host. */
function rawWeights(
  weigher: Weigher,
  hosts: readonly HostState[],
  spec: RequestSpec,
): Float64Array {
  const weights = new Float64Array(hosts.length);
  for (let index = 0; index < hosts.length; index++)
    weights[index] = weigher.weigh(hosts[index]!, spec);
  return weights;
}

/** The multiplier of a weigher for each host: that of its aggregates, or else the setting's. */
const multiplierOf =
  ({ multiplier }: Weigher, hosts: readonly HostState[], spec: RequestSpec) =>
  (index: number): number =>
    hosts[index]!.multipliers?.[multiplier] ?? spec.multipliers[multiplier];

/** Adds the normalized weights of a weigher, times its multipliers, to those of the hosts. */
function addNormalized(
  weights: Float64Array,
  multiplier: (index: number) => number,
  totals: Float64Array,
): void {
  let [least, greatest] = [Infinity, -Infinity];
  for (const weight of weights) {
    if (weight < least) least = weight;
    if (weight > greatest) greatest = weight;
  }
  const range = greatest - least;
  if (!range) return;
  for (let index = 0; index < weights.length; index++)
    totals[index]! += (multiplier(index) * (weights[index]! - least)) / range;
}
