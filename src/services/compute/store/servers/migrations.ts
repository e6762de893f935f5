// Migrations of servers, past ones too.
import type { Micros } from '../../../../kernel/clock.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Migration, MigrationChanges, NewMigration, ServerFlavor } from '../../model.ts';

interface Row {
  id: number;
  uuid: string;
  server_uuid: string;
  type: string;
  status: string;
  source_host: string | null;
  source_node: string | null;
  dest_host: string | null;
  dest_node: string | null;
  old_flavor: string;
  new_flavor: string;
  old_vm_state: string;
  project_id: string;
  user_id: string;
  created_at: number;
  updated_at: number;
}

const record = (row: Row): Migration => ({
  id: row.id,
  uuid: row.uuid,
  serverUuid: row.server_uuid,
  type: row.type,
  status: row.status,
  sourceHost: row.source_host,
  sourceNode: row.source_node,
  destHost: row.dest_host,
  destNode: row.dest_node,
  oldFlavor: JSON.parse(row.old_flavor) as ServerFlavor,
  newFlavor: JSON.parse(row.new_flavor) as ServerFlavor,
  oldVmState: row.old_vm_state,
  projectId: row.project_id,
  userId: row.user_id,
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});

/** The statuses of open migrations: the server has allocations at both ends. */
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

export async function insertMigration(db: Db, migration: NewMigration): Promise<Migration> {
  const row = {
    uuid: migration.uuid,
    server_uuid: migration.serverUuid,
    type: migration.type,
    status: migration.status,
    source_host: migration.sourceHost,
    source_node: migration.sourceNode,
    dest_host: migration.destHost,
    dest_node: migration.destNode,
    old_flavor: JSON.stringify(migration.oldFlavor),
    new_flavor: JSON.stringify(migration.newFlavor),
    old_vm_state: migration.oldVmState,
    project_id: migration.projectId,
    user_id: migration.userId,
    created_at: migration.createdAt,
    updated_at: migration.updatedAt,
  };
  const [id] = (await db('compute_server_migrations').insert(row)) as number[];
  return { ...migration, id: id! };
}

export async function updateMigration(
  db: Db,
  { id }: Migration,
  changes: MigrationChanges,
  now: Micros,
): Promise<void> {
  const { status, destHost, destNode } = changes;
  await db('compute_server_migrations')
    .where({ id })
    .update({
      updated_at: now,
      ...(status === undefined ? {} : { status }),
      ...(destHost === undefined ? {} : { dest_host: destHost }),
      ...(destNode === undefined ? {} : { dest_node: destNode }),
    });
}

/**
 * Completes the evacuations from a host that have ended.
 * @returns those that it has completed, also where they ended after the first read
 */
export async function completeEvacuations(
  db: Db,
  sourceHost: string,
  now: Micros,
): Promise<Migration[]> {
  const ended = { source_host: sourceHost, type: 'evacuation' };
  const count = await db('compute_server_migrations')
    .where({ ...ended, status: 'done' })
    .update({ status: 'completed', updated_at: now });
  if (!count) return [];
  const completed = db('compute_server_migrations').where({
    ...ended,
    status: 'completed',
    updated_at: now,
  });
  return ((await completed.orderBy('id')) as Row[]).map(record);
}

/** The newest move of a server in one of these states. */
export async function findMigration(
  db: Db,
  serverUuid: string,
  statuses: readonly string[],
): Promise<Migration | undefined> {
  const query = db('compute_server_migrations')
    .where({ server_uuid: serverUuid })
    .whereIn('status', statuses)
    .orderBy('id', 'desc');
  const row = (await query.first()) as Row | undefined;
  return row && record(row);
}

export async function migrationById(db: Db, id: number): Promise<Migration | undefined> {
  const row = (await db('compute_server_migrations').where({ id }).first()) as Row | undefined;
  return row && record(row);
}

/** The migrations of these servers that are going on, or may be reverted. */
export async function openMigrations(db: Db, servers: readonly string[]): Promise<Migration[]> {
  if (!servers.length) return [];
  const query = db('compute_server_migrations')
    .whereIn('server_uuid', servers)
    .whereIn('status', openStatuses)
    .orderBy('id');
  return ((await query) as Row[]).map(record);
}

/** The filters of a list of migrations. */
export interface MigrationFilter {
  readonly serverUuid?: string | undefined;
  readonly statuses?: readonly string[] | undefined;
  readonly type?: string | undefined;
  readonly sourceHost?: string | undefined;
  /** Either end. */
  readonly host?: string | undefined;
  readonly projectId?: string | undefined;
  readonly userId?: string | undefined;
  readonly changedSince?: Micros | undefined;
  readonly changedBefore?: Micros | undefined;
}

/** Migrations, the oldest first unless `newestFirst` is set. */
export async function listMigrations(
  db: Db,
  filter: MigrationFilter,
  page: { after?: Migration | undefined; limit?: number | undefined; newestFirst?: boolean } = {},
): Promise<Migration[]> {
  const query = db('compute_server_migrations');
  const exact = {
    server_uuid: filter.serverUuid,
    type: filter.type,
    source_host: filter.sourceHost,
    project_id: filter.projectId,
    user_id: filter.userId,
  };
  for (const [column, value] of Object.entries(exact))
    if (value !== undefined) query.where(column, value);
  if (filter.statuses) query.whereIn('status', filter.statuses);
  const { host } = filter;
  if (host !== undefined)
    query.where((where) => void where.where('source_host', host).orWhere('dest_host', host));
  if (filter.changedSince !== undefined) query.where('updated_at', '>=', filter.changedSince);
  if (filter.changedBefore !== undefined) query.where('updated_at', '<=', filter.changedBefore);
  query.orderBy('id', page.newestFirst ? 'desc' : 'asc');
  if (page.after) query.where('id', page.newestFirst ? '<' : '>', page.after.id);
  if (page.limit !== undefined) query.limit(page.limit);
  return ((await query) as Row[]).map(record);
}

/** The migration of that UUID. */
export async function migrationByUuid(db: Db, uuid: string): Promise<Migration | undefined> {
  const row = (await db('compute_server_migrations').where({ uuid }).first()) as Row | undefined;
  return row && record(row);
}
