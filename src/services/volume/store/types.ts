// The tables of volume types, of their extra specs, and of the projects that have access to them.
import type { Micros } from '../../../kernel/clock.ts';
import { boolean, micros, nullable, referring, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { Table } from '../../../kernel/db/table.ts';
import type { Metadata, VolumeType } from '../model.ts';
import { deleteEncryption } from './encryptions.ts';
import { groupedValues } from '../../../kernel/db/grouping.ts';

/** The columns of a volume type; its extra specs and projects are rows of their own. */
type TypeRow = Omit<VolumeType, 'extraSpecs' | 'projects'>;

export const types = new Table<TypeRow>('volume_types', {
  id: text,
  name: text,
  description: nullable(text),
  isPublic: boolean,
  qosSpecsId: referring(nullable(text), 'volume_qos_specs.id'),
  createdAt: micros,
  updatedAt: nullable(micros),
});

const extraSpecs = new Table(
  'volume_type_specs',
  { typeId: text, name: text, value: text },
  { key: ['typeId', 'name'] },
);

const accesses = new Table(
  'volume_type_projects',
  { typeId: text, projectId: text },
  { key: ['typeId', 'projectId'] },
);

async function withDetails(db: Db, rows: readonly TypeRow[]): Promise<VolumeType[]> {
  if (!rows.length) return [];
  const where = { typeId: rows.map(({ id }) => id) };
  const typeOf = ({ typeId }: { readonly typeId: string }): string => typeId;
  const specs = groupedValues(
    await extraSpecs.list(db, { where }),
    typeOf,
    ({ name, value }) => [name, value] as const,
  );
  const projects = groupedValues(
    await accesses.list(db, { where }),
    typeOf,
    ({ projectId }) => projectId,
  );
  return rows.map((row) => ({
    ...row,
    extraSpecs: Object.fromEntries(specs.get(row.id) ?? []),
    projects: projects.get(row.id) ?? [],
  }));
}

export async function findType(
  db: Db,
  by: { readonly id: string } | { readonly name: string },
): Promise<VolumeType | undefined> {
  const row = await types.find(db, by);
  return row && (await withDetails(db, [row]))[0];
}

/** Lists all types, oldest first. They are few, so lists are paged in memory. */
export const listTypes = async (db: Db): Promise<VolumeType[]> =>
  withDetails(db, await types.list(db, { sort: ['createdAt'] }));

/** Lists the names of all types, oldest first. */
export const listTypeNames = async (db: Db): Promise<string[]> =>
  (await types.list(db, { sort: ['createdAt'] })).map(({ name }) => name);

/** @throws the driver's duplicate error for the name */
export async function insertType(db: Db, type: VolumeType): Promise<void> {
  await types.insert(db, type);
  await writeSpecs(db, type.id, type.extraSpecs);
  for (const projectId of type.projects) await insertAccess(db, type.id, projectId);
}

/** @throws the driver's duplicate error for the name */
export async function updateType(db: Db, type: VolumeType, now: Micros): Promise<void> {
  await types.update(db, { id: type.id }, { ...type, updatedAt: now });
}

/** Deletes a type with its extra specs, access list and encryption. */
export async function deleteType(db: Db, id: string): Promise<void> {
  await extraSpecs.remove(db, { typeId: id });
  await accesses.remove(db, { typeId: id });
  await deleteEncryption(db, id);
  await types.remove(db, { id });
}

/** Adds or replaces extra specs of a type. */
export const writeSpecs = (db: Db, typeId: string, specs: Metadata): Promise<void> =>
  extraSpecs.upsert(
    db,
    Object.entries(specs).map(([name, value]) => ({ typeId, name, value })),
  );

export async function deleteSpec(db: Db, typeId: string, name: string): Promise<void> {
  await extraSpecs.remove(db, { typeId, name });
}

/** Gives a project access to a type. @throws the driver's duplicate error */
export async function insertAccess(db: Db, typeId: string, projectId: string): Promise<void> {
  await accesses.insert(db, { typeId, projectId });
}

/** Removes a project's access to a type. @returns whether the project had access */
export const deleteAccess = async (db: Db, typeId: string, projectId: string): Promise<boolean> =>
  (await accesses.remove(db, { typeId, projectId })) > 0;
