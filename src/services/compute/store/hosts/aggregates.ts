// The tables of aggregates, their hosts and their metadata.
import type { Knex } from 'knex';
import type { Micros } from '../../../../kernel/clock.ts';
import { integer, micros, nullable, text, type Row } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Recurring } from '../../../../kernel/db/drivers/recurring.ts';
import { Table } from '../../../../kernel/db/table.ts';
import { deferred } from '../../../../kernel/db/transaction.ts';
import { conflict } from '../../../../kernel/errors.ts';
import { SerializationFailure } from '../../../../kernel/db/errors.ts';
import { groupedValues } from '../../../../kernel/db/grouping.ts';
import { guarded } from '../../../../kernel/db/guarded.ts';
import { type Aggregate, zoneKey } from '../../model.ts';
import { hostsChange } from './revision.ts';

const recurring = new Recurring();

type StoredAggregate = Omit<Aggregate, 'hosts' | 'metadata'>;

const aggregates = new Table<StoredAggregate, 'id'>('compute_aggregates', {
  id: integer,
  uuid: text,
  name: text,
  createdAt: micros,
  updatedAt: nullable(micros),
});
const aggregateHosts = new Table(
  'compute_aggregate_hosts',
  { aggregateId: integer, host: text },
  { key: ['aggregateId', 'host'] },
);
const aggregateMetadata = new Table(
  'compute_aggregate_metadata',
  { aggregateId: integer, name: text, value: text },
  { key: ['aggregateId', 'name'] },
);

async function withParts(db: Db, found: readonly StoredAggregate[]): Promise<Aggregate[]> {
  if (!found.length) return [];
  const where = { aggregateId: found.map(({ id }) => id) };
  const idOf = ({ aggregateId }: { readonly aggregateId: number }): number => aggregateId;
  const hosts = groupedValues(await aggregateHosts.list(db, { where }), idOf, ({ host }) => host);
  const metadata = groupedValues(
    await aggregateMetadata.list(db, { where }),
    idOf,
    ({ name, value }) => [name, value] as const,
  );
  return found.map((aggregate) => ({
    ...aggregate,
    hosts: hosts.get(aggregate.id) ?? [],
    metadata: Object.fromEntries(metadata.get(aggregate.id) ?? []),
  }));
}

export async function listAggregates(db: Db): Promise<Aggregate[]> {
  return withParts(db, await aggregates.list(db));
}

/** Lists the aggregates that contain one of the hosts. */
export async function aggregatesOfHosts(db: Db, hosts: readonly string[]): Promise<Aggregate[]> {
  const ids = db('compute_aggregate_hosts').whereIn('host', hosts).select('aggregate_id');
  const conditions = [(query: Knex.QueryBuilder) => void query.whereIn('id', ids)];
  return withParts(db, await aggregates.list(db, { conditions }));
}

/** A row of an aggregate with one of its hosts or items, or with neither. */
interface AggregateRow extends Row {
  readonly host: string | null;
  readonly item: string | null;
  readonly value: string;
}

export async function findAggregate(
  db: Db,
  key: { id: number } | { name: string },
): Promise<Aggregate | undefined> {
  const [[column, wanted]] = Object.entries(key) as [[string, string | number]];
  const rows = await recurring.statement<AggregateRow[]>(db, column, [wanted], ([value]) => {
    const found = (): Knex.QueryBuilder =>
      db('compute_aggregates as a').where(`a.${column}`, value!).select('a.*');
    const ofHosts = found()
      .join('compute_aggregate_hosts as h', 'h.aggregate_id', 'a.id')
      .select('h.host', db.raw('null as item'), db.raw('null as value'));
    return found()
      .leftJoin('compute_aggregate_metadata as m', 'm.aggregate_id', 'a.id')
      .select(db.raw('null as host'), 'm.name as item', 'm.value')
      .unionAll(ofHosts)
      .orderBy(['host', 'item']);
  });
  if (!rows[0]) return undefined;
  const items = rows.flatMap(({ item, value }) => (item === null ? [] : [[item, value] as const]));
  return {
    ...aggregates.record(rows[0]),
    hosts: rows.flatMap(({ host }) => host ?? []),
    metadata: Object.fromEntries(items),
  };
}

/** @returns its id. @throws the driver's duplicate error for the name */
export async function insertAggregate(
  db: Db,
  aggregate: Pick<Aggregate, 'uuid' | 'name'>,
  now: Micros,
): Promise<number> {
  hostsChange(db);
  const [id] = await aggregates.insert(db, { ...aggregate, createdAt: now, updatedAt: null });
  return id!;
}

/**
 * Updates `updated_at` of an aggregate, and its name if one is given.
 * @throws the driver's duplicate error for the name
 */
export async function touchAggregate(
  db: Db,
  id: number,
  now: Micros,
  name?: string,
): Promise<void> {
  hostsChange(db);
  if (name === undefined) await deferred(aggregates.update(db, { id }, { updatedAt: now }));
  else await aggregates.update(db, { id }, { updatedAt: now, name });
}

export async function deleteAggregate(db: Db, id: number): Promise<void> {
  hostsChange(db);
  await aggregateMetadata.remove(db, { aggregateId: id });
  await aggregates.remove(db, { id });
}

/** Updates items of metadata. Null deletes an item; all other items are kept. */
export async function putMetadata(
  db: Db,
  aggregateId: number,
  items: Readonly<Record<string, string | null>>,
): Promise<void> {
  hostsChange(db);
  const deleted = Object.keys(items).filter((name) => items[name] === null);
  const written = Object.entries(items).flatMap(([name, value]) =>
    value === null ? [] : [{ aggregateId, name, value }],
  );
  if (deleted.length) await aggregateMetadata.remove(db, { aggregateId, name: deleted });
  await aggregateMetadata.upsert(db, written, ['aggregateId', 'name'], ['value']);
}

/** @throws the driver's duplicate error if the aggregate already contains a host */
export async function insertAggregateHosts(
  db: Db,
  id: number,
  hosts: readonly string[],
): Promise<void> {
  hostsChange(db);
  await aggregateHosts.insertAll(
    db,
    hosts.map((host) => ({ aggregateId: id, host })),
  );
}

export async function deleteAggregateHost(db: Db, id: number, host: string): Promise<void> {
  hostsChange(db);
  await aggregateHosts.remove(db, { aggregateId: id, host });
}

/**
 * Locks the membership of a host in aggregates, so that it stays in them until this transaction
 * ends.
 * @throws SerializationFailure if another transaction has removed it from one of them
 */
export async function checkAggregateHost(
  db: Db,
  host: string,
  ids: readonly number[],
): Promise<void> {
  if (!ids.length) return;
  const write = db('compute_aggregate_hosts').where({ host }).whereIn('aggregate_id', ids);
  await guarded(
    write.update({ host: db.ref('host') }),
    () =>
      new SerializationFailure(
        conflict(`The aggregates of host ${host} are being changed. Please try again.`),
      ),
    ids.length,
  );
}

/** The availability zones that aggregates define, by host. */
export async function zonesByHost(db: Db): Promise<Map<string, string>> {
  const rows: { host: string; value: string }[] = await db('compute_aggregate_hosts as h')
    .join('compute_aggregate_metadata as m', 'm.aggregate_id', 'h.aggregate_id')
    .where('m.name', zoneKey)
    .orderBy(['h.host', 'h.aggregate_id'])
    .select('h.host', 'm.value');
  return new Map(rows.toReversed().map(({ host, value }) => [host, value]));
}
