// The tables of group types and of their specs.
import type { Micros } from '../../../kernel/clock.ts';
import { boolean, micros, nullable, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { groupedValues } from '../../../kernel/db/grouping.ts';
import { Table } from '../../../kernel/db/table.ts';
import type { GroupSpecs, GroupType } from '../model.ts';

/** The columns of a group type; its specs are rows of their own. */
type GroupTypeRow = Omit<GroupType, 'specs'>;

const groupTypes = new Table<GroupTypeRow>('volume_group_types', {
  id: text,
  name: text,
  description: nullable(text),
  isPublic: boolean,
  createdAt: micros,
  updatedAt: nullable(micros),
});

interface SpecRow {
  readonly typeId: string;
  readonly name: string;
  readonly value: string | null;
}

const specs = new Table<SpecRow>(
  'volume_group_type_specs',
  { typeId: text, name: text, value: nullable(text) },
  { key: ['typeId', 'name'] },
);

async function withSpecs(db: Db, rows: readonly GroupTypeRow[]): Promise<GroupType[]> {
  const found = groupedValues(
    await specs.list(db, { where: { typeId: rows.map(({ id }) => id) } }),
    ({ typeId }) => typeId,
    ({ name, value }) => [name, value] as const,
  );
  return rows.map((row) => ({ ...row, specs: Object.fromEntries(found.get(row.id) ?? []) }));
}

export async function findGroupType(
  db: Db,
  by: { readonly id: string } | { readonly name: string },
): Promise<GroupType | undefined> {
  const row = await groupTypes.find(db, by);
  return row && (await withSpecs(db, [row]))[0];
}

/** Lists all group types, oldest first. They are few, so lists are paged in memory. */
export async function listGroupTypes(db: Db): Promise<GroupType[]> {
  const rows = await groupTypes.list(db, { sort: ['createdAt'] });
  return rows.length ? withSpecs(db, rows) : [];
}

/** @throws the driver's duplicate error for the name */
export async function insertGroupType(db: Db, type: GroupType): Promise<void> {
  await groupTypes.insert(db, type);
  await writeGroupSpecs(db, type.id, type.specs);
}

/** @throws the driver's duplicate error for the name */
export async function updateGroupType(db: Db, type: GroupType, now: Micros): Promise<void> {
  await groupTypes.update(db, { id: type.id }, { ...type, updatedAt: now });
}

/** Deletes a group type with its specs. */
export async function deleteGroupType(db: Db, id: string): Promise<void> {
  await specs.remove(db, { typeId: id });
  await groupTypes.remove(db, { id });
}

/** Adds or replaces specs of a group type. */
export const writeGroupSpecs = (db: Db, typeId: string, written: GroupSpecs): Promise<void> =>
  specs.upsert(
    db,
    Object.entries(written).map(([name, value]) => ({ typeId, name, value })),
  );

export async function deleteGroupSpec(db: Db, typeId: string, name: string): Promise<void> {
  await specs.remove(db, { typeId, name });
}
