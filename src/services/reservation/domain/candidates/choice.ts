// Choosing among the hosts that nothing speaks against: whole hosts, or slots of hosts. Upstream:
// host_plugin.py and instance_plugin.py.
import type { Verdict } from './verdicts.ts';

/** How many slots of each host, by the host's number. */
export type Slots = ReadonlyMap<number, number>;

/** How many hosts are wanted, and which there are already. */
export interface HostChoice {
  readonly min: number;
  readonly max: number;
  readonly kept?: readonly number[];
}

/**
 * Chooses whole hosts: those that nobody has reserved for whenever come first. Where they are
 * enough, no others are taken.
 * @returns undefined where there are too few
 */
export function chooseHosts(
  verdicts: readonly Verdict[],
  { min, max, kept = [] }: HostChoice,
): Slots | undefined {
  const held = kept
    .filter((id) => verdicts.some(({ host, slots }) => host.id === id && slots > 0))
    .slice(0, max);
  const free = verdicts.filter(({ host, slots }) => slots > 0 && !held.includes(host.id));
  const [more, most] = [Math.max(0, min - held.length), max - held.length];
  const never = free.filter(({ inUse }) => !inUse);
  const others = free.filter(({ inUse }) => inUse);
  const chosen =
    never.length >= more ? never : free.length >= more ? [...others, ...never] : undefined;
  return (
    chosen &&
    new Map([...held, ...chosen.slice(0, most).map(({ host }) => host.id)].map((id) => [id, 1]))
  );
}

/** How many instances are wanted, how they are to lie, and where they are already. */
export interface SlotChoice {
  readonly amount: number;
  readonly affinity: boolean | null;
  readonly kept?: Slots;
}

/**
 * Chooses slots: hosts that it has already come first, then hosts that carry reservations, then
 * empty ones. Without affinity they are filled host by host; with affinity all are on one; against
 * it no two are on one.
 * @returns undefined where there are too few
 */
export function chooseSlots(
  verdicts: readonly Verdict[],
  { amount, affinity, kept = new Map() }: SlotChoice,
): Slots | undefined {
  const free = verdicts.filter(({ slots }) => slots > 0);
  const rank = ({ host, inUse }: Verdict): number => (kept.has(host.id) ? 0 : inUse ? 1 : 2);
  const ordered = free.toSorted((a, b) => rank(a) - rank(b) || a.host.id - b.host.id);
  if (affinity === true) {
    const one = ordered.find(({ slots }) => slots >= amount);
    return one && new Map([[one.host.id, amount]]);
  }
  if (affinity === false) {
    return ordered.length < amount
      ? undefined
      : new Map(ordered.slice(0, amount).map(({ host }) => [host.id, 1]));
  }
  const chosen = new Map<number, number>();
  let left = amount;
  const take = (id: number, most: number): void => {
    const taken = Math.min(left, most);
    if (taken > 0) chosen.set(id, (chosen.get(id) ?? 0) + taken);
    left -= Math.max(0, taken);
  };
  // What it has it keeps as far as it can, before any host is filled up.
  for (const { host, slots } of ordered) take(host.id, Math.min(slots, kept.get(host.id) ?? 0));
  for (const { host, slots } of ordered) take(host.id, slots - (chosen.get(host.id) ?? 0));
  return left ? undefined : chosen;
}
