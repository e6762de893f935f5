// Reservations of whole hosts (physical:host): an aggregate of their own, to which the hosts go
// when the lease starts. Upstream: blazar/plugins/oshosts/host_plugin.py.
import { badRequest, notFound } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import {
  createAggregate,
  deleteAggregate,
  deleteServersOnHost,
  findAggregate,
  joinAggregate,
  leaveAggregate,
  snapshotServersOnHost,
} from '../../clients/compute.ts';
import {
  allocationsOf,
  deleteAllocations,
  listAllocations,
  replaceAllocations,
} from '../../store/allocations.ts';
import { countPromises, findHosts } from '../../store/hosts.ts';
import { updateReservation } from '../../store/reservations.ts';
import { chooseHosts, type Slots } from '../candidates/choice.ts';
import { judge, notEnoughHosts, type Verdict } from '../candidates/verdicts.ts';
import { freepool, freepoolName, joinFreepool, leaveFreepool } from '../freepool.ts';
import { hostType, type Host, type HostDetails, type Reservation } from '../../model.ts';
import { readRequirements } from '../requirements.ts';
import { settingsOf } from '../settings.ts';
import { integerOf, malformed, missing, textOf, type Values } from '../values.ts';
import { reaches, type Change, type Reserved, type ResourceType } from './types.ts';

type Mine = Reserved<HostDetails>;

function readDetails(values: Values): HostDetails {
  const absent = ['min', 'max', 'hypervisor_properties', 'resource_properties'].find(
    (name) => values[name] === undefined,
  );
  if (absent !== undefined) throw missing(absent);
  const { min, max } = readCounts(values);
  const { before_end: beforeEnd = 'default' } = values;
  if (!['', 'default', 'snapshot'].includes(beforeEnd as string)) throw malformed('before_end');
  const [hypervisorProperties, resourceProperties] = [
    values['hypervisor_properties'],
    values['resource_properties'],
  ].map(textOf);
  for (const expression of [hypervisorProperties, resourceProperties]) readRequirements(expression);
  return {
    min,
    max,
    hypervisorProperties: hypervisorProperties!,
    resourceProperties: resourceProperties!,
    beforeEnd: (beforeEnd as string) || 'default',
    aggregateId: null,
  };
}

function readCounts(values: Values): { min: number; max: number } {
  const [min, max] = ['min', 'max'].map((name) => {
    const count = integerOf(values[name]);
    if (count === undefined) throw malformed(name);
    return count;
  }) as [number, number];
  if (min < 1 || max < 1) throw malformed('min and max (must be greater than or equal to 1)');
  if (max < min)
    throw badRequest(
      'Invalid values for min/max of hosts. Max must be equal to or larger than min.',
    );
  return { min, max };
}

/** Promises hosts, or others than before. @throws 500 where there are too few */
async function promise(
  context: Context,
  { lease, reservation }: Mine,
  kept: readonly number[] = [],
): Promise<Slots> {
  const { details, id } = reservation;
  const verdicts = await judge(context, {
    resourceType: hostType,
    details,
    startAt: lease.startAt,
    endAt: lease.endAt,
    without: id,
  });
  const chosen = chooseHosts(verdicts, { min: details.min, max: details.max, kept });
  if (!chosen) throw notEnoughHosts(verdicts);
  await write(context, { lease, reservation }, chosen, verdicts);
  return chosen;
}

async function write(
  { db }: Context,
  { lease, reservation }: Mine,
  chosen: Slots,
  verdicts: readonly Verdict[],
): Promise<void> {
  await countPromises(
    db,
    verdicts.flatMap(({ host }) => (chosen.has(host.id) ? host : [])),
  );
  await replaceAllocations(db, reservation.id, lease, chosen);
}

const idsOf = async (context: Context, { reservation }: Mine): Promise<number[]> =>
  (await allocationsOf(context.db, reservation.id)).map(({ hostId }) => hostId);

/**
 * Moves hosts out of the pool into the aggregate, once no server is left on them.
 * @returns whether that is done
 */
async function handOver(
  context: Context,
  { reservation }: Mine,
  hosts: readonly Host[],
): Promise<boolean> {
  const pool = await freepool(context);
  for (const { id, serviceName } of hosts) {
    if (pool.hosts.includes(serviceName)) continue;
    if (await isStillHeld(context, id, reservation.id)) return false;
    throw notFound(`Host ${serviceName} not in freepool '${freepoolName}'`);
  }
  let empty = true;
  for (const { serviceName } of hosts)
    empty = (await deleteServersOnHost(context, serviceName)) && empty;
  if (!empty) return false;
  for (const { serviceName } of hosts) {
    await leaveFreepool(context, serviceName);
    await joinAggregate(context, reservation.details.aggregateId!, serviceName);
  }
  return true;
}

/** Whether another reservation is over but has not given the host back yet. */
async function isStillHeld(
  { db, now }: Context,
  hostId: number,
  reservationId: string,
): Promise<boolean> {
  const others = await listAllocations(db, { hostId });
  return others.some((one) => one.reservationId !== reservationId && one.endAt <= now);
}

export const hostReservations: ResourceType<HostDetails> = {
  read: (_context, values) => Promise.resolve(readDetails(values)),

  async allocate(context, reserved) {
    await promise(context, reserved);
  },

  async prepare(context, { lease, reservation }) {
    const aggregateId = await createAggregate(context, {
      name: reservation.id,
      zone: `blazar_${reservation.id}`,
      metadata: { 'blazar:owner': lease.projectId },
    });
    return updateReservation(
      context.db,
      reservation,
      { details: { ...reservation.details, aggregateId } },
      context.now,
    );
  },

  async start(context, reserved) {
    return handOver(context, reserved, await findHosts(context.db, await idsOf(context, reserved)));
  },

  async beforeEnd(context, reserved) {
    const { beforeEnd } = reserved.reservation.details;
    const action = beforeEnd === 'default' ? (await settingsOf(context)).beforeEnd : beforeEnd;
    if (action !== 'snapshot') return;
    for (const { serviceName } of await findHosts(context.db, await idsOf(context, reserved)))
      await snapshotServersOnHost(context, serviceName, 'reserved_');
  },

  async end(context, { reservation }) {
    const { id, status, details } = reservation;
    const hosts = await findHosts(
      context.db,
      (await allocationsOf(context.db, id)).map(({ hostId }) => hostId),
    );
    if (status !== 'pending') {
      let empty = true;
      const mine = await heldHosts(context, reservation, hosts);
      for (const { serviceName } of mine)
        empty = (await deleteServersOnHost(context, serviceName)) && empty;
      if (!empty) return false;
      for (const { serviceName } of mine) {
        await leaveAggregate(context, details.aggregateId!, serviceName);
        await joinFreepool(context, serviceName);
      }
    }
    if (details.aggregateId !== null) await deleteAggregate(context, details.aggregateId);
    await deleteAllocations(context.db, id);
    return true;
  },

  update: (context, change) =>
    change.reservation.status === 'active' ? grow(context, change) : rearrange(context, change),
};

/**
 * The hosts that a reservation has: of one that failed to start, those that came into its
 * aggregate. The others may be somebody else's.
 */
async function heldHosts(
  context: Context,
  { status, details }: Reservation<HostDetails>,
  hosts: readonly Host[],
): Promise<readonly Host[]> {
  if (status === 'active') return hosts;
  const own =
    details.aggregateId === null ? undefined : await findAggregate(context, details.aggregateId);
  return hosts.filter(({ serviceName }) => own?.hosts.includes(serviceName));
}

/** What is asked for, with the changes. */
function changed({ details }: Reservation<HostDetails>, values: Values): HostDetails {
  const { min, max, hypervisorProperties, resourceProperties, beforeEnd, aggregateId } = details;
  if (values['before_end'] !== undefined && values['before_end'] !== beforeEnd) {
    // Not to be changed, and not worth a refusal: upstream leaves it as it is.
    readDetails({
      min,
      max,
      hypervisor_properties: '',
      resource_properties: '',
      before_end: values['before_end'],
    });
  }
  const asked = {
    min: values['min'] ?? min,
    max: values['max'] ?? max,
    hypervisor_properties: values['hypervisor_properties'] ?? hypervisorProperties,
    resource_properties: values['resource_properties'] ?? resourceProperties,
  };
  return { ...readDetails(asked), beforeEnd, aggregateId };
}

const same = (a: HostDetails, b: HostDetails): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Before the start, hosts that no longer fit are replaced. */
async function rearrange(
  context: Context,
  change: Change<HostDetails>,
): Promise<Reservation<HostDetails>> {
  const { lease, span, reservation, values } = change;
  const details = changed(reservation, values);
  const later = { lease: { ...lease, ...span }, reservation: { ...reservation, details } };
  const before = await allocationsOf(context.db, reservation.id);
  if (same(details, reservation.details) && !reaches(lease, span))
    await keep(
      context,
      later,
      before.map(({ hostId }) => hostId),
    );
  else
    await promise(
      context,
      later,
      before.map(({ hostId }) => hostId),
    );
  return updateReservation(context.db, reservation, { details }, context.now);
}

const keep = (
  { db }: Context,
  { lease, reservation }: Mine,
  ids: readonly number[],
): Promise<void> =>
  replaceAllocations(db, reservation.id, lease, new Map(ids.map((id) => [id, 1])));

/**
 * While it is active, all hosts must stay, and new ones are handed over at once.
 * @throws 500 where one would have to go
 */
async function grow(
  context: Context,
  change: Change<HostDetails>,
): Promise<Reservation<HostDetails>> {
  const { lease, span, reservation, values } = change;
  const details = changed(reservation, values);
  const later = { lease: { ...lease, ...span }, reservation: { ...reservation, details } };
  const ids = await idsOf(context, change);
  if (same(details, reservation.details) && !reaches(lease, span)) await keep(context, later, ids);
  else {
    const verdicts = await judge(context, {
      resourceType: hostType,
      details,
      ...span,
      without: reservation.id,
    });
    const chosen = chooseHosts(verdicts, { min: details.min, max: details.max, kept: ids });
    if (!chosen || ids.some((id) => !chosen.has(id))) throw notEnoughHosts(verdicts);
    await write(context, later, chosen, verdicts);
    const fresh = [...chosen.keys()].filter((id) => !ids.includes(id));
    if (fresh.length) await handOver(context, later, await findHosts(context.db, fresh));
  }
  return updateReservation(context.db, reservation, { details }, context.now);
}
