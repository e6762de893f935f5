// Captures the hosts, the floating IPs and the leases of a cloud.
import { entriesOf, textOrNull, utcTimeOf } from '../../../../emulator/capture/fields.ts';
import type { Captured, CaptureSource, Json } from '../../../../emulator/capture/model.ts';
import { grouped } from '../../../../kernel/db/grouping.ts';
import type { Context } from '../../../../kernel/model.ts';
import { listAggregates } from '../../clients/compute.ts';
import { asService } from '../../clients/identity.ts';
import { readStocks } from '../../clients/placement.ts';
import {
  endEvent,
  eventStatuses,
  floatingIpType,
  flavorType,
  hostType,
  instanceType,
  leaseStatuses,
  reservationStatuses,
  type Details,
  type FloatingIpDetails,
  type InstanceDetails,
  type Lease,
  type LeaseEvent,
  type Reservation,
} from '../../model.ts';
import { replaceAllocations } from '../../store/allocations.ts';
import { insertEvents } from '../../store/events.ts';
import { insertHost, setCapability } from '../../store/hosts.ts';
import { insertLease } from '../../store/leases.ts';
import { insertReservation } from '../../store/reservations.ts';
import {
  allocateFloatingIps,
  captureFloatingIps,
  floatingIpDetails,
  type ReservedFloatingIps,
} from './floating-ips.ts';
import { columnNames } from '../hosts/hosts.ts';
import { scheduleEvent } from '../leases/events.ts';
import { sourceDetails } from '../resources/flavors.ts';

/** The events that happen, in their order. */
const scheduled = ['start_lease', 'before_end_lease', endEvent];

/** What belongs to reservations besides their own fields, by their ids. */
interface Reserved {
  /** The number of slots on each host. */
  readonly slots: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** The number of the aggregate in the copy. Its name is the id of the reservation. */
  readonly aggregates: ReadonlyMap<string, number>;
}

/** Captures what Blazar can reserve, and the leases with their reservations and events. */
export async function captureReservation(plain: Context, source: CaptureSource): Promise<Captured> {
  const context = asService(plain);
  const get = async (path: string, key: string): Promise<readonly Json[]> =>
    entriesOf(await source.get('reservation', path), key);
  const hosts = await get('/v1/os-hosts', 'hosts');
  for (const one of hosts) await captureHost(context, one);
  const reserved: Reserved = {
    slots: slotsIn(await get('/v1/os-hosts/allocations', 'allocations')),
    aggregates: new Map((await listAggregates(context)).map(({ id, name }) => [name, id])),
  };
  const floatingIps = await captureFloatingIps(context, source);
  const leases = await get('/v1/leases', 'leases');
  const waiting: ReservedFloatingIps[] = [];
  for (const one of leases) waiting.push(...(await captureLease(context, one, reserved)));
  await allocateFloatingIps(context, source, waiting);
  return {
    'reservable hosts': hosts.length,
    'reservable floating IPs': floatingIps,
    leases: leases.length,
  };
}

async function captureHost(context: Context, one: Json): Promise<void> {
  const { db, now } = context;
  const id = Number(one['id']);
  const hypervisorHostname = String(one['hypervisor_hostname']);
  await insertHost(db, {
    id,
    hypervisorHostname,
    serviceName: String(one['service_name']),
    hypervisorType: String(one['hypervisor_type']),
    hypervisorVersion: Number(one['hypervisor_version']),
    vcpus: Number(one['vcpus']),
    memoryMb: Number(one['memory_mb']),
    localGb: Number(one['local_gb']),
    cpuInfo: String(one['cpu_info']),
    availabilityZone: String(one['availability_zone'] ?? ''),
    trustId: null,
    reservable: one['reservable'] !== false,
    stocks: await readStocks(context, hypervisorHostname),
    revision: 1,
    createdAt: utcTimeOf(one['created_at']) ?? now,
    updatedAt: utcTimeOf(one['updated_at']),
  });
  for (const [name, value] of Object.entries(one))
    if (!columnNames.has(name) && typeof value === 'string')
      await setCapability(db, { hostId: id, name, value }, now);
}

/** The number of slots of each reservation, by its id and that of the host. */
function slotsIn(allocations: readonly Json[]): Reserved['slots'] {
  const pairs = allocations.flatMap(({ resource_id: host, reservations }) =>
    (reservations as readonly Json[]).map(({ id }) => ({ id: String(id), host: Number(host) })),
  );
  return new Map(
    [...grouped(pairs, ({ id }) => id)].map(([id, own]) => [
      id,
      new Map([...grouped(own, ({ host }) => host)].map(([host, same]) => [host, same.length])),
    ]),
  );
}

/** Captures a lease. @returns its reservations of floating IPs, which are not allocated yet */
async function captureLease(
  context: Context,
  one: Json,
  { slots, aggregates }: Reserved,
): Promise<ReservedFloatingIps[]> {
  const { db, now } = context;
  const lease: Lease = {
    id: String(one['id']),
    name: String(one['name']),
    userId: String(one['user_id']),
    projectId: String(one['project_id']),
    startAt: utcTimeOf(one['start_date'])!,
    endAt: utcTimeOf(one['end_date'])!,
    trustId: null,
    status: leaseStatuses.find((status) => status === one['status']) ?? 'ERROR',
    degraded: one['degraded'] === true,
    revision: 1,
    createdAt: utcTimeOf(one['created_at']) ?? now,
    updatedAt: utcTimeOf(one['updated_at']),
  };
  await insertLease(db, lease);
  const reservations = (one['reservations'] as readonly Json[]).entries();
  const waiting: ReservedFloatingIps[] = [];
  for (const [position, reservation] of reservations) {
    const id = String(reservation['id']);
    const details = detailsOf(reservation, aggregates.get(id) ?? null);
    if (!details) continue;
    const record: Reservation = {
      id,
      leaseId: lease.id,
      position,
      resourceId: String(reservation['resource_id']),
      resourceType: String(reservation['resource_type']),
      status: reservationStatuses.find((status) => status === reservation['status']) ?? 'error',
      missingResources: reservation['missing_resources'] === true,
      resourcesChanged: reservation['resources_changed'] === true,
      error: null,
      details,
      createdAt: utcTimeOf(reservation['created_at']) ?? now,
      updatedAt: utcTimeOf(reservation['updated_at']),
    };
    await insertReservation(db, record);
    if (record.resourceType === floatingIpType)
      waiting.push({ lease, reservation: record as Reservation<FloatingIpDetails> });
    else await replaceAllocations(db, id, lease, slots.get(id) ?? new Map());
  }
  await captureEvents(context, lease, one['events'] as readonly Json[]);
  return waiting;
}

/** What a reservation asks for; undefined if it cannot be captured. */
function detailsOf(one: Json, aggregateId: number | null): Details | undefined {
  const type = one['resource_type'];
  if (type === hostType)
    return {
      min: Number(one['min']),
      max: Number(one['max']),
      hypervisorProperties: String(one['hypervisor_properties'] ?? ''),
      resourceProperties: String(one['resource_properties'] ?? ''),
      beforeEnd: String(one['before_end'] ?? 'default'),
      aggregateId,
    };
  if (type === floatingIpType) return floatingIpDetails(one);
  if (type !== instanceType && type !== flavorType) return undefined;
  const resourceProperties = String(one['resource_properties'] ?? '');
  const [vcpus, memoryMb, diskGb] = ['vcpus', 'memory_mb', 'disk_gb'].map((name) =>
    Number(one[name]),
  ) as [number, number, number];
  const details: InstanceDetails = {
    vcpus,
    memoryMb,
    diskGb,
    amount: Number(one['amount']),
    affinity: (one['affinity'] ?? null) as boolean | null,
    resourceProperties,
    aggregateId,
    serverGroupId: textOrNull(one['server_group_id']),
    demand: { VCPU: vcpus, MEMORY_MB: memoryMb, DISK_GB: diskGb },
    traits: [],
  };
  const hasSource = type === flavorType && resourceProperties.startsWith('{');
  return hasSource ? { ...details, ...sourceDetails(resourceProperties) } : details;
}

async function captureEvents(
  context: Context,
  lease: Lease,
  events: readonly Json[],
): Promise<void> {
  const { db, now } = context;
  const rows = events.map((one, position): LeaseEvent => ({
    id: String(one['id']),
    leaseId: lease.id,
    position,
    eventType: String(one['event_type']),
    time: utcTimeOf(one['time']),
    status: eventStatuses.find((status) => status === one['status']) ?? null,
    createdAt: utcTimeOf(one['created_at']) ?? now,
    updatedAt: utcTimeOf(one['updated_at']),
  }));
  await insertEvents(db, rows);
  for (const { eventType, time, status } of rows)
    if (time !== null && status === 'UNDONE' && scheduled.includes(eventType))
      await scheduleEvent(context, lease.id, eventType, time);
}
