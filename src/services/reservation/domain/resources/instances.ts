// Reservations of instances whose size the request gives (virtual:instance). Upstream:
// blazar/plugins/instances/instance_plugin.py.
import { badRequest, conflict } from '../../../../kernel/errors.ts';
import { pipelined } from '../../../../kernel/db/pipelined.ts';
import type { Context } from '../../../../kernel/model.ts';
import {
  createFlavor,
  createServerGroup,
  deleteFlavor,
  deleteServerGroup,
} from '../../clients/compute.ts';
import { slotsOf } from '../../store/allocations.ts';
import { updateReservation } from '../../store/reservations.ts';
import { evaluateHosts } from '../candidates/evaluations.ts';
import { notEnoughHosts, refusedHosts } from '../candidates/refusals.ts';
import type { InstanceDetails, Reservation } from '../../model.ts';
import { readRequirements } from '../requirements.ts';
import { loadSettings } from '../settings.ts';
import {
  readAffinity,
  readInteger,
  maxInteger,
  malformed,
  missing,
  toText,
  type Values,
} from '../values.ts';
import {
  releaseSlots,
  flavorSpecs,
  syncInventories,
  prepareSlots,
  allocateSlots,
  startSlots,
  saveSlots,
  keepsAll,
  wantedSlots,
  wantedWithSlots,
} from './slots.ts';
import { extendsSpan, type Change, type LeasedReservation, type ResourceType } from './types.ts';

/** The minimum of each size of a flavor in Compute. */
const minSizes = { vcpus: 1, memory_mb: 1, disk_gb: 0 } as const;

/** Reads the number of instances. @throws 400 */
export function readAmount(value: unknown): number {
  const amount = readInteger(value);
  if (amount === undefined) throw badRequest('amount must be an integer');
  if (amount < 1) throw badRequest('amount must be >= 1');
  return amount;
}

function readDetails(values: Values): InstanceDetails {
  const absent = ['vcpus', 'memory_mb', 'disk_gb', 'amount'].filter(
    (name) => values[name] === undefined,
  );
  if (absent.length) throw missing(...absent);
  const [vcpus, memoryMb, diskGb] = Object.entries(minSizes).map(([name, min]) => {
    const size = readInteger(values[name]);
    if (size === undefined || size < min || size > maxInteger) throw malformed(name);
    return size;
  }) as [number, number, number];
  const amount = readAmount(values['amount']);
  const affinity = readAffinity(values['affinity']);
  const resourceProperties = toText(values['resource_properties']);
  readRequirements(resourceProperties);
  const demand = { VCPU: vcpus, MEMORY_MB: memoryMb, DISK_GB: diskGb };
  return {
    vcpus,
    memoryMb,
    diskGb,
    amount,
    affinity,
    resourceProperties,
    demand,
    traits: [],
    aggregateId: null,
    serverGroupId: null,
  };
}

/** Creates the server group, if affinity is set. @returns the details with it */
async function createGroup(
  context: Context,
  { lease, reservation }: LeasedReservation<InstanceDetails>,
): Promise<InstanceDetails> {
  const { id, details } = reservation;
  const { affinity } = details;
  const { strict } = await loadSettings(context);
  const serverGroupId =
    affinity === null || strict
      ? null
      : await createServerGroup(context, lease, nameOf(id), affinity);
  return { ...details, serverGroupId };
}

/** Creates the flavor, without access for projects. */
async function createOwnFlavor(
  context: Context,
  { id, details }: Reservation<InstanceDetails>,
): Promise<void> {
  const { strict } = await loadSettings(context);
  const { vcpus, memoryMb, diskGb, serverGroupId } = details;
  const extraSpecs = flavorSpecs(id, strict, serverGroupId);
  await createFlavor(context, {
    id,
    name: nameOf(id),
    vcpus,
    ram: memoryMb,
    disk: diskGb,
    extraSpecs,
  });
}

/** The name of the server group and the flavor of a reservation. */
const nameOf = (id: string): string => `reservation:${id}`;

export const instanceReservations: ResourceType<InstanceDetails> = {
  read: (_context, values) => Promise.resolve(readDetails(values)),
  allocate: (context, reserved) => allocateSlots(context, reserved),

  async prepare(context, reserved) {
    const details = await createGroup(context, reserved);
    const reservation = { ...reserved.reservation, details };
    const [prepared] = await pipelined([
      prepareSlots(context, { ...reserved, reservation }),
      createOwnFlavor(context, reservation),
    ]);
    return prepared;
  },

  start: startSlots,
  beforeEnd: () => Promise.resolve(),
  end: releaseSlots,
  update: (context, change) =>
    change.reservation.status === 'active'
      ? updateActive(context, change)
      : updatePending(context, change),
};

/** The details with the changes of a request. */
function applyChanges({ details }: Reservation<InstanceDetails>, values: Values): InstanceDetails {
  const {
    vcpus,
    memoryMb,
    diskGb,
    amount,
    affinity,
    resourceProperties,
    aggregateId,
    serverGroupId,
  } = details;
  const merged = {
    vcpus: values['vcpus'] ?? vcpus,
    memory_mb: values['memory_mb'] ?? memoryMb,
    disk_gb: values['disk_gb'] ?? diskGb,
    amount: values['amount'] ?? amount,
    affinity: Object.hasOwn(values, 'affinity') ? values['affinity'] : affinity,
    resource_properties: values['resource_properties'] ?? resourceProperties,
  };
  return { ...readDetails(merged), aggregateId, serverGroupId };
}

const isEqual = (a: InstanceDetails, b: InstanceDetails): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

/**
 * Updates a reservation before its start. Replaces the flavor and the server group if they change.
 */
async function updatePending(
  context: Context,
  change: Change<InstanceDetails>,
): Promise<Reservation<InstanceDetails>> {
  const { lease, span, reservation, values } = change;
  const details = applyChanges(reservation, values);
  if (reservation.status === 'error' && !isEqual(details, reservation.details))
    throw conflict("An error reservation doesn't accept an updating request.");
  const changed = { lease: { ...lease, ...span }, reservation: { ...reservation, details } };
  const before = await slotsOf(context.db, reservation.id);
  if (isEqual(details, reservation.details) && !extendsSpan(lease, span))
    await saveSlots(context, changed, before);
  else await allocateSlots(context, changed, before);
  if (isEqual({ ...details, amount: 0 }, { ...reservation.details, amount: 0 }))
    return updateReservation(context.db, reservation, { details }, context.now);
  await deleteFlavor(context, reservation.id);
  if (details.serverGroupId !== null) await deleteServerGroup(context, details.serverGroupId);
  const recreated = await createGroup(context, changed);
  await createOwnFlavor(context, { ...changed.reservation, details: recreated });
  return updateReservation(context.db, reservation, { details: recreated }, context.now);
}

/**
 * Updates an active reservation, which accepts only more instances and other dates. Its slots must
 * stay where they are.
 * @throws 409
 */
async function updateActive(
  context: Context,
  change: Change<InstanceDetails>,
): Promise<Reservation<InstanceDetails>> {
  const { lease, span, reservation, values } = change;
  const details = applyChanges(reservation, values);
  if (!isEqual({ ...details, amount: 0 }, { ...reservation.details, amount: 0 }))
    throw conflict('An active reservation only accepts to update amount.');
  const before = await slotsOf(context.db, reservation.id);
  const changed = { lease: { ...lease, ...span }, reservation: { ...reservation, details } };
  if (details.amount < reservation.details.amount) throw slotsMustStay();
  if (isEqual(details, reservation.details) && !extendsSpan(lease, span))
    await saveSlots(context, changed, before);
  else {
    const wanted = wantedSlots(changed, before);
    const evaluations = await evaluateHosts(context, wanted.search);
    const chosen = wanted.choose(evaluations, wanted.amount);
    if (!chosen) throw notEnoughHosts(evaluations, wantedWithSlots(changed, before));
    if (!keepsAll(before, chosen))
      throw refusedHosts(slotsMustStay(), wantedWithSlots(changed, before));
    await saveSlots(context, changed, chosen, evaluations);
    await syncInventories(context, changed, before);
  }
  return updateReservation(context.db, reservation, { details }, context.now);
}

const slotsMustStay = () =>
  conflict(
    "Instance reservation doesn't allow to reduce/replace reserved instance slots when the " +
      'reservation is in active status.',
  );
