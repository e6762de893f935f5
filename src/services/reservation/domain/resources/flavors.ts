// Reservations of instances of a flavor (flavor:instance): the flavor is copied, and counted in
// Placement's figures. Upstream: blazar/plugins/flavor/flavor_plugin.py.
import { badRequest, conflict } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { createFlavor, flavorOf, type SourceFlavor } from '../../clients/compute.ts';
import { updateReservation } from '../../store/reservations.ts';
import type { Amounts, InstanceDetails } from '../../model.ts';
import { settingsOf } from '../settings.ts';
import { malformed, pythonJson, type Values } from '../values.ts';
import { amountOf } from './instances.ts';
import {
  endSlots,
  flavorSpecs,
  prepareSlots,
  promiseSlots,
  startSlots,
  writeSlots,
} from './slots.ts';
import { reaches, type Reserved, type ResourceType } from './types.ts';
import { allocationsOf } from '../../store/allocations.ts';

async function readDetails(context: Context, values: Values): Promise<InstanceDetails> {
  const absent = ['amount', 'flavor_id', 'affinity'].filter((name) => values[name] === undefined);
  if (absent.length) throw badRequest(`Missing parameter ${absent.join(',')}`);
  const { affinity, flavor_id: flavorId } = values;
  const amount = amountOf(values['amount']);
  if (affinity !== null && !(typeof affinity === 'string' && /^none$/i.test(affinity)))
    throw conflict('Affinity not supported yet');
  if (typeof flavorId !== 'string' && typeof flavorId !== 'number') throw malformed('flavor_id');
  const source = await flavorOf(context, String(flavorId));
  return {
    vcpus: source.vcpus,
    memoryMb: source.ram,
    diskGb: source.disk,
    amount,
    affinity: null,
    resourceProperties: pythonJson(source),
    aggregateId: null,
    serverGroupId: null,
    demand: demandOf(source),
    traits: traitsOf(source),
  };
}

/** What one server of the flavor takes of its host. */
function demandOf({ vcpus, ram, disk, extra_specs: specs, ...flavor }: SourceFlavor): Amounts {
  const dedicated = specs['hw:cpu_policy'] === 'dedicated';
  const demand: Record<string, number> = {
    [dedicated ? 'PCPU' : 'VCPU']: vcpus,
    MEMORY_MB: ram,
    DISK_GB: disk + flavor['OS-FLV-EXT-DATA:ephemeral'],
  };
  for (const [key, value] of Object.entries(specs)) {
    const [, name] = /^resources:(\w{1,255})$/.exec(key) ?? [];
    if (name !== undefined && /^\d{1,9}$/.test(value)) demand[name] = Number(value);
  }
  return demand;
}

function traitsOf({ extra_specs: specs }: SourceFlavor): string[] {
  return Object.entries(specs).flatMap(([key, value]) => {
    const [, trait] = /^trait:(\w{1,255})$/.exec(key) ?? [];
    if (trait === undefined) return [];
    if (value !== 'required' && value !== 'forbidden')
      throw badRequest(`Invalid value for trait ${trait}`);
    return [value === 'required' ? trait : `!${trait}`];
  });
}

/** The copy has all of the source, and what makes it a reservation's. */
async function copyFlavor(
  context: Context,
  { reservation }: Reserved<InstanceDetails>,
): Promise<void> {
  const { id, details } = reservation;
  const source = JSON.parse(details.resourceProperties) as SourceFlavor;
  const { strict } = await settingsOf(context);
  await createFlavor(context, {
    id,
    name: `reservation:${id}`,
    vcpus: details.vcpus,
    ram: details.memoryMb,
    disk: details.diskGb,
    ephemeral: source['OS-FLV-EXT-DATA:ephemeral'],
    swap: Number(source.swap),
    extraSpecs: { ...source.extra_specs, ...flavorSpecs(id, strict, null) },
  });
}

export const flavorReservations: ResourceType<InstanceDetails> = {
  read: readDetails,
  allocate: (context, reserved) => promiseSlots(context, reserved),

  async prepare(context, reserved) {
    await copyFlavor(context, reserved);
    return prepareSlots(context, reserved);
  },

  start: startSlots,
  beforeEnd: () => Promise.resolve(),
  end: endSlots,

  /** Other dates, unlike upstream, and nothing else. @throws 409 */
  async update(context, { lease, span, reservation, values }) {
    const { amount } = reservation.details;
    const others = Object.entries(values).filter(
      ([name, value]) =>
        name !== 'id' && name !== 'resource_type' && !(name === 'amount' && value === amount),
    );
    if (others.length)
      throw conflict(
        "Updating leases for 'flavor:instance' type reservations is not yet supported.",
      );
    const before = new Map(
      (await allocationsOf(context.db, reservation.id)).map(({ hostId, slots }) => [hostId, slots]),
    );
    const later = { lease: { ...lease, ...span }, reservation };
    if (!reaches(lease, span)) await writeSlots(context, later, before);
    else if (reservation.status === 'active') await extend(context, later, before);
    else await promiseSlots(context, later, before);
    return updateReservation(context.db, reservation, {}, context.now);
  },
};

/** Prolongs what is in use: none of it may move. @throws 409, 500 */
async function extend(
  context: Context,
  later: Reserved<InstanceDetails>,
  before: ReadonlyMap<number, number>,
): Promise<void> {
  await promiseSlots(context, later, before);
  const after = new Map(
    (await allocationsOf(context.db, later.reservation.id)).map(({ hostId, slots }) => [
      hostId,
      slots,
    ]),
  );
  if ([...before].some(([host, slots]) => after.get(host) !== slots))
    throw conflict('A flavor reservation keeps its hosts while it is active.');
}
