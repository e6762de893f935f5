// The table of servers, whose rows are updated under optimistic locking.
import type { Micros } from '../../../../kernel/clock.ts';
import {
  boolean,
  integer,
  jsonObject,
  jsonTexts,
  micros,
  nullable,
  text,
  textOf,
} from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { RevisionTable } from '../../../../kernel/db/revision-table.ts';
import { insertCompleted } from '../../../../kernel/db/drivers/recurring.ts';
import { deferred } from '../../../../kernel/db/transaction.ts';
import { conflict, type ApiError } from '../../../../kernel/errors.ts';
import {
  softDeletedState,
  taskStates,
  vmStates,
  type CreatedServer,
  type NewServer,
  type Server,
  type ServerChanges,
  type ServerFlavor,
} from '../../model.ts';
import { firstActionId } from './actions.ts';

/** How many servers one statement inserts. */
const rowsPerInsert = 100;

export const servers = new RevisionTable<Server, 'id'>(
  'compute_servers',
  {
    id: integer,
    uuid: text,
    revision: integer,
    name: text,
    description: nullable(text),
    hostname: text,
    projectId: text,
    userId: text,
    vmState: textOf(vmStates),
    taskState: nullable(textOf<string>(taskStates)),
    powerState: integer,
    progress: integer,
    imageId: text,
    onVolume: boolean,
    imageProperties: jsonObject(),
    flavor: jsonObject<ServerFlavor>('extraSpecs'),
    host: nullable(text),
    node: nullable(text),
    zone: nullable(text),
    pinnedZone: nullable(text),
    keyName: nullable(text),
    shelvedImageId: nullable(text),
    configDrive: text,
    userData: nullable(text),
    accessIpV4: nullable(text),
    accessIpV6: nullable(text),
    diskConfig: text,
    launchIndex: integer,
    reservationId: text,
    rootDeviceName: nullable(text),
    lockedBy: nullable(text),
    lockedReason: nullable(text),
    metadata: jsonObject(),
    tags: jsonTexts(),
    hints: jsonObject(),
    trustedCerts: nullable(jsonTexts()),
    groupId: nullable(text),
    securityGroups: jsonTexts(),
    fault: nullable(jsonObject()),
    actionId: nullable(integer),
    createdAt: micros,
    updatedAt: micros,
    launchedAt: nullable(micros),
    terminatedAt: nullable(micros),
    softDeletedAt: nullable(micros),
    deletedAt: nullable(micros),
  },
  {
    revision: 'revision',
    // Lists filter by the flavor's id, and quotas sum its sizes.
    derived: ({ flavor }) =>
      flavor ? { flavor_id: flavor.id, vcpus: flavor.vcpus, ram: flavor.ram } : {},
  },
);

/** Finds a server that is not deleted. */
export const findServer = (db: Db, uuid: string): Promise<Server | undefined> =>
  servers.find(db, { uuid, deletedAt: null });

/** Finds a server, deleted or not. */
export const findAnyServer = (db: Db, uuid: string): Promise<Server | undefined> =>
  servers.find(db, { uuid });

/**
 * Finds servers that are not deleted, in the order in which they were created. It omits the deleted
 * ones itself: SQLite would search the index of `deleted_at`, and so read all servers.
 */
export async function findServers(db: Db, uuids: readonly string[]): Promise<Server[]> {
  if (!uuids.length) return [];
  const found = await servers.list(db, { where: { uuid: uuids } });
  return found.filter(({ deletedAt }) => deletedAt === null);
}

/** The names of servers that are not deleted, by UUID. */
export async function serverNames(
  db: Db,
  uuids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (!uuids.length) return new Map();
  const rows = (await db('compute_servers')
    .whereIn('uuid', uuids)
    .whereRaw('deleted_at + 0 is null') // see findServers
    .select('uuid', 'name')) as { uuid: string; name: string }[];
  return new Map(rows.map(({ uuid, name }) => [uuid, name]));
}

/** Lists the servers that clients have deleted softly. */
export const softDeletedServers = (db: Db): Promise<Server[]> =>
  servers.list(db, { where: { vmState: softDeletedState, deletedAt: null } });

/** Lists the servers on several hosts, in the order in which they were created. */
export const serversOnHosts = async (db: Db, hosts: readonly string[]): Promise<Server[]> =>
  hosts.length ? servers.list(db, { where: { host: hosts, deletedAt: null } }) : [];

/** Lists the servers on a host. */
export const serversOnHost = (db: Db, host: string): Promise<Server[]> =>
  servers.list(db, { where: { host, deletedAt: null } });

/** Inserts servers, in order. Each has the id of its first action, which is already written. */
export async function insertServers(db: Db, created: readonly CreatedServer[]): Promise<void> {
  const rows = created.map((server) => servers.row({ ...server, revision: 0 }));
  for (let at = 0; at < rows.length; at += rowsPerInsert) {
    const batch = rows.slice(at, at + rowsPerInsert);
    const write = insertCompleted(db, servers.name, batch, 'with their actions', (row) => ({
      ...row,
      action_id: firstActionId(db, row['uuid']!),
    }));
    await deferred(write);
  }
}

/**
 * Inserts captured servers: first those whose numbers are known, so that the others get numbers
 * above these.
 * @param numbers the ids of servers by UUID, which are all free
 */
export async function insertCapturedServers(
  db: Db,
  captured: readonly NewServer[],
  numbers: ReadonlyMap<string, number>,
): Promise<void> {
  const records = captured.map((server) => ({ ...server, revision: 0 }));
  const numbered = records.flatMap((record) => {
    const id = numbers.get(record.uuid);
    return id === undefined ? [] : [{ ...record, id }];
  });
  await servers.insertAll(db, numbered);
  await servers.insertAll(
    db,
    records.filter(({ uuid }) => !numbers.has(uuid)),
  );
}

const contended =
  ({ uuid }: Server) =>
  (): ApiError =>
    conflict(`Instance ${uuid} is being changed by another request. Please try again.`);

/**
 * Updates a server at the revision that was read.
 * @throws SerializationFailure if another transaction has changed the server since
 */
export const updateServer = (
  db: Db,
  server: Server,
  changes: ServerChanges,
  now: Micros,
): Promise<Server> =>
  servers.updateAtRevision(db, server, { updatedAt: now, ...changes }, contended(server));

/**
 * Updates servers that get the same changes, at the revisions that were read.
 * @throws SerializationFailure as `updateServer`
 */
export const updateServers = (
  db: Db,
  changed: readonly Server[],
  changes: ServerChanges,
  now: Micros,
): Promise<Server[]> =>
  servers.updateAllAtRevision(db, changed, { updatedAt: now, ...changes }, contended(changed[0]!));

/**
 * Bumps the revision of a server before rows that belong to it, such as those of its volumes and
 * ports, are written.
 * @throws SerializationFailure if another transaction has changed the server since it was read
 */
export async function bumpServerRevision(db: Db, server: Server): Promise<void> {
  await servers.bumpRevision(db, server, contended(server));
}

/** Lists the servers that existed at any time from `begin` (included) to `end` (excluded). */
export const serversBetween = (db: Db, begin: number, end: number): Promise<Server[]> =>
  servers.list(db, {
    conditions: [
      (query) =>
        void query
          .where('launched_at', '<', end)
          .where((either) => void either.whereNull('deleted_at').orWhere('deleted_at', '>', begin)),
    ],
    sort: ['id'],
  });

/**
 * Sums the usage of a project, or of a user in it. Servers in ERROR count; soft-deleted servers and
 * the old flavor of an unconfirmed resize do not.
 */
export async function sumServers(
  db: Db,
  projectId: string,
  userId?: string,
): Promise<{ instances: number; cores: number; ram: number }> {
  const query = db('compute_servers')
    .where({ project_id: projectId })
    .whereNull('deleted_at')
    .whereNot({ vm_state: softDeletedState });
  if (userId !== undefined) query.where({ user_id: userId });
  const sums = 'count(id) as instances, sum(vcpus) as cores, sum(ram) as ram';
  const row: Record<'instances' | 'cores' | 'ram', unknown> = await query.first(db.raw(sums));
  return {
    instances: Number(row.instances),
    cores: Number(row.cores ?? 0),
    ram: Number(row.ram ?? 0),
  };
}

/** The hosts of servers that are not deleted, by UUID; null if a server is on no host. */
export async function hostsOfServers(
  db: Db,
  uuids: readonly string[],
): Promise<Map<string, string | null>> {
  if (!uuids.length) return new Map();
  const rows: { uuid: string; host: string | null }[] = await db('compute_servers')
    .whereIn('uuid', [...new Set(uuids)])
    .whereRaw('deleted_at + 0 is null') // see findServers
    .orderBy('id')
    .select('uuid', 'host');
  return new Map(rows.map(({ uuid, host }) => [uuid, host]));
}
