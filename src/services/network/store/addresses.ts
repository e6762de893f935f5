// The fixed IPs of ports. The primary key gives an address of a subnet to one port only.
import { deferred } from '../../../kernel/db/transaction.ts';
import type { Knex } from 'knex';
import { text, textWhere } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { Recurring } from '../../../kernel/db/drivers/recurring.ts';
import { isDuplicate, retryOnConstraint, SerializationFailure } from '../../../kernel/db/errors.ts';
import type { Condition } from '../../../kernel/db/listing.ts';
import { Table } from '../../../kernel/db/table.ts';
import type { ApiError } from '../../../kernel/errors.ts';
import { fromSortKey, parseIp, sortKey, type Ip } from '../ip.ts';
import type { FixedIp } from '../model.ts';
import { address } from './columns.ts';
import { beingChanged } from './conflicts.ts';
import { groupedValues } from '../../../kernel/db/grouping.ts';

/** `sort_key` is the address in hexadecimal digits, which sort like addresses. */
const addressTable = new Table(
  'network_addresses',
  {
    subnet_id: text,
    sort_key: textWhere((key, row) => {
      const ip = parseIp(row['ip_address']);
      return ip !== undefined && sortKey(ip) === key;
    }, 'the address in hexadecimal digits'),
    ip_address: address,
    port_id: text,
  },
  { key: ['subnet_id', 'sort_key'] },
);

const recurring = new Recurring();

/** How many values a query of this file names: databases limit the number of parameters. */
const valuesPerQuery = 500;

const chunks = (values: readonly string[], size = valuesPerQuery): string[][] =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size),
  );

/**
 * The fixed IPs of ports, by port. Those of a port are sorted by address as text, then by subnet.
 * Upstream: the relationship `fixed_ips` in neutron/db/models_v2.py.
 */
export async function addressesOf(
  db: Db,
  portIds: readonly string[],
): Promise<Map<string, FixedIp[]>> {
  const rows = [];
  for (const part of chunks(portIds))
    rows.push(
      ...(await addressTable.list(db, {
        where: { port_id: part },
        sort: ['port_id', 'ip_address', 'subnet_id'],
      })),
    );
  return groupedValues(
    rows,
    (row) => row.port_id,
    ({ subnet_id, ip_address }) => ({ subnet_id, ip_address }),
  );
}

/** Inserts an address of a port. */
const insertAddress = (db: Db, portId: string, fixed: FixedIp) =>
  addressTable.insert(db, {
    ...fixed,
    port_id: portId,
    sort_key: sortKey(parseIp(fixed.ip_address)!),
  });

/**
 * Gives a port an address.
 * @throws SerializationFailure with `inUse` if another port has just got it
 */
export async function assignAddress(
  db: Db,
  portId: string,
  fixed: FixedIp,
  inUse: ApiError,
): Promise<void> {
  await retryOnConstraint(insertAddress(db, portId, fixed), () => inUse);
}

/**
 * Gives a port an address for which any other would do as well.
 * @returns false if another port has just got it
 */
export async function tryAssignAddress(db: Db, portId: string, fixed: FixedIp): Promise<boolean> {
  try {
    await insertAddress(db, portId, fixed);
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}

/** Removes addresses from a port; all of them, if none is named. */
export async function releaseAddresses(
  db: Db,
  portId: string,
  addresses?: readonly FixedIp[],
): Promise<void> {
  if (!addresses) {
    await deferred(addressTable.remove(db, { port_id: portId }));
    return;
  }
  for (const { subnet_id, ip_address } of addresses)
    await addressTable.remove(db, { port_id: portId, subnet_id, ip_address });
}

/**
 * Removes the addresses that these ports have on a subnet. A port that has got one since keeps it,
 * and its foreign key keeps the subnet.
 */
export async function releaseAddressesOnSubnet(
  db: Db,
  subnetId: string,
  portIds: readonly string[],
): Promise<void> {
  for (const part of chunks(portIds, 200))
    await addressTable.remove(db, { subnet_id: subnetId, port_id: part });
}

/** The ids of the ports with addresses on subnets, once for each address. */
export async function portsOnSubnets(db: Db, subnetIds: readonly string[]): Promise<string[]> {
  const rows = await addressTable.among(db, 'subnet_id', subnetIds);
  return rows.map((row) => row.port_id);
}

/** The id of the port that has the address. */
export async function portWithAddress(
  db: Db,
  subnetId: string,
  ip: Ip,
): Promise<string | undefined> {
  return (await addressTable.find(db, { subnet_id: subnetId, sort_key: sortKey(ip) }))?.port_id;
}

/**
 * Checks that no floating IP is associated with an address of a port other than these. The check is
 * an UPDATE, so that it sees what other transactions have committed since this one began to read.
 * @throws SerializationFailure if one is
 */
export async function requireNoFloating(
  db: Db,
  portId: string,
  kept: readonly FixedIp[],
): Promise<void> {
  const associated = await db('network_floatingips')
    .where({ port_id: portId })
    .whereNotIn(
      'fixed_ip_address',
      kept.map(({ ip_address: ip }) => ip),
    )
    .update({ revision_number: db.ref('revision_number') });
  if (associated) throw new SerializationFailure(beingChanged('floating IP'));
}

/** The ids of the ports that have an address on the subnet. */
export async function portsOnSubnet(db: Db, subnetId: string): Promise<string[]> {
  const rows = (await db(addressTable.name)
    .where({ subnet_id: subnetId })
    .distinct('port_id')
    .orderBy('port_id')) as { port_id: string }[];
  return rows.map((row) => row.port_id);
}

/** The number of addresses in use on each subnet. */
export async function usedBySubnet(
  db: Db,
  subnetIds: readonly string[],
): Promise<Map<string, number>> {
  const used = new Map<string, number>();
  for (const part of chunks(subnetIds)) {
    const rows = (await db(addressTable.name)
      .whereIn('subnet_id', part)
      .groupBy('subnet_id')
      .orderBy('subnet_id')
      .select('subnet_id')
      .count('* as used')) as { subnet_id: string; used: number }[];
    for (const row of rows) used.set(row.subnet_id, Number(row.used));
  }
  return used;
}

/**
 * The free addresses of a subnet from `first` to `last`: those after the highest in use, then the
 * gaps, the lowest first. `skip` puts that many at the end, so that transactions that retry at the
 * same time try different ones. Addresses that get in use meanwhile may appear.
 */
export async function* freeAddresses(
  db: Db,
  subnetId: string,
  first: Ip,
  last: Ip,
  skip = 0,
): AsyncGenerator<Ip, void> {
  const { version } = first;
  const within = (subnet: string, from: string, to: string): Knex.QueryBuilder =>
    db(addressTable.name).where({ subnet_id: subnet }).whereBetween('sort_key', [from, to]);
  const range = [subnetId, sortKey(first), sortKey(last)] as const;
  const [row] = await recurring.statement<{ highest: string | null }[]>(
    db,
    'highest address',
    range,
    ([subnet, from, to]) => within(subnet!, from!, to!).max('sort_key as highest'),
  );
  const start = row?.highest ? fromSortKey(row.highest, version).value + 1n : first.value;
  for (let value = start + BigInt(skip); value <= last.value; value++) yield { version, value };
  const rows = (await within(...range)
    .orderBy('sort_key')
    .select('sort_key')) as { sort_key: string }[];
  const used = rows.map(({ sort_key }) => fromSortKey(sort_key, version).value);
  const gaps = (): Generator<bigint> => gapsBetween(used, first.value, last.value);
  let index = 0;
  for (const value of gaps()) if (index++ >= skip) yield { version, value };
  index = 0;
  for (const value of gaps()) {
    if (index++ >= skip) return;
    yield { version, value };
  }
}

function* gapsBetween(used: readonly bigint[], first: bigint, last: bigint): Generator<bigint> {
  let next = first;
  for (const end of [...used, last + 1n]) {
    for (; next < end; next++) yield next;
    next = end + 1n;
  }
}

/** What the fixed IPs of a port are filtered by. */
export interface AddressFilter {
  readonly ips?: readonly string[];
  readonly subnets?: readonly string[];
  readonly substrings?: readonly string[];
}

/**
 * Ports with an address that is one of the IPs, is on one of the subnets, and contains one of the
 * substrings.
 */
export const withAddress =
  (db: Db, { ips = [], subnets = [], substrings = [] }: AddressFilter): Condition =>
  (query) => {
    const ports = db(addressTable.name).select('port_id');
    if (ips.length) void ports.whereIn('ip_address', ips);
    if (subnets.length) void ports.whereIn('subnet_id', subnets);
    if (substrings.length) {
      void ports.where((any) => {
        for (const substring of substrings)
          void any.orWhereRaw("?? LIKE ? ESCAPE '|'", [
            'ip_address',
            `%${substring.replaceAll(/[|%_]/g, '|$&')}%`,
          ]);
      });
    }
    void query.whereIn('network_ports.id', ports);
  };
