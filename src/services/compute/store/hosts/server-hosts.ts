// The hosts as the scheduler sees them: nodes with their services, aggregates and zones.
import type { Knex } from 'knex';
import type { Db } from '../../../../kernel/db/database.ts';
import { pipelined } from '../../../../kernel/db/pipelined.ts';
import { defaultZone, type Host, type HostAggregate } from '../../model.ts';

interface HostRow {
  host: string;
  node: string;
  provider: string;
  disabled: number;
  forced_down: number;
}

interface AggregateRow {
  id: number;
  uuid: string;
  name: string;
  host: string;
}

interface MetadataRow {
  aggregate_id: number;
  name: string;
  value: string;
}

/** All hosts, or the nodes of one, in the order in which they were added. */
export async function listHosts(db: Db, name?: string): Promise<Host[]> {
  const query = db('compute_hosts as h')
    .join('compute_services as s', 's.id', 'h.service_id')
    .orderBy('h.id')
    .select('s.host', 'h.name as node', 'h.uuid as provider', 's.disabled', 's.forced_down');
  const [rows, aggregates, busy] = await pipelined([
    only(query, 's.host', name) as PromiseLike<HostRow[]>,
    aggregatesByHost(db, name),
    busyByHost(db, name),
  ]);
  return rows.map((row) => {
    const mine = aggregates.get(row.host) ?? [];
    return {
      host: row.host,
      node: row.node,
      provider: row.provider,
      zone: mine.find(({ zone }) => zone !== null)?.zone ?? defaultZone,
      enabled: !row.disabled,
      up: !row.forced_down,
      aggregates: mine,
      busy: busy.get(row.host) ?? 0,
    };
  });
}

const only = (
  query: Knex.QueryBuilder,
  column: string,
  name: string | undefined,
): Knex.QueryBuilder => (name === undefined ? query : query.where(column, name));

async function aggregatesByHost(
  db: Db,
  name: string | undefined,
): Promise<Map<string, HostAggregate[]>> {
  const query = db('compute_aggregate_hosts as m')
    .join('compute_aggregates as a', 'a.id', 'm.aggregate_id')
    .orderBy(['a.id', 'm.host'])
    .select('a.id', 'a.uuid', 'a.name', 'm.host');
  const rows = (await only(query, 'm.host', name)) as AggregateRow[];
  const metadata = rows.length
    ? ((await db('compute_aggregate_metadata').orderBy(['aggregate_id', 'name'])) as MetadataRow[])
    : [];
  const byHost = new Map<string, HostAggregate[]>();
  for (const { id, uuid, name: called, host } of rows) {
    const mine = Object.fromEntries(
      metadata.filter((row) => row.aggregate_id === id).map(({ name, value }) => [name, value]),
    );
    const aggregate: HostAggregate = {
      uuid,
      name: called,
      zone: mine['availability_zone'] ?? null,
      metadata: mine,
    };
    byHost.set(host, [...(byHost.get(host) ?? []), aggregate]);
  }
  return byHost;
}

/**
 * How many servers on each host have a task: few have any. A query of its own, because MariaDB
 * takes ten times as long to join it with the hosts.
 */
async function busyByHost(db: Db, name: string | undefined): Promise<Map<string, number>> {
  const query = db('compute_servers')
    .whereNotNull('task_state')
    .whereNotNull('host')
    .whereNull('deleted_at')
    .groupBy('host')
    .orderBy('host')
    .select('host')
    .count('id as count');
  const rows = (await only(query, 'host', name)) as { host: string; count: number }[];
  return new Map(rows.map(({ host, count }) => [host, Number(count)]));
}

/** The host of that name; its first node, where it has several. */
export async function findHostNamed(db: Db, name: string): Promise<Host | undefined> {
  return (await listHosts(db, name))[0];
}

/** The zone of a host. */
export async function zoneOf(db: Db, name: string): Promise<string> {
  return (await findHostNamed(db, name))?.zone ?? defaultZone;
}

/** The zones with a host that is enabled and up. */
export async function availableZones(db: Db): Promise<Set<string>> {
  return new Set(
    (await listHosts(db)).flatMap(({ enabled, up, zone }) => (enabled && up ? [zone] : [])),
  );
}
