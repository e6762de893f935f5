// Deletes everything that some projects and users have in Compute.
import {
  batchesOf,
  deleteByIdWhere,
  deleteWhere,
  valuesWhere,
} from '../../../kernel/db/owned-rows.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { SerializationFailure } from '../../../kernel/db/errors.ts';
import { conflict } from '../../../kernel/errors.ts';
import type { ResourceOwners } from '../../../emulator/projects/hooks.ts';
import { deleteServerRows } from './servers/purge.ts';

/** What was deleted. */
interface Deleted {
  /** The ids of servers, also of those that had been deleted before. */
  readonly servers: readonly string[];
  /** The ids of the requests that created them. */
  readonly reservations: readonly string[];
  readonly serverGroups: number;
  readonly keypairs: number;
}

export async function deleteResourcesOf(
  db: Db,
  { projectIds, userIds }: ResourceOwners,
): Promise<Deleted> {
  const idsOf = (table: string, wanted: string): Promise<string[]> =>
    valuesWhere(db, table, 'project_id', projectIds, wanted);
  const servers = await lockServers(db, projectIds);
  const reservations = [...new Set(await idsOf('compute_servers', 'reservation_id'))];
  for (const batch of batchesOf(servers)) await deleteServerRows(db, batch);
  const groups = await idsOf('compute_server_groups', 'id');
  for (const name of ['members', 'placings'])
    await deleteWhere(db, `compute_server_group_${name}`, 'group_id', groups);
  await deleteWhere(db, 'compute_server_groups', 'id', groups);
  for (const table of ['compute_quotas', 'compute_flavor_access'])
    await deleteByIdWhere(db, table, 'project_id', projectIds, 'project_id');
  const keypairs = await deleteByIdWhere(db, 'compute_keypairs', 'user_id', userIds);
  return { servers, reservations, serverGroups: groups.length, keypairs };
}

/**
 * Bumps the revisions of all servers of some projects, so that no job changes one meanwhile: it
 * could claim resources in Placement, whose rows have been deleted before.
 * @returns the ids of the servers
 * @throws SerializationFailure if another transaction has changed a server
 */
async function lockServers(db: Db, projectIds: readonly string[]): Promise<string[]> {
  const uuids: string[] = [];
  for (const projects of batchesOf(projectIds)) {
    const rows: { id: number; revision: number; uuid: string }[] = await db('compute_servers')
      .whereIn('project_id', projects)
      .select('id', 'revision', 'uuid');
    for (const batch of batchesOf(rows)) {
      const read = batch.map(({ id, revision }) => [id, revision]);
      const count = await db('compute_servers')
        .whereIn(['id', 'revision'], read)
        .increment('revision');
      if (count !== batch.length)
        throw new SerializationFailure(conflict('The servers of the project are changing.'));
      uuids.push(...batch.map(({ uuid }) => uuid));
    }
  }
  return uuids;
}
