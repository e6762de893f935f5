// The table of hosts, which are the compute nodes of a region, joined with their services.
import type { Micros } from '../../../../kernel/clock.ts';
import { boolean, integer, micros, named, nullable, text } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Condition } from '../../../../kernel/db/listing.ts';
import { batchesOf } from '../../../../kernel/db/owned-rows.ts';
import { Table } from '../../../../kernel/db/table.ts';
import type { ComputeHost, HostedServer, NewHost } from '../../model.ts';
import { hostsChange } from './revision.ts';

/** A host, with the columns of its service. */
const columns = {
  id: integer,
  uuid: text,
  name: text,
  vcpus: integer,
  memoryMb: integer,
  diskGb: integer,
  createdAt: micros,
  serviceId: integer,
  serviceUuid: named('compute_services.uuid', text),
  serviceHost: named('compute_services.host', text),
  binary: named('compute_services.binary', text),
  disabled: named('compute_services.disabled', boolean),
  disabledReason: named('compute_services.disabled_reason', nullable(text)),
  forcedDown: named('compute_services.forced_down', boolean),
  serviceCreatedAt: named('compute_services.created_at', micros),
};
const hosts = new Table('compute_hosts', columns, {
  join: (query) =>
    void query.join('compute_services', 'compute_services.id', 'compute_hosts.service_id'),
});

const hostOf = (host: ReturnType<typeof hosts.record>): ComputeHost => ({
  id: host.id,
  uuid: host.uuid,
  name: host.name,
  vcpus: host.vcpus,
  memoryMb: host.memoryMb,
  diskGb: host.diskGb,
  createdAt: host.createdAt,
  service: {
    id: host.serviceId,
    uuid: host.serviceUuid,
    host: host.serviceHost,
    binary: host.binary,
    disabled: host.disabled,
    disabledReason: host.disabledReason,
    forcedDown: host.forcedDown,
    createdAt: host.serviceCreatedAt,
  },
});

/**
 * Lists hosts in the order in which they were added: those after an id, at most `limit`, whose
 * names contain a lower-case text.
 */
export async function listComputeHosts(
  db: Db,
  { after, limit, containing }: { after?: number; limit?: number; containing?: string } = {},
): Promise<ComputeHost[]> {
  const matches: Condition = (query) =>
    void query.whereRaw('instr(lower(compute_hosts.name), ?) > 0', [containing!]);
  const found = await hosts.list(db, {
    conditions: containing === undefined ? [] : [matches],
    ...(after === undefined ? {} : { after: { id: after } }),
    limit,
  });
  return found.map(hostOf);
}

/** Finds a host by its number, UUID or name. */
export async function findComputeHost(
  db: Db,
  key: { id: number } | { uuid: string } | { name: string },
): Promise<ComputeHost | undefined> {
  const found = await hosts.find(db, key);
  return found && hostOf(found);
}

/** Finds hosts by their names. Unknown names are left out. */
export async function findComputeHosts(
  db: Db,
  names: readonly string[],
): Promise<Map<string, ComputeHost>> {
  const found = await hosts.among(db, 'name', names);
  return new Map(found.map((host) => [host.name, hostOf(host)]));
}

/** Inserts hosts, in their order. @throws the driver's duplicate error for a name */
export async function insertHosts(
  db: Db,
  added: readonly (NewHost & { readonly serviceId: number })[],
  now: Micros,
): Promise<void> {
  hostsChange(db);
  const rows = added.map((host) => hosts.row({ ...host, createdAt: now }));
  for (const batch of batchesOf(rows)) await db(hosts.name).insert(batch);
}

export async function deleteHost(db: Db, id: number): Promise<void> {
  hostsChange(db);
  await hosts.remove(db, { id });
}

/** Lists the servers on hosts. */
export async function serversOn(db: Db, names: readonly string[]): Promise<HostedServer[]> {
  if (!names.length) return [];
  return db('compute_servers')
    .whereIn('host', names)
    .whereNull('deleted_at')
    .orderBy('id')
    .select('host', 'name', 'uuid');
}

/** The statuses of migrations that do not keep a host from being deleted. */
const settledStatuses = [
  'accepted',
  'confirmed',
  'reverted',
  'error',
  'failed',
  'completed',
  'cancelled',
  'done',
];

/** Whether a server is moving to the host, or away from it. */
export async function hasMoves(db: Db, host: string): Promise<boolean> {
  const moves = db('compute_server_migrations')
    .whereNotIn('status', settledStatuses)
    .where((either) => void either.where({ source_host: host }).orWhere({ dest_host: host }));
  return (await moves.first('id')) !== undefined;
}
