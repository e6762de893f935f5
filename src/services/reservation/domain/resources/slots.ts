// Slots of hosts, as reservations of instances and of flavors have them: a class in Placement,
// inventories on the hosts, an aggregate, access to the flavor.
import { ApiError } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import {
  allowFlavor,
  createAggregate,
  deleteAggregate,
  deleteFlavor,
  deleteServerGroup,
  deleteServersOfFlavor,
  disallowFlavor,
  joinAggregate,
} from '../../clients/compute.ts';
import {
  classFor,
  createReservationClass,
  deleteInventory,
  deleteReservationClass,
  putInventory,
} from '../../clients/placement.ts';
import { allocationsOf, deleteAllocations, replaceAllocations } from '../../store/allocations.ts';
import { countPromises, findHosts } from '../../store/hosts.ts';
import { updateReservation } from '../../store/reservations.ts';
import { chooseSlots, type Slots } from '../candidates/choice.ts';
import { judge, notEnoughHosts, type Verdict } from '../candidates/verdicts.ts';
import type { InstanceDetails, Reservation } from '../../model.ts';
import { settingsOf } from '../settings.ts';
import type { Reserved } from './types.ts';

type Mine = Reserved<InstanceDetails>;

/** Promises slots, those that it has first. @throws 500 where there are too few */
export async function promiseSlots(
  context: Context,
  { lease, reservation }: Mine,
  kept?: Slots,
): Promise<void> {
  const { details, resourceType, id } = reservation;
  const { startAt, endAt } = lease;
  const verdicts = await judge(context, { resourceType, details, startAt, endAt, without: id });
  const { amount, affinity } = details;
  const chosen = chooseSlots(verdicts, { amount, affinity, ...(kept ? { kept } : {}) });
  if (!chosen) throw notEnoughHosts(verdicts);
  await writeSlots(context, { lease, reservation }, chosen, verdicts);
}

/**
 * Writes down who has which slots, for the lease's dates. Verdicts are given where they were chosen
 * anew.
 */
export async function writeSlots(
  { db }: Context,
  { lease, reservation }: Mine,
  slots: Slots,
  verdicts: readonly Verdict[] = [],
): Promise<void> {
  await countPromises(
    db,
    verdicts.flatMap(({ host }) => (slots.has(host.id) ? host : [])),
  );
  await replaceAllocations(db, reservation.id, lease, slots);
}

/** What the flavor of a reservation says beyond its figures. */
export const flavorSpecs = (
  id: string,
  strict: boolean,
  serverGroupId: string | null,
): Record<string, string> => ({
  ...(strict ? {} : { 'aggregate_instance_extra_specs:reservation': id }),
  [`resources:${classFor(id)}`]: '1',
  ...(serverGroupId === null ? {} : { affinity_id: serverGroupId }),
});

/** Makes the aggregate, unless the operator is strict, and the class. */
export async function prepareSlots(
  context: Context,
  { lease, reservation }: Mine,
): Promise<Reservation<InstanceDetails>> {
  const { id, details } = reservation;
  const { strict } = await settingsOf(context);
  const group: Record<string, string> =
    details.serverGroupId === null ? {} : { affinity_id: details.serverGroupId };
  const metadata = {
    reservation: id,
    filter_tenant_id: lease.projectId,
    'blazar:owner': lease.projectId,
    ...group,
  };
  const aggregateId = strict ? null : await createAggregate(context, { name: id, metadata });
  await createReservationClass(context, id);
  return updateReservation(
    context.db,
    reservation,
    { details: { ...details, aggregateId } },
    context.now,
  );
}

/** Shows the flavor to the project, and opens the slots in Placement. */
export async function startSlots(context: Context, { lease, reservation }: Mine): Promise<boolean> {
  await allowFlavor(context, reservation.id, lease.projectId);
  await openSlots(context, { lease, reservation });
  return true;
}

/** Opens the slots on the hosts where there are more or less than before. */
export async function openSlots(
  context: Context,
  { reservation }: Mine,
  before: Slots = new Map(),
): Promise<void> {
  const { id, details } = reservation;
  const slots = new Map(
    (await allocationsOf(context.db, id)).map((one) => [one.hostId, one.slots]),
  );
  for (const host of await findHosts(context.db, [...slots.keys()])) {
    const total = slots.get(host.id)!;
    if (details.aggregateId !== null && !before.has(host.id))
      await joinAggregate(context, details.aggregateId, host.serviceName);
    if (before.get(host.id) !== total)
      await putInventory(context, host.hypervisorHostname, id, total);
  }
}

/** Takes everything back: servers first, because the slots that they use cannot go before them. */
export async function endSlots(context: Context, { lease, reservation }: Mine): Promise<boolean> {
  const { id, details } = reservation;
  await disallowFlavor(context, id, lease.projectId);
  if (!(await deleteServersOfFlavor(context, id))) return false;
  const hosts = await findHosts(
    context.db,
    (await allocationsOf(context.db, id)).map(({ hostId }) => hostId),
  );
  await deleteAllocations(context.db, id);
  if (details.serverGroupId !== null) await deleteServerGroup(context, details.serverGroupId);
  await deleteFlavor(context, id);
  if (details.aggregateId !== null) await deleteAggregate(context, details.aggregateId);
  // What somebody else has put on the class stays with them: upstream lets these fail as well.
  for (const { hypervisorHostname } of hosts)
    await unlessUsed(deleteInventory(context, hypervisorHostname, id));
  await unlessUsed(deleteReservationClass(context, id));
  return true;
}

async function unlessUsed(asked: Promise<void>): Promise<void> {
  await asked.catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 409)) throw error;
  });
}
