// Counts how many more leases with the same reservation fit if they are created one at a time.
import type { Measured, MeasuredResource, Place } from '../../../../emulator/capacity/model.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Host } from '../../model.ts';
import { freeOn, reasonOf } from '../candidates/causes.ts';
import { evaluationsOf, type HostEvaluation } from '../candidates/evaluations.ts';
import { readHosts, type HostsRead } from '../candidates/read.ts';
import type { Wanted } from '../candidates/wanted.ts';

const noHosts = 'no host is registered (openstack reservation host create NAME)';

/** Counts the leases that fit, and their slots by host. Enforcement is not considered. */
export async function countLeases(context: Context, wanted: Wanted): Promise<Measured> {
  const { search } = wanted;
  const read = await readHosts(context, search);
  const evaluations = evaluationsOf(read, search);
  const { count, left } = takeAll(evaluations, wanted);
  const isWhole = !('demand' in search.details);
  return {
    noun: 'leases',
    count,
    limit: evaluations.length ? undefined : noHosts,
    places: evaluations.map((before) => placeOf(before, left.get(before.host.id) ?? 0, isWhole)),
    resources: resourcesOf(evaluations, read, wanted),
  };
}

/** Chooses slots for one lease at a time, until there are too few. */
function takeAll(
  evaluations: readonly HostEvaluation[],
  { choose, amount }: Wanted,
): { count: number; left: ReadonlyMap<number, number> } {
  let free = evaluations.filter(({ slots }) => slots > 0);
  let count = 0;
  for (let chosen = choose(free, amount); chosen; chosen = choose(free, amount)) {
    const slots = chosen;
    const times = timesOf(free, slots);
    count += times;
    free = free.flatMap((one) => {
      const taken = (slots.get(one.host.id) ?? 0) * times;
      if (!taken) return [one];
      return one.slots > taken ? [{ ...one, slots: one.slots - taken, inUse: true }] : [];
    });
  }
  return { count, left: new Map(free.map(({ host, slots }) => [host.id, slots])) };
}

/**
 * How many leases in succession choose the same slots: until one of the hosts has too few left. A
 * host without reservations is ranked differently after the first lease.
 */
function timesOf(free: readonly HostEvaluation[], chosen: ReadonlyMap<number, number>): number {
  const used = free.filter(({ host }) => chosen.has(host.id));
  if (used.some(({ inUse }) => !inUse)) return 1;
  return Math.min(...used.map(({ host, slots }) => Math.floor(slots / chosen.get(host.id)!)));
}

function placeOf({ host, slots, cause }: HostEvaluation, left: number, isWhole: boolean): Place {
  return {
    uuid: String(host.id),
    name: host.hypervisorHostname,
    zone: host.availabilityZone || null,
    aggregates: [],
    count: slots - left,
    reason: cause ? `the host ${reasonOf(cause)}` : leftReason(left, isWhole),
  };
}

function leftReason(left: number, isWhole: boolean): string {
  if (!left) return isWhole ? 'one of these leases has the host' : 'the host has no room left';
  return isWhole
    ? 'the host is free, but there are too few for another lease'
    : 'the host has room left, but too little for another lease';
}

/** What suitable hosts have free of each resource class. Leases of whole hosts need none. */
function resourcesOf(
  evaluations: readonly HostEvaluation[],
  read: HostsRead,
  { search, amount }: Wanted,
): MeasuredResource[] {
  if (!('demand' in search.details)) return [];
  const { demand } = search.details;
  const suitable = evaluations.filter(({ slots }) => slots > 0);
  const free = suitable.map(({ host }) => ({ host, amounts: freeOn(host, read, search, demand) }));
  return Object.entries(demand)
    .filter(([, each]) => each > 0)
    .map(([resourceClass, each]) => {
      const pieces = free.map(({ host, amounts }) => ({
        host,
        piece: amounts[resourceClass] ?? 0,
      }));
      const largest = pieces.reduce<{ host?: Host; piece: number }>(
        (most, one) => (one.piece > most.piece ? one : most),
        { piece: 0 },
      );
      return {
        resourceClass,
        requested: each * amount,
        free: pieces.reduce((sum, { piece }) => sum + piece, 0),
        largest: largest.piece,
        largestOn: largest.host?.hypervisorHostname ?? null,
      };
    });
}
