// Hosts: the compute nodes of a region, with the services that run on them.
import type { Knex } from 'knex';
import type { Micros } from '../../../../kernel/clock.ts';
import { serviceRecord, type ServiceRow } from './services.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { ComputeHost, HostedServer, NewHost } from '../../model.ts';

interface Row extends ServiceRow {
  host_id: number;
  host_uuid: string;
  name: string;
  vcpus: number;
  memory_mb: number;
  disk_gb: number;
  host_created_at: number;
}

const record = (row: Row): ComputeHost => ({
  id: row.host_id,
  uuid: row.host_uuid,
  name: row.name,
  vcpus: row.vcpus,
  memoryMb: row.memory_mb,
  diskGb: row.disk_gb,
  createdAt: Number(row.host_created_at),
  service: serviceRecord(row),
});

const select = (db: Db): Knex.QueryBuilder =>
  db('compute_hosts as h')
    .join('compute_services as s', 's.id', 'h.service_id')
    .orderBy('h.id')
    .select(
      's.*',
      'h.id as host_id',
      'h.uuid as host_uuid',
      'h.name',
      'h.vcpus',
      'h.memory_mb',
      'h.disk_gb',
    )
    .select('h.created_at as host_created_at');

/**
 * All hosts, in the order in which they were added; after an id, up to a limit, with a text of
 * lower case in their names.
 */
export async function listComputeHosts(
  db: Db,
  { after, limit, containing }: { after?: number; limit?: number; containing?: string } = {},
): Promise<ComputeHost[]> {
  const query = select(db);
  if (after !== undefined) query.where('h.id', '>', after);
  if (limit !== undefined) query.limit(limit);
  if (containing !== undefined) void query.whereRaw('instr(lower(h.name), ?) > 0', [containing]);
  return ((await query) as Row[]).map(record);
}

/** By the number, the UUID or the name. */
export async function findComputeHost(
  db: Db,
  key: { id: number } | { uuid: string } | { name: string },
): Promise<ComputeHost | undefined> {
  const [[column, value]] = Object.entries(key) as [[string, string | number]];
  const row = (await select(db).where(`h.${column}`, value).first()) as Row | undefined;
  return row && record(row);
}

/** @throws the driver's duplicate error for the name */
export async function insertHost(
  db: Db,
  host: NewHost,
  serviceId: number,
  now: Micros,
): Promise<void> {
  const { uuid, name, vcpus, memoryMb, diskGb } = host;
  const row = { uuid, name, service_id: serviceId, vcpus, memory_mb: memoryMb, disk_gb: diskGb };
  await db('compute_hosts').insert({ ...row, created_at: now });
}

export async function deleteHost(db: Db, id: number): Promise<void> {
  await db('compute_hosts').where({ id }).delete();
}

/** The servers that are on hosts. */
export async function serversOn(db: Db, hosts: readonly string[]): Promise<HostedServer[]> {
  if (!hosts.length) return [];
  const rows = await db('compute_servers')
    .whereIn('host', hosts)
    .whereNull('deleted_at')
    .orderBy('id')
    .select('host', 'name', 'uuid');
  return rows as HostedServer[];
}

const over = [
  'accepted',
  'confirmed',
  'reverted',
  'error',
  'failed',
  'completed',
  'cancelled',
  'done',
];

/** Whether a server is on its way to the host, or away from it. */
export async function hasMoves(db: Db, host: string): Promise<boolean> {
  const moves = db('compute_server_migrations')
    .whereNotIn('status', over)
    .where((either) => void either.where({ source_host: host }).orWhere({ dest_host: host }));
  return (await moves.first('id')) !== undefined;
}
