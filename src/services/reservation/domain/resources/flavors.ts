// Reservations of instances of a flavor (flavor:instance). Each has a copy of the flavor, and its
// resources are counted in Placement's inventory. Upstream: blazar/plugins/flavor/flavor_plugin.py.
import { badRequest, conflict } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { createFlavor, readFlavor, type SourceFlavor } from '../../clients/compute.ts';
import { slotsOf } from '../../store/allocations.ts';
import { updateReservation } from '../../store/reservations.ts';
import type { Amounts, InstanceDetails } from '../../model.ts';
import type { Slots } from '../candidates/choice.ts';
import { refusedHosts } from '../candidates/refusals.ts';
import { loadSettings } from '../settings.ts';
import { malformed, pythonJson, type Values } from '../values.ts';
import { readAmount } from './instances.ts';
import {
  releaseSlots,
  flavorSpecs,
  prepareSlots,
  allocateSlots,
  startSlots,
  saveSlots,
  keepsAll,
  wantedWithSlots,
} from './slots.ts';
import { extendsSpan, type LeasedReservation, type ResourceType } from './types.ts';

async function readDetails(context: Context, values: Values): Promise<InstanceDetails> {
  const absent = ['amount', 'flavor_id', 'affinity'].filter((name) => values[name] === undefined);
  if (absent.length) throw badRequest(`Missing parameter ${absent.join(',')}`);
  const { affinity, flavor_id: flavorId } = values;
  const amount = readAmount(values['amount']);
  if (affinity !== null && !(typeof affinity === 'string' && /^none$/i.test(affinity)))
    throw conflict('Affinity not supported yet');
  if (typeof flavorId !== 'string' && typeof flavorId !== 'number') throw malformed('flavor_id');
  const source = await readFlavor(context, String(flavorId));
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

/** What a reservation of a flavor needs, from the copy of the flavor that it stores. */
export function sourceDetails(
  resourceProperties: string,
): Pick<InstanceDetails, 'demand' | 'traits'> {
  const source = JSON.parse(resourceProperties) as SourceFlavor;
  return { demand: demandOf(source), traits: traitsOf(source) };
}

/** The resources that one server of the flavor uses, by resource class. */
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

/** Creates a copy of the source flavor, with the extra specs of the reservation. */
async function copyFlavor(
  context: Context,
  { reservation }: LeasedReservation<InstanceDetails>,
): Promise<void> {
  const { id, details } = reservation;
  const source = JSON.parse(details.resourceProperties) as SourceFlavor;
  const { strict } = await loadSettings(context);
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
  allocate: (context, reserved) => allocateSlots(context, reserved),

  async prepare(context, reserved) {
    await copyFlavor(context, reserved);
    return prepareSlots(context, reserved);
  },

  start: startSlots,
  beforeEnd: () => Promise.resolve(),
  end: releaseSlots,

  /** Changes the dates, unlike upstream, but nothing else. @throws 409 */
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
    const before = await slotsOf(context.db, reservation.id);
    const changed = { lease: { ...lease, ...span }, reservation };
    if (!extendsSpan(lease, span)) await saveSlots(context, changed, before);
    else if (reservation.status === 'active') await extend(context, changed, before);
    else await allocateSlots(context, changed, before);
    return updateReservation(context.db, reservation, {}, context.now);
  },
};

/** Extends an active reservation, whose slots must stay where they are. @throws 409, 500 */
async function extend(
  context: Context,
  changed: LeasedReservation<InstanceDetails>,
  before: Slots,
): Promise<void> {
  await allocateSlots(context, changed, before);
  const after = await slotsOf(context.db, changed.reservation.id);
  if (!keepsAll(before, after))
    throw refusedHosts(
      conflict('A flavor reservation keeps its hosts while it is active.'),
      wantedWithSlots(changed, before),
    );
}
