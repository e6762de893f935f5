// Reservations of instances of a size of their own (virtual:instance). Upstream:
// blazar/plugins/instances/instance_plugin.py.
import { badRequest, conflict } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import {
  createFlavor,
  createServerGroup,
  deleteFlavor,
  deleteServerGroup,
} from '../../clients/compute.ts';
import { allocationsOf } from '../../store/allocations.ts';
import { updateReservation } from '../../store/reservations.ts';
import { chooseSlots, type Slots } from '../candidates/choice.ts';
import { judge, notEnoughHosts } from '../candidates/verdicts.ts';
import { instanceType, type InstanceDetails, type Reservation } from '../../model.ts';
import { readRequirements } from '../requirements.ts';
import { settingsOf } from '../settings.ts';
import {
  affinityOf,
  integerOf,
  largest,
  malformed,
  missing,
  textOf,
  type Values,
} from '../values.ts';
import {
  endSlots,
  flavorSpecs,
  openSlots,
  prepareSlots,
  promiseSlots,
  startSlots,
  writeSlots,
} from './slots.ts';
import { reaches, type Change, type Reserved, type ResourceType } from './types.ts';

/** The least of each figure that Compute takes for a flavor. */
const sizes = { vcpus: 1, memory_mb: 1, disk_gb: 0 } as const;

/** How many instances. @throws 400 */
export function amountOf(value: unknown): number {
  const amount = integerOf(value);
  if (amount === undefined) throw badRequest('amount must be an integer');
  if (amount < 1) throw badRequest('amount must be >= 1');
  return amount;
}

function readDetails(values: Values): InstanceDetails {
  const absent = ['vcpus', 'memory_mb', 'disk_gb', 'amount'].filter(
    (name) => values[name] === undefined,
  );
  if (absent.length) throw missing(...absent);
  const [vcpus, memoryMb, diskGb] = Object.entries(sizes).map(([name, least]) => {
    const size = integerOf(values[name]);
    if (size === undefined || size < least || size > largest) throw malformed(name);
    return size;
  }) as [number, number, number];
  const amount = amountOf(values['amount']);
  const affinity = affinityOf(values['affinity']);
  const resourceProperties = textOf(values['resource_properties']);
  readRequirements(resourceProperties);
  const demand = { VCPU: vcpus, MEMORY_MB: memoryMb, DISK_GB: diskGb };
  const made = { aggregateId: null, serverGroupId: null };
  return {
    vcpus,
    memoryMb,
    diskGb,
    amount,
    affinity,
    resourceProperties,
    demand,
    traits: [],
    ...made,
  };
}

/** Makes the server group, where one is wanted, and the flavor, which nobody sees yet. */
async function makeNovaParts(
  context: Context,
  { lease, reservation }: Reserved<InstanceDetails>,
): Promise<InstanceDetails> {
  const { id, details } = reservation;
  const { strict } = await settingsOf(context);
  const { affinity, vcpus, memoryMb, diskGb } = details;
  const name = `reservation:${id}`;
  const serverGroupId =
    affinity === null || strict ? null : await createServerGroup(context, lease, name, affinity);
  const extraSpecs = flavorSpecs(id, strict, serverGroupId);
  await createFlavor(context, { id, name, vcpus, ram: memoryMb, disk: diskGb, extraSpecs });
  return { ...details, serverGroupId };
}

export const instanceReservations: ResourceType<InstanceDetails> = {
  read: (_context, values) => Promise.resolve(readDetails(values)),
  allocate: (context, reserved) => promiseSlots(context, reserved),

  async prepare(context, reserved) {
    const made = await makeNovaParts(context, reserved);
    return prepareSlots(context, {
      ...reserved,
      reservation: { ...reserved.reservation, details: made },
    });
  },

  start: startSlots,
  beforeEnd: () => Promise.resolve(),
  end: endSlots,
  update: (context, change) =>
    change.reservation.status === 'active' ? grow(context, change) : rearrange(context, change),
};

/** What is asked for, with the changes. */
function changed({ details }: Reservation<InstanceDetails>, values: Values): InstanceDetails {
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
  const asked = {
    vcpus: values['vcpus'] ?? vcpus,
    memory_mb: values['memory_mb'] ?? memoryMb,
    disk_gb: values['disk_gb'] ?? diskGb,
    amount: values['amount'] ?? amount,
    affinity: Object.hasOwn(values, 'affinity') ? values['affinity'] : affinity,
    resource_properties: values['resource_properties'] ?? resourceProperties,
  };
  return { ...readDetails(asked), aggregateId, serverGroupId };
}

const same = (a: InstanceDetails, b: InstanceDetails): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

async function slotsOf(context: Context, reservation: Reservation): Promise<Slots> {
  return new Map(
    (await allocationsOf(context.db, reservation.id)).map(({ hostId, slots }) => [hostId, slots]),
  );
}

/**
 * Before the start anything may change: flavor and group are made anew where they say something
 * else.
 */
async function rearrange(
  context: Context,
  change: Change<InstanceDetails>,
): Promise<Reservation<InstanceDetails>> {
  const { lease, span, reservation, values } = change;
  const details = changed(reservation, values);
  if (reservation.status === 'error' && !same(details, reservation.details))
    throw conflict("An error reservation doesn't accept an updating request.");
  const later = { lease: { ...lease, ...span }, reservation: { ...reservation, details } };
  const before = await slotsOf(context, reservation);
  if (same(details, reservation.details) && !reaches(lease, span))
    await writeSlots(context, later, before);
  else await promiseSlots(context, later, before);
  if (same({ ...details, amount: 0 }, { ...reservation.details, amount: 0 }))
    return updateReservation(context.db, reservation, { details }, context.now);
  await deleteFlavor(context, reservation.id);
  if (details.serverGroupId !== null) await deleteServerGroup(context, details.serverGroupId);
  const made = await makeNovaParts(context, later);
  return updateReservation(context.db, reservation, { details: made }, context.now);
}

/**
 * While it is active, only more instances and other dates are taken, and nothing that is held may
 * move.
 * @throws 409
 */
async function grow(
  context: Context,
  change: Change<InstanceDetails>,
): Promise<Reservation<InstanceDetails>> {
  const { lease, span, reservation, values } = change;
  const details = changed(reservation, values);
  if (!same({ ...details, amount: 0 }, { ...reservation.details, amount: 0 }))
    throw conflict('An active reservation only accepts to update amount.');
  const before = await slotsOf(context, reservation);
  const later = { lease: { ...lease, ...span }, reservation: { ...reservation, details } };
  if (details.amount < reservation.details.amount) throw rigid();
  if (same(details, reservation.details) && !reaches(lease, span))
    await writeSlots(context, later, before);
  else {
    const verdicts = await judge(context, {
      resourceType: instanceType,
      details,
      ...span,
      without: reservation.id,
    });
    const chosen = chooseSlots(verdicts, {
      amount: details.amount,
      affinity: details.affinity,
      kept: before,
    });
    if (!chosen) throw notEnoughHosts(verdicts);
    if ([...before].some(([host, slots]) => (chosen.get(host) ?? 0) < slots)) throw rigid();
    await writeSlots(context, later, chosen, verdicts);
    await openSlots(context, later, before);
  }
  return updateReservation(context.db, reservation, { details }, context.now);
}

const rigid = () =>
  conflict(
    "Instance reservation doesn't allow to reduce/replace reserved instance slots when the reservation is in active status.",
  );
