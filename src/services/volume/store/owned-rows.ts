// Deletes everything that some projects have in Volume.
import { deleteByIdWhere, deleteWhere, valuesWhere } from '../../../kernel/db/owned-rows.ts';
import type { Db } from '../../../kernel/db/database.ts';

/**
 * Deletes the projects' volumes, snapshots, backups and groups with all that refers to them.
 * @returns their ids
 */
export async function deleteVolumesOf(
  db: Db,
  projectIds: readonly string[],
): Promise<{
  readonly volumes: string[];
  readonly snapshots: string[];
  readonly others: string[];
}> {
  const volumes = await valuesWhere(db, 'volume_volumes', 'project_id', projectIds);
  // A transfer of a volume leaves its snapshots with their project, if it is asked to.
  const snapshots = [
    ...new Set([
      ...(await valuesWhere(db, 'volume_snapshots', 'project_id', projectIds)),
      ...(await valuesWhere(db, 'volume_snapshots', 'volume_id', volumes)),
    ]),
  ];
  const backups = await valuesWhere(db, 'volume_backups', 'project_id', projectIds);
  await deleteWhere(db, 'volume_metadata', 'subject_id', [...volumes, ...snapshots, ...backups]);
  await deleteWhere(db, 'volume_backups', 'id', backups);
  await deleteWhere(db, 'volume_snapshots', 'id', snapshots);
  for (const table of ['volume_attachments', 'volume_transfers'])
    await deleteByIdWhere(db, table, 'volume_id', volumes);
  await deleteWhere(db, 'volume_volumes', 'id', volumes);
  const groups = await deleteGroupsOf(db, projectIds);
  return { volumes, snapshots, others: [...groups, ...backups] };
}

/** Deletes the projects' groups and group snapshots. @returns the ids of both */
async function deleteGroupsOf(db: Db, projectIds: readonly string[]): Promise<string[]> {
  const groups = await valuesWhere(db, 'volume_groups', 'project_id', projectIds);
  const snapshots = [
    ...new Set([
      ...(await valuesWhere(db, 'volume_group_snapshots', 'project_id', projectIds)),
      ...(await valuesWhere(db, 'volume_group_snapshots', 'group_id', groups)),
    ]),
  ];
  await deleteWhere(db, 'volume_group_snapshots', 'id', snapshots);
  await deleteWhere(db, 'volume_group_volume_types', 'group_id', groups);
  await deleteWhere(db, 'volume_groups', 'id', groups);
  return [...groups, ...snapshots];
}

/** Deletes the projects' quotas, messages, default types and access to private types. */
export async function deleteSettingsOf(db: Db, projectIds: readonly string[]): Promise<void> {
  await deleteByIdWhere(db, 'volume_messages', 'project_id', projectIds);
  for (const table of ['volume_quotas', 'volume_default_types', 'volume_type_projects'])
    await deleteByIdWhere(db, table, 'project_id', projectIds, 'project_id');
}
