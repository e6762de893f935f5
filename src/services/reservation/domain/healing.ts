// Healing: hosts that fail lose their reservations to others, and leases say so. Upstream:
// blazar/monitor and healing in host_plugin.py.
import { SECOND } from '../../../kernel/clock.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { cancel, schedule } from '../../../kernel/jobs/queue.ts';
import type { Context } from '../../../kernel/model.ts';
import { listHypervisors } from '../clients/compute.ts';
import { allocationsOf, listAllocations, replaceAllocations } from '../store/allocations.ts';
import { findHost, listHosts, markHost } from '../store/hosts.ts';
import { findLease, updateLease } from '../store/leases.ts';
import { updateReservation } from '../store/reservations.ts';
import { minute } from './dates.ts';
import { leaveFailed } from './failed-hosts.ts';
import { hostType, type Host, type Reservation, type WholeLease } from '../model.ts';
import { resourceTypeOf } from './resources/index.ts';
import { changeSettings, settingsOf, type Settings } from './settings.ts';

const kind = 'reservation.watch_hosts';

/** Looks at the hosts, and again after the interval for as long as there is one. */
export async function watchHosts(context: Context): Promise<void> {
  const { monitorInterval } = await settingsOf(context);
  await cancel(context.db, kind, '');
  if (monitorInterval)
    await schedule(context.db, {
      dueAt: context.now + monitorInterval * SECOND,
      kind,
      subject: '',
    });
  await checkHosts(context);
}

/** Changes settings; the watch begins, ends or finds its new interval with them. */
export async function applySettings(
  context: Context,
  changes: Partial<Settings>,
): Promise<Settings> {
  const settings = await changeSettings(context, changes);
  await cancel(context.db, kind, '');
  if (settings.monitorInterval)
    await schedule(context.db, {
      dueAt: context.now + settings.monitorInterval * SECOND,
      kind,
      subject: '',
    });
  return settings;
}

/** Compares the hosts with the hypervisors: what is down, disabled or gone has failed. */
async function checkHosts(context: Context): Promise<void> {
  const well = new Set(
    (await listHypervisors(context))
      .filter(({ state, status }) => state === 'up' && status === 'enabled')
      .map(({ id }) => id),
  );
  const changed = (await listHosts(context.db)).filter(
    ({ id, reservable }) => reservable !== well.has(id),
  );
  // All are marked first, so that nothing goes from one that has failed to another.
  for (const host of changed) await markHost(context.db, host, well.has(host.id), context.now);
  for (const host of changed) if (!well.has(host.id)) await healHost(context, host);
}

/** Finds other hosts for what is reserved on one that has failed, as far as it begins soon. */
async function healHost(context: Context, host: Host): Promise<void> {
  const { healingInterval } = await settingsOf(context);
  const horizon = healingInterval
    ? context.now + healingInterval * minute
    : Number.MAX_SAFE_INTEGER;
  for (const { leaseId, reservationId, startAt } of await listAllocations(context.db, {
    hostId: host.id,
  })) {
    if (startAt > horizon) continue;
    const whole = await findLease(context.db, leaseId);
    const reservation = whole?.reservations.find(({ id }) => id === reservationId);
    if (whole && reservation) await healReservation(context, whole, reservation, host);
  }
}

async function healReservation(
  context: Context,
  whole: WholeLease,
  reservation: Reservation,
  host: Host,
): Promise<void> {
  const { lease } = whole;
  const before = await allocationsOf(context.db, reservation.id);
  const isActive = reservation.status === 'active';
  if (isActive) await leaveFailed(context, reservation, (await findHost(context.db, host.id))!);
  const others = new Map(
    before.filter(({ hostId }) => hostId !== host.id).map(({ hostId, slots }) => [hostId, slots]),
  );
  await replaceAllocations(context.db, reservation.id, lease, others);
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
}

/** Promises the reservation what it has lost. @returns whether that could be had */
async function replaceHost(
  context: Context,
  { lease }: WholeLease,
  reservation: Reservation,
): Promise<boolean> {
  const type = resourceTypeOf(reservation.resourceType);
  const before = await allocationsOf(context.db, reservation.id);
  try {
    // An update that changes nothing but the dates fills up what is missing, and hands it over
    // where the lease has started.
    const span = { startAt: lease.startAt, endAt: lease.endAt };
    await type.update(context, {
      lease: { ...lease, endAt: lease.endAt - 1 },
      reservation,
      span,
      values: {},
    });
    const after = await allocationsOf(context.db, reservation.id);
    return reservation.resourceType !== hostType || after.length > before.length;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return false;
  }
}
