// The table of mappings.
import { json, text, textOf } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table } from '../../../../kernel/db/table.ts';
import { mappingVersions, type Mapping } from '../../model.ts';

const mappings = new Table<Mapping>('identity_mappings', {
  id: text,
  rules: json(),
  schemaVersion: textOf(mappingVersions),
});

/** @throws the driver's error of `isDuplicate` if a mapping has that id */
export async function insertMapping(db: Db, mapping: Mapping): Promise<void> {
  await mappings.insert(db, mapping);
}

export async function updateMapping(db: Db, mapping: Mapping): Promise<void> {
  await mappings.update(db, { id: mapping.id }, mapping);
}

export async function deleteMapping(db: Db, id: string): Promise<void> {
  await mappings.remove(db, { id });
}

export const findMapping = (db: Db, id: string): Promise<Mapping | undefined> =>
  mappings.find(db, { id });

/** All mappings, ordered by id. */
export const listMappings = (db: Db): Promise<Mapping[]> => mappings.list(db);
