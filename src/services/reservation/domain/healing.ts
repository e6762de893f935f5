// Healing: moves reservations from failed hosts to others, and marks leases as degraded. Upstream:
// blazar/monitor and healing in host_plugin.py.
import { SECOND } from '../../../kernel/clock.ts';
import { attempt } from '../../../kernel/context.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { cancel, schedule } from '../../../kernel/jobs/queue.ts';
import type { Context, Round } from '../../../kernel/model.ts';
import { listHypervisors } from '../clients/compute.ts';
import {
  allocationsOf,
  listAllocations,
  replaceAllocations,
  slotsOf,
} from '../store/allocations.ts';
import { listHosts, setReservable } from '../store/hosts.ts';
import { findLease, updateLease } from '../store/leases.ts';
import { updateReservation } from '../store/reservations.ts';
import { minute } from './dates.ts';
import { removeFailedHost } from './failed-hosts.ts';
import { hostType, type Host, type Lease, type Reservation, type WholeLease } from '../model.ts';
import { recordRefusal } from './explanation/record.ts';
import { RefusedReservation } from './refusals.ts';
import { resourceTypeOf } from './resources/index.ts';
import { loadSettings } from './settings.ts';

const jobKind = 'reservation.watch_hosts';

/** Checks the hosts, again and again as long as monitoring is enabled. */
export async function watchHosts(context: Context): Promise<Round | undefined> {
  const { monitorInterval } = await loadSettings(context);
  const hasChanged = await checkHosts(context);
  if (!monitorInterval) return undefined;
  const interval = monitorInterval * SECOND;
  return hasChanged ? { interval } : { interval, steadyUntil: Infinity };
}

/** Starts, stops or reschedules the monitoring of hosts after a change of the setting. */
export const applyMonitorInterval = async (context: Context): Promise<void> =>
  rescheduleCheck(context, (await loadSettings(context)).monitorInterval);

/** Replaces the scheduled check by one after the interval, in seconds; by none if it is 0. */
async function rescheduleCheck({ db, now }: Context, interval: number): Promise<void> {
  await cancel(db, jobKind, '');
  const period = interval * SECOND;
  if (interval) await schedule(db, { dueAt: now + period, kind: jobKind, subject: '', period });
}

/**
 * Compares the hosts with the hypervisors. A host that is down, disabled or gone has failed.
 * @returns whether any host has failed or recovered: leases change only then
 */
async function checkHosts(context: Context): Promise<boolean> {
  const healthy = new Set(
    (await listHypervisors(context))
      .filter(({ state, status }) => state === 'up' && status === 'enabled')
      .map(({ id }) => id),
  );
  const changed = (await listHosts(context.db)).filter(
    ({ id, reservable }) => reservable !== healthy.has(id),
  );
  // All failed hosts are marked first, so that no reservation moves from one to another.
  for (const host of changed)
    await setReservable(context.db, host, healthy.has(host.id), context.now);
  for (const host of changed) if (!healthy.has(host.id)) await healHost(context, host);
  return changed.length > 0;
}

/** A reservation that had slots on a failed host. */
export interface Healed {
  readonly lease: Lease;
  readonly reservation: Reservation;
  /** Whether other hosts have replaced all that it has lost. */
  readonly isWhole: boolean;
}

/** Moves the reservations on a failed host that start within the healing interval. */
async function healHost(context: Context, host: Host): Promise<Healed[]> {
  const healed: Healed[] = [];
  const { healingInterval } = await loadSettings(context);
  const horizon = healingInterval
    ? context.now + healingInterval * minute
    : Number.MAX_SAFE_INTEGER;
  for (const { leaseId, reservationId, startAt } of await listAllocations(context.db, {
    hostId: host.id,
  })) {
    if (startAt > horizon) continue;
    const whole = await findLease(context.db, leaseId);
    const reservation = whole?.reservations.find(({ id }) => id === reservationId);
    if (!whole || !reservation) continue;
    const isWhole = await healReservation(context, whole, reservation, host);
    healed.push({ lease: whole.lease, reservation, isWhole });
  }
  return healed;
}

/**
 * Lets hosts fail, and moves their reservations to others.
 * @param names the hypervisors of the hosts
 */
export async function failHosts(context: Context, names: readonly string[]): Promise<Healed[]> {
  const failed = (await listHosts(context.db)).filter((host) =>
    names.includes(host.hypervisorHostname),
  );
  for (const host of failed)
    if (host.reservable) await setReservable(context.db, host, false, context.now);
  const healed: Healed[] = [];
  for (const host of failed) healed.push(...(await healHost(context, host)));
  return healed;
}

/** @returns whether other hosts have replaced what the reservation has lost */
async function healReservation(
  context: Context,
  whole: WholeLease,
  reservation: Reservation,
  host: Host,
): Promise<boolean> {
  const { lease } = whole;
  const otherSlots = await slotsOf(context.db, reservation.id);
  otherSlots.delete(host.id);
  const isActive = reservation.status === 'active';
  if (isActive) await removeFailedHost(context, reservation, host);
  await replaceAllocations(context.db, reservation.id, lease, otherSlots);
  const replaced = await replaceHost(context, whole, reservation);
  await updateReservation(
    context.db,
    reservation,
    replaced ? (isActive ? { resourcesChanged: true } : {}) : { missingResources: true },
    context.now,
  );
  if (!replaced || isActive)
    await updateLease(
      context.db,
      (await findLease(context.db, lease.id))!.lease,
      { degraded: true },
      context.now,
    );
  return replaced;
}

/** Allocates replacements for what the reservation has lost. @returns whether there were enough */
async function replaceHost(
  context: Context,
  { lease }: WholeLease,
  reservation: Reservation,
): Promise<boolean> {
  const type = resourceTypeOf(reservation.resourceType);
  const before = await allocationsOf(context.db, reservation.id);
  try {
    // An update that only extends the dates allocates what is missing, and makes it available if
    // the lease has started.
    const span = { startAt: lease.startAt, endAt: lease.endAt };
    const updated = await attempt(context, (inner) =>
      type.update(inner, {
        lease: { ...lease, endAt: lease.endAt - 1 },
        reservation,
        span,
        values: {},
      }),
    );
    if ('error' in updated) throw updated.error;
    const after = await allocationsOf(context.db, reservation.id);
    return reservation.resourceType !== hostType || after.length > before.length;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error instanceof RefusedReservation) {
      const { id, name } = lease;
      await recordRefusal(
        context,
        { operation: 'replace_host', id, name, isMovable: false },
        error,
      );
    }
    return false;
  }
}
