// The tables of volume types, with their extra specs and the projects that have access.
import type { Micros } from '../../../kernel/clock.ts';
import type { Metadata, VolumeType } from '../model.ts';
import type { Db } from '../../../kernel/db/database.ts';

interface Row {
  id: string;
  name: string;
  description: string | null;
  is_public: number | boolean;
  qos_specs_id: string | null;
  created_at: number;
  updated_at: number | null;
}

const rowOf = (type: VolumeType): Row => ({
  id: type.id,
  name: type.name,
  description: type.description,
  is_public: Number(type.isPublic),
  qos_specs_id: type.qosSpecsId,
  created_at: type.createdAt,
  updated_at: type.updatedAt,
});

async function withParts(db: Db, rows: readonly Row[]): Promise<VolumeType[]> {
  if (!rows.length) return [];
  const ids = rows.map((row) => row.id);
  const specs = (await db('volume_type_specs')
    .whereIn('type_id', ids)
    .orderBy(['type_id', 'name'])) as {
    type_id: string;
    name: string;
    value: string;
  }[];
  const projects = (await db('volume_type_projects')
    .whereIn('type_id', ids)
    .orderBy(['type_id', 'project_id'])) as {
    type_id: string;
    project_id: string;
  }[];
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    description: row.description,
    isPublic: Boolean(row.is_public),
    qosSpecsId: row.qos_specs_id,
    createdAt: Number(row.created_at),
    updatedAt: row.updated_at === null ? null : Number(row.updated_at),
    extraSpecs: Object.fromEntries(
      specs.filter((one) => one.type_id === row.id).map(({ name, value }) => [name, value]),
    ),
    projects: projects.filter((one) => one.type_id === row.id).map((one) => one.project_id),
  }));
}

export async function findType(
  db: Db,
  by: { id: string } | { name: string },
): Promise<VolumeType | undefined> {
  const row = (await db('volume_types').where(by).first()) as Row | undefined;
  return row && (await withParts(db, [row]))[0];
}

/** All types, oldest first. There are few, so that lists are paged in memory. */
export async function allTypes(db: Db): Promise<VolumeType[]> {
  return withParts(db, (await db('volume_types').orderBy(['created_at', 'id'])) as Row[]);
}

/** The names of all types, oldest first. */
export async function typeNames(db: Db): Promise<string[]> {
  return (await db('volume_types').orderBy(['created_at', 'id']).pluck('name')) as string[];
}

/** @throws the driver's duplicate error for the name */
export async function insertType(db: Db, type: VolumeType): Promise<void> {
  await db('volume_types').insert(rowOf(type));
  await writeSpecs(db, type.id, type.extraSpecs);
  for (const projectId of type.projects) await addProject(db, type.id, projectId);
}

/** @throws the driver's duplicate error for the name */
export async function updateType(db: Db, type: VolumeType, now: Micros): Promise<void> {
  await db('volume_types')
    .where({ id: type.id })
    .update({ ...rowOf(type), updated_at: now });
}

export async function deleteType(db: Db, id: string): Promise<void> {
  await db('volume_type_specs').where({ type_id: id }).delete();
  await db('volume_type_projects').where({ type_id: id }).delete();
  await db('volume_type_encryptions').where({ type_id: id }).delete();
  await db('volume_types').where({ id }).delete();
}

/** Inserts or replaces extra specs. */
export async function writeSpecs(db: Db, typeId: string, specs: Metadata): Promise<void> {
  const names = Object.keys(specs);
  if (!names.length) return;
  await db('volume_type_specs').where({ type_id: typeId }).whereIn('name', names).delete();
  await db('volume_type_specs').insert(
    names.map((name) => ({ type_id: typeId, name, value: specs[name]! })),
  );
}

export async function deleteSpec(db: Db, typeId: string, name: string): Promise<void> {
  await db('volume_type_specs').where({ type_id: typeId, name }).delete();
}

/** @throws the driver's duplicate error */
export async function addProject(db: Db, typeId: string, projectId: string): Promise<void> {
  await db('volume_type_projects').insert({ type_id: typeId, project_id: projectId });
}

/** @returns whether the project had access */
export async function removeProject(db: Db, typeId: string, projectId: string): Promise<boolean> {
  return (
    (await db('volume_type_projects').where({ type_id: typeId, project_id: projectId }).delete()) >
    0
  );
}
