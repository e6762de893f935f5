// Reservations of whole hosts (physical:host). Each has an aggregate, to which its hosts move when
// the lease starts. Upstream: blazar/plugins/oshosts/host_plugin.py.
import { badRequest, notFound } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import {
  createAggregate,
  deleteAggregate,
  deleteServersOnHost,
  findAggregate,
  addAggregateHost,
  removeAggregateHost,
  snapshotServersOnHost,
} from '../../clients/compute.ts';
import {
  allocationsOf,
  deleteAllocations,
  insertAllocations,
  listAllocations,
  replaceAllocations,
} from '../../store/allocations.ts';
import { bumpHostRevisions, findHosts } from '../../store/hosts.ts';
import { updateReservation } from '../../store/reservations.ts';
import { chooseHosts, chosenHosts } from '../candidates/choice.ts';
import { evaluateHosts } from '../candidates/evaluations.ts';
import { notEnoughHosts } from '../candidates/refusals.ts';
import type { Wanted } from '../candidates/wanted.ts';
import { ensureFreepool, freepoolName, addFreepoolHost, removeFreepoolHost } from '../freepool.ts';
import { hostType, type Host, type HostDetails, type Reservation } from '../../model.ts';
import { readRequirements } from '../requirements.ts';
import { loadSettings } from '../settings.ts';
import { readInteger, malformed, missing, toText, type Values } from '../values.ts';
import { extendsSpan, type Change, type LeasedReservation, type ResourceType } from './types.ts';

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
  ].map(toText);
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
    const count = readInteger(values[name]);
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

/**
 * Allocates hosts.
 * @param kept the hosts that the reservation has had, which it keeps if possible; undefined if the
 *   reservation is new
 * @throws 500 if there are too few
 */
async function allocate(
  context: Context,
  { lease, reservation }: LeasedReservation<HostDetails>,
  kept?: readonly number[],
): Promise<void> {
  const wanted = wantedHosts({ lease, reservation }, kept ?? []);
  const evaluations = await evaluateHosts(context, wanted.search);
  const chosen = wanted.choose(evaluations, wanted.amount);
  if (!chosen) throw notEnoughHosts(evaluations, wanted);
  await bumpHostRevisions(context.db, chosenHosts(evaluations, chosen));
  const save = kept ? replaceAllocations : insertAllocations;
  await save(context.db, reservation.id, lease, chosen);
}

/** What a reservation asks for. An active one must keep its hosts, others prefer to keep them. */
function wantedHosts(
  { lease, reservation }: LeasedReservation<HostDetails>,
  kept: readonly number[],
  isActive = false,
): Wanted {
  const { details, id } = reservation;
  return {
    search: {
      resourceType: hostType,
      details,
      startAt: lease.startAt,
      endAt: lease.endAt,
      exceptReservation: id,
    },
    choose(evaluations, min) {
      const chosen = chooseHosts(evaluations, { min, max: Math.max(min, details.max), kept });
      return isActive && kept.some((host) => !chosen?.has(host)) ? undefined : chosen;
    },
    ownLease: lease.id,
    amount: details.min,
    kept: isActive ? kept.length : 0,
  };
}

const hostIdsOf = async (
  context: Context,
  { reservation }: Pick<LeasedReservation<HostDetails>, 'reservation'>,
): Promise<number[]> =>
  (await allocationsOf(context.db, reservation.id)).map(({ hostId }) => hostId);

/**
 * Moves hosts from the freepool to the aggregate of the reservation, after deleting their servers.
 * @returns whether it is done; false while servers are still being deleted
 */
async function moveHosts(
  context: Context,
  { reservation }: LeasedReservation<HostDetails>,
  hosts: readonly Host[],
): Promise<boolean> {
  const freepool = await ensureFreepool(context);
  for (const { id, serviceName } of hosts) {
    if (freepool.hosts.includes(serviceName)) continue;
    if (await isAwaitingRelease(context, id, reservation.id)) return false;
    throw notFound(`Host ${serviceName} not in freepool '${freepoolName}'`);
  }
  let isEmpty = true;
  for (const { serviceName } of hosts)
    isEmpty = (await deleteServersOnHost(context, serviceName)) && isEmpty;
  if (!isEmpty) return false;
  for (const { serviceName } of hosts) {
    await removeFreepoolHost(context, serviceName);
    await addAggregateHost(context, reservation.details.aggregateId!, serviceName);
  }
  return true;
}

/** Whether another reservation has ended but not yet released the host. */
async function isAwaitingRelease(
  { db, now }: Context,
  hostId: number,
  reservationId: string,
): Promise<boolean> {
  const others = await listAllocations(db, { hostId });
  return others.some(
    (allocation) => allocation.reservationId !== reservationId && allocation.endAt <= now,
  );
}

export const hostReservations: ResourceType<HostDetails> = {
  read: (_context, values) => Promise.resolve(readDetails(values)),

  allocate: (context, reserved) => allocate(context, reserved),

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
    return moveHosts(
      context,
      reserved,
      await findHosts(context.db, await hostIdsOf(context, reserved)),
    );
  },

  async beforeEnd(context, reserved) {
    const { beforeEnd } = reserved.reservation.details;
    const action = beforeEnd === 'default' ? (await loadSettings(context)).beforeEnd : beforeEnd;
    if (action !== 'snapshot') return;
    for (const { serviceName } of await findHosts(context.db, await hostIdsOf(context, reserved)))
      await snapshotServersOnHost(context, serviceName, 'reserved_');
  },

  async end(context, { reservation }) {
    const { id, status, details } = reservation;
    const hosts = await findHosts(context.db, await hostIdsOf(context, { reservation }));
    if (status !== 'pending') {
      let isEmpty = true;
      const reserved = await ownHosts(context, reservation, hosts);
      for (const { serviceName } of reserved)
        isEmpty = (await deleteServersOnHost(context, serviceName)) && isEmpty;
      if (!isEmpty) return false;
      for (const { serviceName } of reserved) {
        if (details.aggregateId !== null)
          await removeAggregateHost(context, details.aggregateId, serviceName);
        await addFreepoolHost(context, serviceName);
      }
    }
    if (details.aggregateId !== null) await deleteAggregate(context, details.aggregateId);
    await deleteAllocations(context.db, id);
    return true;
  },

  update: (context, change) =>
    change.reservation.status === 'active'
      ? updateActive(context, change)
      : updatePending(context, change),
};

/**
 * The hosts that are in use by a reservation. If it failed, these are the ones in its aggregate:
 * the others may be in use by other reservations, or an administrator may have taken them out of
 * the freepool.
 */
async function ownHosts(
  context: Context,
  { status, details }: Reservation<HostDetails>,
  hosts: readonly Host[],
): Promise<readonly Host[]> {
  if (status === 'active') return hosts;
  const own =
    details.aggregateId === null ? undefined : await findAggregate(context, details.aggregateId);
  return hosts.filter(({ serviceName }) => own?.hosts.includes(serviceName));
}

/** The details with the changes of a request. */
function applyChanges({ details }: Reservation<HostDetails>, values: Values): HostDetails {
  const { min, max, hypervisorProperties, resourceProperties, beforeEnd, aggregateId } = details;
  if (values['before_end'] !== undefined && values['before_end'] !== beforeEnd) {
    // Upstream validates a change of `before_end`, but ignores it.
    readDetails({
      min,
      max,
      hypervisor_properties: '',
      resource_properties: '',
      before_end: values['before_end'],
    });
  }
  const merged = {
    min: values['min'] ?? min,
    max: values['max'] ?? max,
    hypervisor_properties: values['hypervisor_properties'] ?? hypervisorProperties,
    resource_properties: values['resource_properties'] ?? resourceProperties,
  };
  return { ...readDetails(merged), beforeEnd, aggregateId };
}

const isEqual = (a: HostDetails, b: HostDetails): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

/** Updates a reservation before its start. Replaces hosts that are no longer suitable. */
async function updatePending(
  context: Context,
  change: Change<HostDetails>,
): Promise<Reservation<HostDetails>> {
  const { lease, span, reservation, values } = change;
  const details = applyChanges(reservation, values);
  const changed = { lease: { ...lease, ...span }, reservation: { ...reservation, details } };
  const ids = await hostIdsOf(context, change);
  if (isEqual(details, reservation.details) && !extendsSpan(lease, span))
    await keepHosts(context, changed, ids);
  else await allocate(context, changed, ids);
  return updateReservation(context.db, reservation, { details }, context.now);
}

/** Updates the dates of a reservation's allocations. */
const keepHosts = (
  { db }: Context,
  { lease, reservation }: LeasedReservation<HostDetails>,
  ids: readonly number[],
): Promise<void> =>
  replaceAllocations(db, reservation.id, lease, new Map(ids.map((id) => [id, 1])));

/**
 * Updates an active reservation. Its hosts must stay, and additional ones move to its aggregate at
 * once.
 * @throws 500 if a host would have to be replaced
 */
async function updateActive(
  context: Context,
  change: Change<HostDetails>,
): Promise<Reservation<HostDetails>> {
  const { lease, span, reservation, values } = change;
  const details = applyChanges(reservation, values);
  const changed = { lease: { ...lease, ...span }, reservation: { ...reservation, details } };
  const ids = await hostIdsOf(context, change);
  if (isEqual(details, reservation.details) && !extendsSpan(lease, span))
    await keepHosts(context, changed, ids);
  else {
    const wanted = wantedHosts(changed, ids, true);
    const evaluations = await evaluateHosts(context, wanted.search);
    const chosen = wanted.choose(evaluations, wanted.amount);
    if (!chosen) throw notEnoughHosts(evaluations, wanted);
    await bumpHostRevisions(context.db, chosenHosts(evaluations, chosen));
    await replaceAllocations(context.db, reservation.id, changed.lease, chosen);
    const added = [...chosen.keys()].filter((id) => !ids.includes(id));
    if (added.length) await moveHosts(context, changed, await findHosts(context.db, added));
  }
  return updateReservation(context.db, reservation, { details }, context.now);
}
