// Hosts that can be reserved: their rows, with their extra capabilities and the properties that
// these are of.
import type { Micros } from '../../../kernel/clock.ts';
import type { Db } from '../../../kernel/db/database.ts';
import {
  bumpRevision,
  deleteAtRevision,
  updateAtRevision,
} from '../../../kernel/db/optimistic-lock.ts';
import { SerializationFailure, isDuplicate } from '../../../kernel/db/errors.ts';
import { conflict, ApiError } from '../../../kernel/errors.ts';
import { newUuid } from '../../../kernel/ids.ts';
import { hostType, type Capability, type Host, type Property } from '../model.ts';

interface Row {
  id: number;
  hypervisor_hostname: string;
  service_name: string;
  hypervisor_type: string;
  hypervisor_version: number;
  vcpus: number;
  memory_mb: number;
  local_gb: number;
  cpu_info: string;
  availability_zone: string;
  trust_id: string | null;
  reservable: number | boolean;
  stocks: string;
  revision: number;
  created_at: number;
  updated_at: number | null;
}

const record = (row: Row): Host => ({
  id: row.id,
  hypervisorHostname: row.hypervisor_hostname,
  serviceName: row.service_name,
  hypervisorType: row.hypervisor_type,
  hypervisorVersion: row.hypervisor_version,
  vcpus: row.vcpus,
  memoryMb: row.memory_mb,
  localGb: row.local_gb,
  cpuInfo: row.cpu_info,
  availabilityZone: row.availability_zone,
  trustId: row.trust_id,
  reservable: Boolean(row.reservable),
  stocks: JSON.parse(row.stocks) as Host['stocks'],
  revision: row.revision,
  createdAt: Number(row.created_at),
  updatedAt: row.updated_at === null ? null : Number(row.updated_at),
});

/** All hosts, in the order of their numbers. */
export async function listHosts(db: Db): Promise<Host[]> {
  return ((await db('reservation_hosts').orderBy('id')) as Row[]).map(record);
}

export async function findHost(db: Db, id: number): Promise<Host | undefined> {
  const row = (await db('reservation_hosts').where({ id }).first()) as Row | undefined;
  return row && record(row);
}

/** Hosts by number, in the order of the numbers. */
export async function findHosts(db: Db, ids: readonly number[]): Promise<Host[]> {
  if (!ids.length) return [];
  return ((await db('reservation_hosts').whereIn('id', ids).orderBy('id')) as Row[]).map(record);
}

/** @throws the driver's duplicate error where the host is there */
export async function insertHost(db: Db, host: Host): Promise<void> {
  await db('reservation_hosts').insert({
    id: host.id,
    hypervisor_hostname: host.hypervisorHostname,
    service_name: host.serviceName,
    hypervisor_type: host.hypervisorType,
    hypervisor_version: host.hypervisorVersion,
    vcpus: host.vcpus,
    memory_mb: host.memoryMb,
    local_gb: host.localGb,
    cpu_info: host.cpuInfo,
    availability_zone: host.availabilityZone,
    trust_id: host.trustId,
    reservable: Number(host.reservable),
    stocks: JSON.stringify(host.stocks),
    revision: host.revision,
    created_at: host.createdAt,
    updated_at: host.updatedAt,
  });
}

const table = { name: 'reservation_hosts' };
const changed = (): ApiError => conflict('The host was changed by another request.');
const promised = (): ApiError => new ApiError(500, 'Not enough hosts available');

/**
 * Notes that something is promised on hosts.
 * @throws Contention where something else was meanwhile
 */
export async function countPromises(
  db: Db,
  hosts: readonly Pick<Host, 'id' | 'revision'>[],
): Promise<void> {
  try {
    for (const { id, revision } of hosts) await bumpRevision(db, table, [id, revision], promised);
  } catch (error) {
    // Without a lock that comes first: the next attempt waits for its turn, and whoever has the
    // turn would wait for that lock.
    throw error instanceof SerializationFailure ? new SerializationFailure(promised()) : error;
  }
}

/**
 * Says whether a host can be reserved.
 * @throws Contention where something was promised on it meanwhile
 */
export async function markHost(
  db: Db,
  host: Host,
  reservable: boolean,
  now: Micros,
): Promise<void> {
  await updateAtRevision(
    db,
    table,
    [host.id, host.revision],
    { reservable: Number(reservable), updated_at: now },
    changed,
  );
}

/**
 * Claims a host of which something else is said.
 * @throws Contention where something was promised on it meanwhile
 */
export const bumpHostRevision = (db: Db, host: Host): Promise<number> =>
  bumpRevision(db, table, [host.id, host.revision], changed);

/**
 * @throws the driver's foreign key error where something is promised on it, Contention where
 *   another writer was faster
 */
export async function deleteHost(db: Db, { id, revision }: Host): Promise<void> {
  await db('reservation_capabilities').where({ host_id: id }).delete();
  await deleteAtRevision(db, table, [id, revision], changed);
}

/** The extra capabilities of hosts, or of all; with a name, those of that name. */
export async function capabilitiesOf(
  db: Db,
  { hosts, names }: { hosts?: readonly number[]; names?: readonly string[] } = {},
): Promise<Capability[]> {
  const query = db('reservation_capabilities as c')
    .join('reservation_properties as p', 'p.id', 'c.property_id')
    .orderBy(['c.host_id', 'p.name'])
    .select('c.host_id', 'p.name', 'c.value');
  if (hosts) void query.whereIn('c.host_id', hosts);
  if (names) void query.whereIn('p.name', names);
  const rows = (await query) as { host_id: number; name: string; value: string }[];
  return rows.map((row) => ({ hostId: row.host_id, name: row.name, value: row.value }));
}

/** Writes a capability of a host, of a property that is made where there is none. */
export async function putCapability(
  db: Db,
  { hostId, name, value }: Capability,
  now: Micros,
): Promise<void> {
  const property = (await findProperty(db, name)) ?? (await insertProperty(db, name, now));
  await db('reservation_capabilities')
    .insert({ host_id: hostId, property_id: property.id, value })
    .onConflict(['host_id', 'property_id'])
    .merge(['value']);
}

export async function deleteCapability(
  db: Db,
  { hostId, name }: Omit<Capability, 'value'>,
): Promise<void> {
  const property = await findProperty(db, name);
  if (property)
    await db('reservation_capabilities')
      .where({ host_id: hostId, property_id: property.id })
      .delete();
}

interface PropertyRow {
  id: string;
  resource_type: string;
  name: string;
  private: number | boolean;
  created_at: number;
  updated_at: number | null;
}

const propertyRecord = (row: PropertyRow): Property => ({
  id: row.id,
  resourceType: row.resource_type,
  name: row.name,
  isPrivate: Boolean(row.private),
  createdAt: Number(row.created_at),
  updatedAt: row.updated_at === null ? null : Number(row.updated_at),
});

export async function listProperties(db: Db): Promise<Property[]> {
  return ((await db('reservation_properties').orderBy('name')) as PropertyRow[]).map(
    propertyRecord,
  );
}

export async function findProperty(db: Db, name: string): Promise<Property | undefined> {
  const row = (await db('reservation_properties')
    .where({ resource_type: hostType, name })
    .first()) as PropertyRow | undefined;
  return row && propertyRecord(row);
}

async function insertProperty(db: Db, name: string, now: Micros): Promise<Property> {
  const row = {
    id: newUuid(),
    resource_type: hostType,
    name,
    private: 0,
    created_at: now,
    updated_at: null,
  };
  try {
    await db('reservation_properties').insert(row);
  } catch (error) {
    throw isDuplicate(error)
      ? new SerializationFailure(conflict(`The property ${name} was made by another request.`))
      : error;
  }
  return propertyRecord(row);
}

export async function updateProperty(
  db: Db,
  property: Property,
  isPrivate: boolean,
  now: Micros,
): Promise<Property> {
  await db('reservation_properties')
    .where({ id: property.id })
    .update({ private: Number(isPrivate), updated_at: now });
  return { ...property, isPrivate, updatedAt: now };
}
