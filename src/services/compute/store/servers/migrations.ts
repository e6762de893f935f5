// The table of server migrations, open and ended.
import type { Micros } from '../../../../kernel/clock.ts';
import {
  integer,
  jsonObject,
  micros,
  nullable,
  referring,
  text,
  textOf,
} from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { SerializationFailure } from '../../../../kernel/db/errors.ts';
import type { Condition } from '../../../../kernel/db/listing.ts';
import { Table } from '../../../../kernel/db/table.ts';
import { conflict } from '../../../../kernel/errors.ts';
import { vmStates, type Migration, type MigrationChanges, type NewMigration } from '../../model.ts';

/** The statuses of open migrations, during which the server has allocations on both hosts. */
export const openStatuses: readonly string[] = [
  'accepted',
  'pre-migrating',
  'migrating',
  'post-migrating',
  'finished',
  'confirming',
  'reverting',
  'preparing',
  'running',
];

/** The statuses of other migrations. */
const otherStatuses = [
  'queued',
  'confirmed',
  'reverted',
  'completed',
  'cancelled',
  'error',
  'failed',
  'done',
];

const migrations = new Table<Migration, 'id'>('compute_server_migrations', {
  id: integer,
  uuid: text,
  serverUuid: referring(text, 'compute_servers.uuid'),
  type: text,
  status: textOf([...openStatuses, ...otherStatuses]),
  sourceHost: nullable(text),
  sourceNode: nullable(text),
  destHost: nullable(text),
  destNode: nullable(text),
  oldFlavor: jsonObject(),
  newFlavor: jsonObject(),
  oldVmState: textOf(vmStates),
  projectId: text,
  userId: text,
  createdAt: micros,
  updatedAt: micros,
});

export async function insertMigration(db: Db, migration: NewMigration): Promise<Migration> {
  const [id] = await migrations.insert(db, migration);
  return { ...migration, id: id! };
}

export async function updateMigration(
  db: Db,
  { id }: Migration,
  changes: MigrationChanges,
  now: Micros,
): Promise<void> {
  await migrations.update(db, { id }, { ...changes, updatedAt: now });
}

/**
 * Completes the finished evacuations from a host.
 * @returns those that it has completed, including any that finished after this transaction's first
 *   read
 */
export async function completeEvacuations(
  db: Db,
  sourceHost: string,
  now: Micros,
): Promise<Migration[]> {
  const from = { sourceHost, type: 'evacuation' };
  const completed = { status: 'completed', updatedAt: now };
  const count = await migrations.update(db, { ...from, status: 'done' }, completed);
  return count ? migrations.list(db, { where: { ...from, ...completed } }) : [];
}

/**
 * Checks that this transaction sees every evacuation from a host that has been accepted and has not
 * run yet. It also counts them by an UPDATE, which sees what other transactions have committed
 * since this one began to read.
 * @throws SerializationFailure if another one has been accepted or has run meanwhile
 */
export async function requireKnownEvacuations(db: Db, sourceHost: string): Promise<void> {
  const accepted = { sourceHost, type: 'evacuation', status: 'accepted' };
  const known = await migrations.count(db, { where: accepted });
  if ((await migrations.update(db, accepted, { status: 'accepted' })) !== known)
    throw new SerializationFailure(conflict('The evacuations from the host are changing.'));
}

/** Finds the newest migration of a server in one of these statuses. */
export async function findMigration(
  db: Db,
  serverUuid: string,
  statuses: readonly string[],
): Promise<Migration | undefined> {
  const where = { serverUuid, status: statuses };
  const sort = [{ field: 'id', descending: true }] as const;
  return (await migrations.list(db, { where, sort, limit: 1 }))[0];
}

export const migrationById = (db: Db, id: number): Promise<Migration | undefined> =>
  migrations.find(db, { id });

export const migrationByUuid = (db: Db, uuid: string): Promise<Migration | undefined> =>
  migrations.find(db, { uuid });

/** Lists the migrations with these UUIDs. */
export const migrationsByUuid = (db: Db, uuids: readonly string[]): Promise<Migration[]> =>
  uuids.length ? migrations.list(db, { where: { uuid: uuids } }) : Promise.resolve([]);

/** Lists the open migrations of servers. */
export const openMigrations = async (db: Db, servers: readonly string[]): Promise<Migration[]> =>
  servers.length
    ? migrations.list(db, { where: { serverUuid: servers, status: openStatuses } })
    : [];

/** The filters of a list of migrations. */
export interface MigrationFilter {
  readonly serverUuid?: string | undefined;
  readonly statuses?: readonly string[] | undefined;
  readonly type?: string | undefined;
  readonly sourceHost?: string | undefined;
  /** The source or the destination. */
  readonly host?: string | undefined;
  readonly projectId?: string | undefined;
  readonly userId?: string | undefined;
  readonly changedSince?: Micros | undefined;
  readonly changedBefore?: Micros | undefined;
}

/** Lists migrations, oldest first unless `newestFirst` is set. */
export function listMigrations(
  db: Db,
  { statuses, host, changedSince, changedBefore, ...equal }: MigrationFilter,
  {
    after,
    limit,
    newestFirst = false,
  }: { after?: Migration | undefined; limit?: number | undefined; newestFirst?: boolean } = {},
): Promise<Migration[]> {
  const narrow: Condition = (query) => {
    if (host !== undefined)
      void query.where((end) => void end.where('source_host', host).orWhere('dest_host', host));
    if (changedSince !== undefined) void query.where('updated_at', '>=', changedSince);
    if (changedBefore !== undefined) void query.where('updated_at', '<=', changedBefore);
  };
  return migrations.list(db, {
    where: { ...equal, status: statuses },
    conditions: [narrow],
    sort: [{ field: 'id', descending: newestFirst }],
    after,
    limit,
  });
}
