// The slots of instance and flavor reservations: a resource class and inventories in Placement, an
// aggregate, and access to a flavor.
import { ApiError } from '../../../../kernel/errors.ts';
import { pipelined } from '../../../../kernel/db/pipelined.ts';
import type { Context } from '../../../../kernel/model.ts';
import {
  addFlavorAccess,
  createAggregate,
  deleteAggregate,
  deleteFlavor,
  deleteServerGroup,
  deleteServersOfFlavor,
  removeFlavorAccess,
  addAggregateHost,
} from '../../clients/compute.ts';
import {
  reservationClass,
  createReservationClass,
  deleteInventory,
  deleteReservationClass,
  putInventory,
} from '../../clients/placement.ts';
import {
  deleteAllocations,
  insertAllocations,
  replaceAllocations,
  slotsOf,
} from '../../store/allocations.ts';
import { bumpHostRevisions, findHosts } from '../../store/hosts.ts';
import { updateReservation } from '../../store/reservations.ts';
import { chooseSlots, chosenHosts, type Slots } from '../candidates/choice.ts';
import { evaluateHosts, type HostEvaluation } from '../candidates/evaluations.ts';
import { notEnoughHosts } from '../candidates/refusals.ts';
import type { Wanted } from '../candidates/wanted.ts';
import type { InstanceDetails, Reservation } from '../../model.ts';
import { loadSettings } from '../settings.ts';
import type { LeasedReservation } from './types.ts';

/**
 * Allocates slots.
 * @param kept the slots that the reservation has had, which it keeps if possible; undefined if the
 *   reservation is new
 * @throws 500 if there are too few
 */
export async function allocateSlots(
  context: Context,
  { lease, reservation }: LeasedReservation<InstanceDetails>,
  kept?: Slots,
): Promise<void> {
  const wanted = wantedSlots({ lease, reservation }, kept);
  const evaluations = await evaluateHosts(context, wanted.search);
  const chosen = wanted.choose(evaluations, wanted.amount);
  if (!chosen) throw notEnoughHosts(evaluations, wanted);
  await bumpHostRevisions(context.db, chosenHosts(evaluations, chosen));
  const save = kept ? replaceAllocations : insertAllocations;
  await save(context.db, reservation.id, lease, chosen);
}

/** What a reservation asks for, preferably the `kept` slots. */
export function wantedSlots(
  { lease, reservation }: LeasedReservation<InstanceDetails>,
  kept?: Slots,
): Wanted {
  const { details, resourceType, id } = reservation;
  const { startAt, endAt } = lease;
  const { affinity, amount } = details;
  return {
    search: { resourceType, details, startAt, endAt, exceptReservation: id },
    ownLease: lease.id,
    choose: (evaluations, count) =>
      chooseSlots(evaluations, { amount: count, affinity, ...(kept ? { kept } : {}) }),
    amount,
  };
}

/** What an active reservation asks for: its slots must stay where they are. */
export function wantedWithSlots(
  reserved: LeasedReservation<InstanceDetails>,
  before: Slots,
): Wanted {
  const wanted = wantedSlots(reserved, before);
  return {
    ...wanted,
    choose(evaluations, amount) {
      const chosen = wanted.choose(evaluations, amount);
      return chosen && keepsAll(before, chosen) ? chosen : undefined;
    },
    kept: [...before.values()].reduce((sum, slots) => sum + slots, 0),
  };
}

/** Whether a choice has at least the slots that a reservation has had. */
export const keepsAll = (before: Slots, chosen: Slots): boolean =>
  [...before].every(([host, slots]) => (chosen.get(host) ?? 0) >= slots);

/**
 * Replaces the allocations of a reservation, with the dates of the lease. For slots that were
 * chosen anew, `evaluations` are those that the choice depends on.
 */
export async function saveSlots(
  { db }: Context,
  { lease, reservation }: LeasedReservation<InstanceDetails>,
  slots: Slots,
  evaluations: readonly HostEvaluation[] = [],
): Promise<void> {
  await bumpHostRevisions(db, chosenHosts(evaluations, slots));
  await replaceAllocations(db, reservation.id, lease, slots);
}

/** The extra specs of a reservation's flavor. */
export const flavorSpecs = (
  id: string,
  strict: boolean,
  serverGroupId: string | null,
): Record<string, string> => ({
  ...(strict ? {} : { 'aggregate_instance_extra_specs:reservation': id }),
  [`resources:${reservationClass(id)}`]: '1',
  ...(serverGroupId === null ? {} : { affinity_id: serverGroupId }),
});

/** Creates the aggregate, unless the settings are strict, and the resource class. */
export async function prepareSlots(
  context: Context,
  { lease, reservation }: LeasedReservation<InstanceDetails>,
): Promise<Reservation<InstanceDetails>> {
  const { id, details } = reservation;
  const { strict } = await loadSettings(context);
  const group: Record<string, string> =
    details.serverGroupId === null ? {} : { affinity_id: details.serverGroupId };
  const metadata = {
    reservation: id,
    filter_tenant_id: lease.projectId,
    'blazar:owner': lease.projectId,
    ...group,
  };
  const [aggregateId] = await pipelined([
    strict ? null : createAggregate(context, { name: id, metadata }),
    createReservationClass(context, id),
  ]);
  return updateReservation(
    context.db,
    reservation,
    { details: { ...details, aggregateId } },
    context.now,
  );
}

/** Gives the project access to the flavor, and creates the inventories in Placement. */
export async function startSlots(
  context: Context,
  { lease, reservation }: LeasedReservation<InstanceDetails>,
): Promise<boolean> {
  await addFlavorAccess(context, reservation.id, lease.projectId);
  await syncInventories(context, { lease, reservation });
  return true;
}

/** Updates the inventories in Placement on the hosts whose number of slots has changed. */
export async function syncInventories(
  context: Context,
  { reservation }: LeasedReservation<InstanceDetails>,
  before: Slots = new Map(),
): Promise<void> {
  const { id, details } = reservation;
  const slots = await slotsOf(context.db, id);
  for (const host of await findHosts(context.db, slots.keys())) {
    const total = slots.get(host.id)!;
    if (details.aggregateId !== null && !before.has(host.id))
      await addAggregateHost(context, details.aggregateId, host.serviceName);
    if (before.get(host.id) !== total)
      await putInventory(context, host.hypervisorHostname, id, total);
  }
}

/**
 * Deletes everything of a reservation. Servers are deleted first, because Placement keeps
 * inventories that they use.
 * @returns whether it is done; false while servers are still being deleted
 */
export async function releaseSlots(
  context: Context,
  { lease, reservation }: LeasedReservation<InstanceDetails>,
): Promise<boolean> {
  const { id, details } = reservation;
  await removeFlavorAccess(context, id, lease.projectId);
  if (!(await deleteServersOfFlavor(context, id))) return false;
  const slots = await slotsOf(context.db, id);
  const hosts = await findHosts(context.db, slots.keys());
  await deleteAllocations(context.db, id);
  if (details.serverGroupId !== null) await deleteServerGroup(context, details.serverGroupId);
  await deleteFlavor(context, id);
  if (details.aggregateId !== null) await deleteAggregate(context, details.aggregateId);
  // Other consumers may have allocations of the class. Upstream ignores these errors too.
  for (const { hypervisorHostname } of hosts)
    await unlessInUse(deleteInventory(context, hypervisorHostname, id));
  await unlessInUse(deleteReservationClass(context, id));
  return true;
}

/** Waits for a deletion, and ignores a 409: the resource is in use. */
async function unlessInUse(deletion: Promise<void>): Promise<void> {
  await deletion.catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 409)) throw error;
  });
}
