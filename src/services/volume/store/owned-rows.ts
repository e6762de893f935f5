// Deletes everything that some projects have in Volume.
import { deleteByIdWhere, deleteWhere, valuesWhere } from '../../../kernel/db/owned-rows.ts';
import type { Db } from '../../../kernel/db/database.ts';

/** Deletes the projects' volumes and snapshots with all that refers to them. @returns their ids */
export async function deleteVolumesOf(
  db: Db,
  projectIds: readonly string[],
): Promise<{ readonly volumes: string[]; readonly snapshots: string[] }> {
  const volumes = await valuesWhere(db, 'volume_volumes', 'project_id', projectIds);
  // A transfer of a volume leaves its snapshots with their project, if it is asked to.
  const snapshots = [
    ...new Set([
      ...(await valuesWhere(db, 'volume_snapshots', 'project_id', projectIds)),
      ...(await valuesWhere(db, 'volume_snapshots', 'volume_id', volumes)),
    ]),
  ];
  await deleteWhere(db, 'volume_metadata', 'subject_id', [...volumes, ...snapshots]);
  await deleteWhere(db, 'volume_snapshots', 'id', snapshots);
  for (const table of ['volume_attachments', 'volume_transfers'])
    await deleteByIdWhere(db, table, 'volume_id', volumes);
  await deleteWhere(db, 'volume_volumes', 'id', volumes);
  return { volumes, snapshots };
}

/** Deletes the projects' quotas, messages, default types and access to private types. */
export async function deleteSettingsOf(db: Db, projectIds: readonly string[]): Promise<void> {
  await deleteByIdWhere(db, 'volume_messages', 'project_id', projectIds);
  for (const table of ['volume_quotas', 'volume_default_types', 'volume_type_projects'])
    await deleteByIdWhere(db, table, 'project_id', projectIds, 'project_id');
}
