// Computes how many more instances fit on a host, besides those that are already reserved there.
import type { Micros } from '../../../../kernel/clock.ts';
import { flavorType, maxSlots, type Amounts, type Host, type Span } from '../../model.ts';

/** The slots of a host that a reservation uses during a span of time. */
export interface Usage extends Span {
  readonly slots: number;
  /** The resources of one slot; undefined if the reservation uses the whole host. */
  readonly demand: Amounts | undefined;
}

/**
 * The capacity of a host: what Compute reports, or for reservations of flavors, the inventory in
 * Placement.
 */
export function capacityOf(host: Host, resourceType: string): Amounts {
  if (resourceType !== flavorType)
    return { VCPU: host.vcpus, MEMORY_MB: host.memoryMb, DISK_GB: host.localGb };
  return Object.fromEntries(
    Object.entries(host.stocks).map(([name, { capacity }]) => [name, capacity]),
  );
}

/** How many times a demand fits into the unused part of a capacity: up to `maxSlots`. */
export function countFits(capacity: Amounts, used: Amounts, demand: Amounts): number {
  const times = Object.entries(demand)
    .filter(([, amount]) => amount > 0)
    .map(([name, amount]) => Math.floor(((capacity[name] ?? 0) - (used[name] ?? 0)) / amount));
  return Math.max(0, Math.min(maxSlots, ...times));
}

/** The time of a span at which the fewest slots are free. */
export interface TightestMoment {
  readonly slots: number;
  readonly at: Micros;
  /** The amounts that are used at that time. */
  readonly used: Amounts;
}

/**
 * Finds the time at which the fewest slots are free. Their number is free throughout the span.
 * @param usages none of a whole host
 */
export function tightestMoment(
  capacity: Amounts,
  demand: Amounts,
  usages: readonly Usage[],
  { startAt, endAt }: Span,
): TightestMoment {
  const overlapping = usages.filter((usage) => usage.endAt > startAt && usage.startAt < endAt);
  // Usage grows only when a reservation starts, so these are the only times to check.
  const moments = new Set([
    startAt,
    ...overlapping.map((usage) => usage.startAt).filter((time) => time > startAt),
  ]);
  let tightest: TightestMoment | undefined;
  for (const at of moments) {
    const used: Record<string, number> = {};
    for (const usage of overlapping) {
      if (usage.startAt > at || usage.endAt <= at) continue;
      for (const [name, amount] of Object.entries(usage.demand!))
        used[name] = (used[name] ?? 0) + amount * usage.slots;
    }
    const slots = countFits(capacity, used, demand);
    if (!tightest || slots < tightest.slots) tightest = { slots, at, used };
  }
  return tightest!;
}
