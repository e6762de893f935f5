// How many more instances fit on a host beside what is promised there already.
import { flavorType, type Amounts, type Host, type Span } from '../../model.ts';

/** What is promised on a host for a time. */
export interface Held extends Span {
  readonly slots: number;
  /** What one slot takes; nothing stands for the whole host. */
  readonly demand: Amounts | undefined;
}

/** What a host has to give: in its own figures, or for flavors in those of Placement. */
export function capacityOf(host: Host, resourceType: string): Amounts {
  if (resourceType !== flavorType)
    return { VCPU: host.vcpus, MEMORY_MB: host.memoryMb, DISK_GB: host.localGb };
  return Object.fromEntries(
    Object.entries(host.stocks).map(([name, { capacity }]) => [name, capacity]),
  );
}

/** How often a demand fits into what is left of a capacity. */
export function timesIn(capacity: Amounts, used: Amounts, demand: Amounts): number {
  const times = Object.entries(demand)
    .filter(([, amount]) => amount > 0)
    .map(([name, amount]) => Math.floor(((capacity[name] ?? 0) - (used[name] ?? 0)) / amount));
  return Math.max(0, Math.min(Number.MAX_SAFE_INTEGER, ...times));
}

/** How many slots are free at every moment of a span. */
export function freeSlots(
  capacity: Amounts,
  demand: Amounts,
  held: readonly Held[],
  { startAt, endAt }: Span,
): number {
  const meeting = held.filter((one) => one.endAt > startAt && one.startAt < endAt);
  if (meeting.some((one) => one.demand === undefined)) return 0;
  // What is used grows only where something begins.
  const moments = new Set([
    startAt,
    ...meeting.map((one) => one.startAt).filter((time) => time > startAt),
  ]);
  let free = Number.MAX_SAFE_INTEGER;
  for (const moment of moments) {
    const used: Record<string, number> = {};
    for (const one of meeting) {
      if (one.startAt > moment || one.endAt <= moment) continue;
      for (const [name, amount] of Object.entries(one.demand!))
        used[name] = (used[name] ?? 0) + amount * one.slots;
    }
    free = Math.min(free, timesIn(capacity, used, demand));
  }
  return free;
}
