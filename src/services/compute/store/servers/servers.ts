// Servers: their rows, which are changed by compare-and-swap.
import type { Micros } from '../../../../kernel/clock.ts';
import { SerializationFailure } from '../../../../kernel/db/errors.ts';
import { bumpRevision, updateAtRevision } from '../../../../kernel/db/optimistic-lock.ts';
import { conflict, type ApiError } from '../../../../kernel/errors.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { GroupRule, NewServer, Server, ServerChanges } from '../../model.ts';

type Row = Record<string, unknown>;

const jsonFields: ReadonlySet<string> = new Set([
  'imageProperties',
  'flavor',
  'metadata',
  'tags',
  'hints',
  'trustedCerts',
  'securityGroups',
  'fault',
]);
const times: ReadonlySet<string> = new Set([
  'createdAt',
  'updatedAt',
  'launchedAt',
  'terminatedAt',
  'deletedAt',
]);
const booleans: ReadonlySet<string> = new Set(['onVolume']);
const derived: ReadonlySet<string> = new Set(['flavorId', 'vcpus', 'ram']);

const columnOf = (field: string): string =>
  field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const fieldOf = (column: string): string =>
  column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** A row as a record. */
export function serverOf(row: Row): Server {
  const fields: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(row)) {
    const field = fieldOf(column);
    if (derived.has(field)) continue;
    fields[field] = value === null ? null : valueOf(field, value);
  }
  return fields as unknown as Server;
}

function valueOf(field: string, value: unknown): unknown {
  if (jsonFields.has(field)) return JSON.parse(value as string);
  if (booleans.has(field)) return Boolean(value);
  return times.has(field) ? Number(value) : value;
}

function rowOf(fields: ServerChanges | NewServer): Row {
  const row: Row = {};
  for (const [field, value] of Object.entries(fields)) {
    row[columnOf(field)] = jsonFields.has(field) && value !== null ? JSON.stringify(value) : value;
  }
  if (fields.flavor)
    Object.assign(row, {
      flavor_id: fields.flavor.id,
      vcpus: fields.flavor.vcpus,
      ram: fields.flavor.ram,
    });
  return row;
}

/** The server of that UUID, unless it is deleted. */
export async function findServer(db: Db, uuid: string): Promise<Server | undefined> {
  const row = (await db('compute_servers').where({ uuid }).whereNull('deleted_at').first()) as
    Row | undefined;
  return row && serverOf(row);
}

/** The servers of these UUIDs that are not deleted, in the order in which they were made. */
export async function findServers(db: Db, uuids: readonly string[]): Promise<Server[]> {
  if (!uuids.length) return [];
  const rows = (await db('compute_servers')
    .whereIn('uuid', uuids)
    .whereNull('deleted_at')
    .orderBy('id')) as Row[];
  return rows.map(serverOf);
}

/** The servers on a host. */
export async function serversOnHost(db: Db, host: string): Promise<Server[]> {
  return (
    (await db('compute_servers').where({ host }).whereNull('deleted_at').orderBy('id')) as Row[]
  ).map(serverOf);
}

/** Inserts a server. */
export async function insertServer(db: Db, server: NewServer): Promise<Server> {
  const [id] = (await db('compute_servers').insert({ ...rowOf(server), revision: 0 })) as number[];
  return { ...server, id: id!, revision: 0 };
}

/**
 * Updates a server that is still as it was read.
 * @throws Contention where another writer was faster
 */
export async function updateServer(
  db: Db,
  server: Server,
  changes: ServerChanges,
  now: Micros,
): Promise<Server> {
  const { id, revision } = server;
  const all = { updatedAt: now, ...changes };
  const next = await updateAtRevision(
    db,
    { name: 'compute_servers' },
    [id, revision],
    rowOf(all),
    () => contended(server),
  );
  return { ...server, ...all, revision: next };
}

const contended = ({ uuid }: Server): ApiError =>
  conflict(`Instance ${uuid} is being changed by another request. Please try again.`);

/**
 * Claims a server for what is written beside its row, such as its volumes and ports.
 * @throws Contention where another writer was faster
 */
export async function bumpServerRevision(db: Db, server: Server): Promise<void> {
  await bumpRevision(db, { name: 'compute_servers' }, [server.id, server.revision], () =>
    contended(server),
  );
}

/**
 * The usage of a project, or of a user in it. Servers in error count; what a resize that is not
 * confirmed might return to does not.
 */
export async function sumServers(
  db: Db,
  projectId: string,
  userId?: string,
): Promise<{ instances: number; cores: number; ram: number }> {
  const query = db('compute_servers').where({ project_id: projectId }).whereNull('deleted_at');
  if (userId !== undefined) query.where({ user_id: userId });
  const row = (await query
    .count('id as instances')
    .sum({ cores: 'vcpus', ram: 'ram' })
    .first()) as unknown as Row;
  return {
    instances: Number(row['instances']),
    cores: Number(row['cores'] ?? 0),
    ram: Number(row['ram'] ?? 0),
  };
}

/** How often hosts have been selected for servers of a group. */
async function countGroupSelections(db: Db, groupId: string): Promise<number> {
  const row = (await db('compute_server_group_placings')
    .where({ group_id: groupId })
    .first('count')) as { count: number } | undefined;
  return row?.count ?? 0;
}

/**
 * Counts one more selection for a group.
 * @throws Contention where the count is not what it was: another process has selected a host
 */
export async function bumpGroupSelections(
  db: Db,
  { uuid: groupId, selections: before }: Pick<GroupRule, 'uuid' | 'selections'>,
): Promise<void> {
  const table = 'compute_server_group_placings';
  const changed = await db(table)
    .where({ group_id: groupId, count: before })
    .update({ count: before + 1 });
  if (changed) return;
  const outdated = new SerializationFailure(
    conflict(
      `Servers of the group ${groupId} are being placed by another process. Please try again.`,
    ),
    (retried) =>
      retried(table)
        .where({ group_id: groupId })
        .update({ count: retried.ref('count') }),
  );
  if (before > 0) throw outdated;
  const fresh = (await db(table)
    .insert({ group_id: groupId, count: 1 })
    .onConflict('group_id')
    .ignore()) as unknown as number[];
  if ((await countGroupSelections(db, groupId)) !== 1 || !fresh) throw outdated;
}

/** The server of that UUID, also where it is deleted. */
export async function findServerEver(db: Db, uuid: string): Promise<Server | undefined> {
  const row = (await db('compute_servers').where({ uuid }).first()) as Row | undefined;
  return row && serverOf(row);
}

/** The hosts of those servers that are not deleted, by UUID; null where a server is on none. */
export async function hostsOfServers(
  db: Db,
  uuids: readonly string[],
): Promise<Map<string, string | null>> {
  if (!uuids.length) return new Map();
  const rows = (await db('compute_servers')
    .whereIn('uuid', [...new Set(uuids)])
    .whereNull('deleted_at')
    .orderBy('id')
    .select('uuid', 'host')) as { uuid: string; host: string | null }[];
  return new Map(rows.map(({ uuid, host }) => [uuid, host]));
}
