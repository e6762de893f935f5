// The table of the projects' default volume types.
import { text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { Table } from '../../../kernel/db/table.ts';
import type { DefaultType } from '../model.ts';

const defaultTypes = new Table<DefaultType>(
  'volume_default_types',
  { projectId: text, typeId: text },
  { key: 'projectId' },
);

/** Lists the default types of all projects that have one, ordered by project. */
export const listDefaultTypes = (db: Db): Promise<DefaultType[]> => defaultTypes.list(db);

export const findDefaultType = (db: Db, projectId: string): Promise<DefaultType | undefined> =>
  defaultTypes.find(db, { projectId });

/** Returns whether a volume type is the default of any project. */
export const isDefaultOfProject = (db: Db, typeId: string): Promise<boolean> =>
  defaultTypes.exists(db, { typeId });

/** Sets or replaces the default type of a project. */
export const writeDefaultType = (db: Db, defaultType: DefaultType): Promise<void> =>
  defaultTypes.upsert(db, [defaultType]);

export async function deleteDefaultType(db: Db, projectId: string): Promise<void> {
  await defaultTypes.remove(db, { projectId });
}
