// The tables of hosts, of their extra capabilities, and of the properties that these are values of.
import type { Micros } from '../../../kernel/clock.ts';
import {
  boolean,
  integer,
  jsonObject,
  micros,
  named,
  nullable,
  text,
} from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { retryOnConstraint, SerializationFailure } from '../../../kernel/db/errors.ts';
import { Recurring, type Statement } from '../../../kernel/db/drivers/recurring.ts';
import { Kept } from '../../../kernel/db/kept/kept.ts';
import { changeRevision } from '../../../kernel/db/kept/revisions.ts';
import { pipelined } from '../../../kernel/db/pipelined.ts';
import { RevisionTable } from '../../../kernel/db/revision-table.ts';
import { Table } from '../../../kernel/db/table.ts';
import { conflict, ApiError } from '../../../kernel/errors.ts';
import { newUuid } from '../../../kernel/ids.ts';
import { hostType, type Capability, type Host, type Property } from '../model.ts';

const recurring = new Recurring();

const hosts = new RevisionTable<Host>(
  'reservation_hosts',
  {
    id: integer,
    hypervisorHostname: text,
    serviceName: text,
    hypervisorType: text,
    hypervisorVersion: integer,
    vcpus: integer,
    memoryMb: integer,
    localGb: integer,
    cpuInfo: text,
    availabilityZone: text,
    trustId: nullable(text),
    reservable: boolean,
    stocks: jsonObject(),
    revision: integer,
    createdAt: micros,
    updatedAt: nullable(micros),
  },
  { revision: 'revision' },
);

/** The revision of the hosts. Allocations, which only bump the revision of a row, keep it. */
export const hostsRevision = 'reservation.hosts';

/** All hosts by id, in memory. Their own revisions may be older than those of their rows. */
const kept = new Kept(
  hostsRevision,
  async (db) => new Map((await hosts.list(db)).map((host) => [host.id, host])),
);

/** Lists all hosts by id. */
export const listHosts = (db: Db): Promise<Host[]> => hosts.list(db);

/**
 * Lists all hosts by id, and the ids of those that have an allocation at any time, except one of a
 * given reservation. Only in a transaction do both belong to the same moment.
 */
export async function listHostsInUse(
  db: Db,
  exceptReservation = '',
): Promise<{ readonly hosts: readonly Host[]; readonly inUse: ReadonlySet<number> }> {
  const [known, rows] = await pipelined([kept.read(db), readHostsInUse(db, exceptReservation)]);
  return {
    hosts: rows.map(({ id, revision }) => ({ ...known.get(id)!, revision })),
    inUse: new Set(rows.filter(({ in_use }) => in_use).map(({ id }) => id)),
  };
}

/** The ids and revisions of all hosts, and whether each has an allocation. */
const readHostsInUse = (
  db: Db,
  exceptReservation: string,
): Statement<{ id: number; revision: number; in_use: number }[]> =>
  recurring.statement(db, 'in use', [exceptReservation], ([except]) => {
    // A subquery for each host, because there may be many more allocations than hosts.
    const allocation = db('reservation_allocations as a')
      .whereRaw('a.host_id = reservation_hosts.id')
      .whereNot('a.reservation_id', except!)
      .select(db.raw('1'));
    const inUse = db.raw('exists ? as in_use', [allocation]);
    return hosts.query(db).select('id', 'revision', inUse).orderBy('id');
  });

export const findHost = (db: Db, id: number): Promise<Host | undefined> => hosts.find(db, { id });

/** Reads hosts, in the order of their ids. */
export const findHosts = (db: Db, ids: Iterable<number>): Promise<Host[]> =>
  hosts.among(db, 'id', ids);

/** @throws the driver's duplicate error if the host is already registered */
export async function insertHost(db: Db, host: Host): Promise<void> {
  changeRevision(db, hostsRevision);
  await hosts.insert(db, host);
}

const changed = (): ApiError => conflict('The host was changed by another request.');
const allocated = (): ApiError => new ApiError(500, 'Not enough hosts available');

/**
 * Bumps the revisions of hosts on which slots are about to be allocated.
 * @throws SerializationFailure if another transaction has allocated slots on one since it was read
 */
export async function bumpHostRevisions(db: Db, chosen: readonly Host[]): Promise<void> {
  try {
    for (const host of chosen) await hosts.bumpRevision(db, host, allocated);
  } catch (error) {
    // Without `lockOnRetry`: the next attempt waits for the named lock of Reservation, whose holder
    // would wait for the row lock of this transaction (a deadlock).
    throw error instanceof SerializationFailure ? new SerializationFailure(allocated()) : error;
  }
}

/**
 * Sets whether a host can be reserved.
 * @throws SerializationFailure if another transaction has allocated slots on it since it was read
 */
export async function setReservable(
  db: Db,
  host: Host,
  reservable: boolean,
  now: Micros,
): Promise<void> {
  changeRevision(db, hostsRevision);
  await hosts.updateAtRevision(db, host, { reservable, updatedAt: now }, changed);
}

/**
 * Bumps the revision of a host whose capabilities are about to change.
 * @throws SerializationFailure if another transaction has allocated slots on it since it was read
 */
export const bumpHostRevision = (db: Db, host: Host): Promise<Host> =>
  hosts.bumpRevision(db, host, changed);

/**
 * @throws the driver's foreign key error if slots of the host are allocated, SerializationFailure
 *   if another transaction has changed it
 */
export async function deleteHost(db: Db, host: Host): Promise<void> {
  changeRevision(db, hostsRevision);
  await hostValues.remove(db, { hostId: host.id });
  await hosts.removeAtRevision(db, host, changed);
}

/** The values of properties, by the ids of hosts and properties. */
const hostValues = new Table(
  'reservation_capabilities',
  { hostId: integer, propertyId: text, value: text },
  { key: ['hostId', 'propertyId'] },
);

/** The same values with the names of the properties. */
const capabilities = new Table<Capability>(
  hostValues.name,
  { hostId: integer, name: named('reservation_properties.name', text), value: text },
  {
    key: ['hostId', 'name'],
    join: (query) =>
      void query.join(
        'reservation_properties',
        'reservation_properties.id',
        'reservation_capabilities.property_id',
      ),
  },
);

/** Lists the extra capabilities, by host and name. An undefined filter matches all of them. */
export const listCapabilities = (
  db: Db,
  filter: { readonly hostId?: number; readonly name?: readonly string[] } = {},
): Promise<Capability[]> => capabilities.list(db, { where: filter });

/** Sets a capability of a host. Creates the property if no host has ever had it. */
export async function setCapability(
  db: Db,
  { hostId, name, value }: Capability,
  now: Micros,
): Promise<void> {
  const property = (await findProperty(db, name)) ?? (await insertProperty(db, name, now));
  await hostValues.upsert(db, [{ hostId, propertyId: property.id, value }], undefined, ['value']);
}

export async function deleteCapability(
  db: Db,
  { hostId, name }: Omit<Capability, 'value'>,
): Promise<void> {
  const property = await findProperty(db, name);
  if (property) await hostValues.remove(db, { hostId, propertyId: property.id });
}

const properties = new Table<Property>('reservation_properties', {
  id: text,
  resourceType: text,
  name: text,
  isPrivate: named('private', boolean),
  createdAt: micros,
  updatedAt: nullable(micros),
});

export const listProperties = (db: Db): Promise<Property[]> =>
  properties.list(db, { sort: ['name'] });

export const findProperty = (db: Db, name: string): Promise<Property | undefined> =>
  properties.find(db, { resourceType: hostType, name });

async function insertProperty(db: Db, name: string, now: Micros): Promise<Property> {
  const property: Property = {
    id: newUuid(),
    resourceType: hostType,
    name,
    isPrivate: false,
    createdAt: now,
    updatedAt: null,
  };
  await retryOnConstraint(properties.insert(db, property), () =>
    conflict(`The property ${name} was made by another request.`),
  );
  return property;
}

export async function updateProperty(
  db: Db,
  property: Property,
  isPrivate: boolean,
  now: Micros,
): Promise<Property> {
  await properties.update(db, { id: property.id }, { isPrivate, updatedAt: now });
  return { ...property, isPrivate, updatedAt: now };
}
