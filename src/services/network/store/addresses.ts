// The fixed IPs of ports: an address of a subnet belongs to one port, which the primary key sees
// to.
import { SerializationFailure, isDuplicate } from '../../../kernel/db/errors.ts';
import type { ApiError } from '../../../kernel/errors.ts';
import { fromSortKey, parseIp, sortKey, type Ip } from '../ip.ts';
import type { FixedIp } from '../model.ts';
import { beingChanged, contended, grouped, inParts, type Condition } from './table.ts';
import type { Db } from '../../../kernel/db/database.ts';

interface Row {
  subnet_id: string;
  sort_key: string;
  ip_address: string;
  port_id: string;
  place: number;
}

const table = (db: Db) => db<Row>('network_addresses');

/** The fixed IPs of ports, by port, each in the order in which they were given. */
export async function addressesOf(
  db: Db,
  portIds: readonly string[],
): Promise<Map<string, FixedIp[]>> {
  const rows = await inParts<Row>([...portIds], (part) =>
    table(db)
      .whereIn('port_id', [...part])
      .orderBy(['port_id', 'place', 'sort_key']),
  );
  const byPort = grouped(rows, (row) => row.port_id);
  return new Map(
    [...byPort].map(([id, own]) => [
      id,
      own.map(({ subnet_id, ip_address }) => ({ subnet_id, ip_address })),
    ]),
  );
}

/** Gives a port an address. @throws Contention with `inUse` where another port has just taken it */
export async function takeAddress(
  db: Db,
  portId: string,
  place: number,
  fixed: FixedIp,
  inUse: ApiError,
): Promise<void> {
  const row = { ...fixed, port_id: portId, place, sort_key: sortKey(parseIp(fixed.ip_address)!) };
  await contended(inUse, () => table(db).insert(row));
}

/**
 * Gives a port an address, where any other would do.
 * @returns false where another port has just taken it
 */
export async function tryAddress(
  db: Db,
  portId: string,
  place: number,
  fixed: FixedIp,
): Promise<boolean> {
  try {
    await table(db).insert({
      ...fixed,
      port_id: portId,
      place,
      sort_key: sortKey(parseIp(fixed.ip_address)!),
    });
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}

export async function dropAddresses(
  db: Db,
  portId: string,
  addresses?: readonly FixedIp[],
): Promise<void> {
  if (!addresses) return void (await table(db).where({ port_id: portId }).delete());
  for (const { subnet_id, ip_address } of addresses)
    await table(db).where({ port_id: portId, subnet_id, ip_address }).delete();
}

/**
 * Drops what these ports have of a subnet. Who has got an address meanwhile keeps it, and its key
 * keeps the subnet.
 */
export async function dropAddressesOnSubnet(
  db: Db,
  subnetId: string,
  portIds: readonly string[],
): Promise<void> {
  for (let at = 0; at < portIds.length; at += 200)
    await table(db)
      .where({ subnet_id: subnetId })
      .whereIn('port_id', portIds.slice(at, at + 200))
      .delete();
}

/** The id of the port that has the address. */
export async function holderOf(db: Db, subnetId: string, ip: Ip): Promise<string | undefined> {
  return (
    await table(db)
      .where({ subnet_id: subnetId, sort_key: sortKey(ip) })
      .first()
  )?.port_id;
}

/**
 * Finds that no floating IP leads to other addresses of a port than these. It writes, and so it
 * sees what others have written since this transaction began to read.
 * @throws Contention where one does
 */
export async function requireNoFloating(
  db: Db,
  portId: string,
  kept: readonly FixedIp[],
): Promise<void> {
  const led = await db('network_floatingips')
    .where({ port_id: portId })
    .whereNotIn(
      'fixed_ip_address',
      kept.map(({ ip_address: ip }) => ip),
    )
    .update({ revision_number: db.ref('revision_number') });
  if (led) throw new SerializationFailure(beingChanged('floating IP'));
}

/** The ids of the ports that have an address of the subnet. */
export async function portsOnSubnet(db: Db, subnetId: string): Promise<string[]> {
  const rows = (await table(db)
    .where({ subnet_id: subnetId })
    .distinct('port_id')
    .orderBy('port_id')) as Pick<Row, 'port_id'>[];
  return rows.map((row) => row.port_id);
}

/** How many addresses of each subnet are taken. */
export async function takenBySubnet(
  db: Db,
  subnetIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await inParts(
    [...subnetIds],
    async (part) =>
      (await table(db)
        .whereIn('subnet_id', [...part])
        .groupBy('subnet_id')
        .orderBy('subnet_id')
        .select('subnet_id')
        .count('* as taken')) as { subnet_id: string; taken: number }[],
  );
  return new Map(rows.map((row) => [row.subnet_id, Number(row.taken)]));
}

/**
 * A free address from `first` to `last`: the one after the highest that is taken, or the lowest of
 * those between once the end is reached. `skip` passes over as many free ones, so that those who
 * try again at the same time try different ones.
 */
export async function freeAddress(
  db: Db,
  subnetId: string,
  first: Ip,
  last: Ip,
  skip = 0,
): Promise<Ip | undefined> {
  const within = () =>
    table(db)
      .where({ subnet_id: subnetId })
      .whereBetween('sort_key', [sortKey(first), sortKey(last)]);
  const [row] = (await within().max('sort_key as highest')) as { highest: string | null }[];
  const highest = row?.highest;
  if (!highest && first.value + BigInt(skip) <= last.value)
    return { version: first.version, value: first.value + BigInt(skip) };
  const next = highest
    ? fromSortKey(highest, first.version).value + 1n + BigInt(skip)
    : first.value;
  if (next <= last.value) return { version: first.version, value: next };
  return lowestFree(within(), first, last, skip);
}

async function lowestFree(
  taken: ReturnType<typeof table>,
  first: Ip,
  last: Ip,
  skip: number,
): Promise<Ip | undefined> {
  const rows = (await taken.orderBy('sort_key').select('sort_key')) as Pick<Row, 'sort_key'>[];
  let next = first.value;
  let left = skip;
  let best: bigint | undefined;
  for (const end of [
    ...rows.map((row) => fromSortKey(row.sort_key, first.version).value),
    last.value + 1n,
  ]) {
    const gap = end - next;
    if (gap > 0n) {
      best = next + (BigInt(left) < gap ? BigInt(left) : gap - 1n);
      if (BigInt(left) < gap) break;
      left -= Number(gap);
    }
    next = end + 1n;
  }
  return best === undefined ? undefined : { version: first.version, value: best };
}

/**
 * Ports with one of the addresses, on one of the subnets, and with an address that has one of the
 * parts.
 */
export const withAddress =
  (
    db: Db,
    {
      ips = [],
      subnets = [],
      parts = [],
    }: { ips?: readonly string[]; subnets?: readonly string[]; parts?: readonly string[] },
  ): Condition =>
  (query) => {
    const ports = table(db).select('port_id');
    if (ips.length) void ports.whereIn('ip_address', [...ips]);
    if (subnets.length) void ports.whereIn('subnet_id', [...subnets]);
    if (parts.length) {
      void ports.where((any) => {
        for (const part of parts)
          void any.orWhereRaw("?? LIKE ? ESCAPE '|'", [
            'ip_address',
            `%${part.replaceAll(/[|%_]/g, '|$&')}%`,
          ]);
      });
    }
    void query.whereIn('network_ports.id', ports);
  };
