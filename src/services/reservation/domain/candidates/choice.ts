// Selects hosts among the suitable ones: whole hosts, or slots on hosts. Upstream: host_plugin.py
// and instance_plugin.py.
import type { Host } from '../../model.ts';
import type { HostEvaluation } from './evaluations.ts';

/** The number of slots on each host, by host id. */
export type Slots = ReadonlyMap<number, number>;

/** The number of hosts to choose, and the hosts to keep if they are suitable. */
export interface HostChoice {
  readonly min: number;
  readonly max: number;
  readonly kept?: readonly number[];
}

/**
 * Chooses whole hosts. Hosts without any reservation have priority: if there are at least `min` of
 * them, no others are chosen.
 * @returns undefined if there are fewer than `min` suitable hosts
 */
export function chooseHosts(
  evaluations: readonly HostEvaluation[],
  { min, max, kept = [] }: HostChoice,
): Slots | undefined {
  const keptIds = kept
    .filter((id) => evaluations.some(({ host, slots }) => host.id === id && slots > 0))
    .slice(0, max);
  const free = evaluations.filter(({ host, slots }) => slots > 0 && !keptIds.includes(host.id));
  const [least, most] = [Math.max(0, min - keptIds.length), max - keptIds.length];
  const unreserved = free.filter(({ inUse }) => !inUse);
  const others = free.filter(({ inUse }) => inUse);
  const chosen =
    unreserved.length >= least
      ? unreserved
      : free.length >= least
        ? [...others, ...unreserved]
        : undefined;
  return (
    chosen &&
    new Map([...keptIds, ...chosen.slice(0, most).map(({ host }) => host.id)].map((id) => [id, 1]))
  );
}

/** The number of slots to choose, their affinity, and the slots to keep if possible. */
export interface SlotChoice {
  readonly amount: number;
  readonly affinity: boolean | null;
  readonly kept?: Slots;
}

/**
 * Chooses slots, first on the hosts to keep, then on hosts with other reservations, then on empty
 * hosts. Without affinity, fills one host after another. With affinity, takes all slots from one
 * host; with anti-affinity, takes one slot from each host.
 * @returns undefined if there are not enough slots
 */
export function chooseSlots(
  evaluations: readonly HostEvaluation[],
  { amount, affinity, kept = new Map() }: SlotChoice,
): Slots | undefined {
  const free = evaluations.filter(({ slots }) => slots > 0);
  const rank = ({ host, inUse }: HostEvaluation): number => (kept.has(host.id) ? 0 : inUse ? 1 : 2);
  const ranked = free.toSorted((a, b) => rank(a) - rank(b) || a.host.id - b.host.id);
  if (affinity === true) {
    const first = ranked.find(({ slots }) => slots >= amount);
    return first && new Map([[first.host.id, amount]]);
  }
  if (affinity === false) {
    return ranked.length < amount
      ? undefined
      : new Map(ranked.slice(0, amount).map(({ host }) => [host.id, 1]));
  }
  const chosen = new Map<number, number>();
  let remaining = amount;
  const choose = (id: number, most: number): void => {
    const count = Math.min(remaining, most);
    if (count > 0) chosen.set(id, (chosen.get(id) ?? 0) + count);
    remaining -= Math.max(0, count);
  };
  // The slots to keep are chosen on all hosts before any host is filled.
  for (const { host, slots } of ranked) choose(host.id, Math.min(slots, kept.get(host.id) ?? 0));
  for (const { host, slots } of ranked) choose(host.id, slots - (chosen.get(host.id) ?? 0));
  return remaining ? undefined : chosen;
}

/** The hosts of evaluations that a choice has slots on. */
export const chosenHosts = (evaluations: readonly HostEvaluation[], chosen: Slots): Host[] =>
  evaluations.flatMap(({ host }) => (chosen.has(host.id) ? host : []));
