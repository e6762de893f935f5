// The table of the default types of projects.
import type { Db } from '../../../kernel/db/database.ts';
import type { DefaultType } from '../model.ts';

/** The default types of a project, or those that are a type; all, where neither is named. */
export async function selectDefaultTypes(
  db: Db,
  { projectId, typeId }: Partial<DefaultType>,
): Promise<DefaultType[]> {
  const query = db('volume_default_types').orderBy('project_id');
  if (projectId !== undefined) void query.where({ project_id: projectId });
  if (typeId !== undefined) void query.where({ type_id: typeId });
  const rows = (await query) as { project_id: string; type_id: string }[];
  return rows.map((row) => ({ projectId: row.project_id, typeId: row.type_id }));
}

export async function writeDefaultType(db: Db, { projectId, typeId }: DefaultType): Promise<void> {
  await db('volume_default_types')
    .insert({ project_id: projectId, type_id: typeId })
    .onConflict('project_id')
    .merge();
}

export async function deleteDefaultType(db: Db, projectId: string): Promise<void> {
  await db('volume_default_types').where({ project_id: projectId }).delete();
}
