// Slots of hosts, as reservations of instances and of flavors have them: a class in Placement, inventories on the hosts, an aggregate, access to the flavor.
import { Fault } from '../../../../kernel/fault.ts';
import type { Work } from '../../../../kernel/model.ts';
import {
  allowFlavor, createAggregate, deleteAggregate, deleteFlavor, deleteServerGroup, deleteServersOfFlavor, disallowFlavor, joinAggregate,
} from '../../neighbours/compute.ts'; // prettier-ignore
import {
  classFor, createReservationClass, deleteInventory, deleteReservationClass, putInventory,
} from '../../neighbours/placement.ts'; // prettier-ignore
import { allocationsOf, deleteAllocations, replaceAllocations } from '../../store/allocations.ts';
import { countPromises, findHosts } from '../../store/hosts.ts';
import { updateReservation } from '../../store/reservations.ts';
import { chooseSlots, type Slots } from '../candidates/choice.ts';
import { judge, notEnoughHosts, type Verdict } from '../candidates/verdicts.ts';
import type { InstanceDetails, Reservation } from '../records.ts';
import { settingsOf } from '../settings.ts';
import type { Reserved } from './types.ts';

type Mine = Reserved<InstanceDetails>;

/** Promises slots, those that it has first. @throws 500 where there are too few */
export async function promiseSlots(work: Work, { lease, reservation }: Mine, kept?: Slots): Promise<void> {
  const { details, resourceType, id } = reservation;
  const { startAt, endAt } = lease;
  const verdicts = await judge(work, { resourceType, details, startAt, endAt, without: id });
  const { amount, affinity } = details;
  const chosen = chooseSlots(verdicts, { amount, affinity, ...(kept ? { kept } : {}) });
  if (!chosen) throw notEnoughHosts(verdicts);
  await writeSlots(work, { lease, reservation }, chosen, verdicts);
}

/** Writes down who has which slots, for the lease's dates. Verdicts are given where they were chosen anew. */
export async function writeSlots(
  { db }: Work,
  { lease, reservation }: Mine,
  slots: Slots,
  verdicts: readonly Verdict[] = [],
): Promise<void> {
  await countPromises(db, verdicts.flatMap(({ host }) => (slots.has(host.id) ? host : []))); // prettier-ignore
  await replaceAllocations(db, reservation.id, lease, slots);
}

/** What the flavor of a reservation says beyond its figures. */
export const flavorSpecs = (id: string, strict: boolean, serverGroupId: string | null): Record<string, string> => ({
  ...(strict ? {} : { 'aggregate_instance_extra_specs:reservation': id }),
  [`resources:${classFor(id)}`]: '1',
  ...(serverGroupId === null ? {} : { affinity_id: serverGroupId }),
});

/** Makes the aggregate, unless the operator is strict, and the class. */
export async function prepareSlots(work: Work, { lease, reservation }: Mine): Promise<Reservation<InstanceDetails>> {
  const { id, details } = reservation;
  const { strict } = await settingsOf(work);
  const group: Record<string, string> = details.serverGroupId === null ? {} : { affinity_id: details.serverGroupId };
  const metadata = { reservation: id, filter_tenant_id: lease.projectId, 'blazar:owner': lease.projectId, ...group };
  const aggregateId = strict ? null : await createAggregate(work, { name: id, metadata });
  await createReservationClass(work, id);
  return updateReservation(work.db, reservation, { details: { ...details, aggregateId } }, work.now);
}

/** Shows the flavor to the project, and opens the slots in Placement. */
export async function startSlots(work: Work, { lease, reservation }: Mine): Promise<boolean> {
  await allowFlavor(work, reservation.id, lease.projectId);
  await openSlots(work, { lease, reservation });
  return true;
}

/** Opens the slots on the hosts where there are more or less than before. */
export async function openSlots(work: Work, { reservation }: Mine, before: Slots = new Map()): Promise<void> {
  const { id, details } = reservation;
  const slots = new Map((await allocationsOf(work.db, id)).map((one) => [one.hostId, one.slots]));
  for (const host of await findHosts(work.db, [...slots.keys()])) {
    const total = slots.get(host.id)!;
    if (details.aggregateId !== null && !before.has(host.id)) await joinAggregate(work, details.aggregateId, host.serviceName);
    if (before.get(host.id) !== total) await putInventory(work, host.hypervisorHostname, id, total);
  }
}

/** Takes everything back: servers first, because the slots that they use cannot go before them. */
export async function endSlots(work: Work, { lease, reservation }: Mine): Promise<boolean> {
  const { id, details } = reservation;
  await disallowFlavor(work, id, lease.projectId);
  if (!(await deleteServersOfFlavor(work, id))) return false;
  const hosts = await findHosts(work.db, (await allocationsOf(work.db, id)).map(({ hostId }) => hostId)); // prettier-ignore
  await deleteAllocations(work.db, id);
  if (details.serverGroupId !== null) await deleteServerGroup(work, details.serverGroupId);
  await deleteFlavor(work, id);
  if (details.aggregateId !== null) await deleteAggregate(work, details.aggregateId);
  // What somebody else has put on the class stays with them: upstream lets these fail as well.
  for (const { hypervisorHostname } of hosts) await unlessUsed(deleteInventory(work, hypervisorHostname, id));
  await unlessUsed(deleteReservationClass(work, id));
  return true;
}

async function unlessUsed(asked: Promise<void>): Promise<void> {
  await asked.catch((error: unknown) => {
    if (!(error instanceof Fault && error.status === 409)) throw error;
  });
}
