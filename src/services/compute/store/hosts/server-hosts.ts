// Queries for hosts as the scheduler sees them: nodes with their services, aggregates and zones.
import { boolean, text } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Kept } from '../../../../kernel/db/kept/kept.ts';
import { pipelined } from '../../../../kernel/db/pipelined.ts';
import { Recurring } from '../../../../kernel/db/drivers/recurring.ts';
import { Table } from '../../../../kernel/db/table.ts';
import { grouped, groupedValues } from '../../../../kernel/db/grouping.ts';
import { defaultZone, zoneKey, type Host, type HostAggregate } from '../../model.ts';
import { hostsRevision } from './revision.ts';

const recurring = new Recurring();

/** The columns that the scheduler needs of a host and its service. */
const nodes = new Table(
  'compute_hosts',
  { host: text, node: text, provider: text, disabled: boolean, forcedDown: boolean },
  { key: 'node' },
);

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

/** The hosts of a region. */
export interface Hosts {
  /** In the order in which they were added. */
  readonly all: readonly Host[];
  /** By the name of the service: the first node, if it has several. */
  readonly byName: ReadonlyMap<string, Host>;
}

const keptHosts = new Kept(hostsRevision, async (db): Promise<Hosts> => {
  const all = await readHosts(db);
  return { all, byName: new Map(all.toReversed().map((host) => [host.host, host])) };
});

async function readHosts(db: Db): Promise<Host[]> {
  const query = db('compute_hosts as h')
    .join('compute_services as s', 's.id', 'h.service_id')
    .orderBy('h.id')
    .select('s.host', 'h.name as node', 'h.uuid as provider', 's.disabled', 's.forced_down');
  const [found, aggregatesOf] = await pipelined([nodes.read(query), aggregatesByHost(db)]);
  return found.map(({ host, node, provider, disabled, forcedDown }) => {
    const aggregates = aggregatesOf.get(host) ?? [];
    return {
      host,
      node,
      provider,
      zone: aggregates.find(({ zone }) => zone !== null)?.zone ?? defaultZone,
      enabled: !disabled,
      up: !forcedDown,
      aggregates,
    };
  });
}

/** Lists all hosts in the order in which they were added. Nobody may change the list. */
export const listHosts = async (db: Db): Promise<readonly Host[]> => (await keptHosts.read(db)).all;

/** The hosts by the names of their services. */
export const hostsByName = async (db: Db): Promise<ReadonlyMap<string, Host>> =>
  (await keptHosts.read(db)).byName;

async function aggregatesByHost(db: Db): Promise<Map<string, HostAggregate[]>> {
  const rows: AggregateRow[] = await db('compute_aggregate_hosts as m')
    .join('compute_aggregates as a', 'a.id', 'm.aggregate_id')
    .orderBy(['a.id', 'm.host'])
    .select('a.id', 'a.uuid', 'a.name', 'm.host');
  const items: MetadataRow[] = rows.length
    ? await db('compute_aggregate_metadata').orderBy(['aggregate_id', 'name'])
    : [];
  const metadataOf = new Map(
    [...grouped(items, (item) => item.aggregate_id)].map(([id, own]) => [
      id,
      Object.fromEntries(own.map((item) => [item.name, item.value])),
    ]),
  );
  return groupedValues(
    rows,
    ({ host }) => host,
    ({ id, uuid, name }): HostAggregate => {
      const metadata: Readonly<Record<string, string>> = metadataOf.get(id) ?? {};
      return { id, uuid, name, zone: metadata[zoneKey] ?? null, metadata };
    },
  );
}

/**
 * Counts the servers with a task on each host; few hosts have any. This is a separate query because
 * MariaDB takes ten times as long if it is joined with the hosts. Its expressions keep SQLite from
 * reading all servers by an index of `deleted_at` or `host`.
 */
export async function countBusyServers(db: Db): Promise<Map<string, number>> {
  const rows = await recurring.statement<{ at: string; count: number }[]>(
    db,
    'busy servers',
    [],
    () =>
      db('compute_servers')
        .where('task_state', '>', '')
        .whereRaw('deleted_at + 0 is null')
        .groupBy('at')
        .select(db.raw("coalesce(host, '') as at"))
        .count('id as count'),
  );
  return new Map(rows.filter(({ at }) => at).map(({ at, count }) => [at, Number(count)]));
}

/** Finds a host by its name, or the first of its nodes if it has several. */
export async function findHostNamed(db: Db, name: string): Promise<Host | undefined> {
  return (await hostsByName(db)).get(name);
}

/** The availability zone of a host. */
export async function zoneOf(db: Db, name: string): Promise<string> {
  return (await findHostNamed(db, name))?.zone ?? defaultZone;
}

/** The zones that contain an enabled host. Whether it is up does not matter, as in Nova. */
export async function availableZones(db: Db): Promise<Set<string>> {
  return new Set((await listHosts(db)).flatMap(({ enabled, zone }) => (enabled ? [zone] : [])));
}
