// The table of mappings.
import { jsonListOf, text, textOf } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table } from '../../../../kernel/db/table.ts';
import { mappingVersions, type Mapping, type MappingRule } from '../../model.ts';

/** Whether a value has the parts of a rule, as far as every reader of mappings needs them. */
function isRule(value: unknown): boolean {
  const { local, remote } = (value ?? {}) as { local?: unknown; remote?: unknown };
  return isListOf(local, isObject) && isListOf(remote, (one) => isObject(one) && hasType(one));
}

const isListOf = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isItem);
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const hasType = (part: object): boolean => 'type' in part && typeof part.type === 'string';

const mappings = new Table<Mapping>('identity_mappings', {
  id: text,
  rules: jsonListOf<readonly MappingRule[]>(isRule, 'rules'),
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
