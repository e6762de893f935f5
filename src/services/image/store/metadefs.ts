// The tables of metadata definitions.
import {
  boolean,
  integer,
  jsonObject,
  jsonTexts,
  micros,
  named,
  nullable,
  text,
  textOf,
} from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { deleteWhere, valuesWhere } from '../../../kernel/db/owned-rows.ts';
import { RevisionTable } from '../../../kernel/db/revision-table.ts';
import { Table } from '../../../kernel/db/table.ts';
import {
  namespaceVisibilities,
  type Association,
  type MetadefObject,
  type MetadefProperty,
  type MetadefTag,
  type Namespace,
  type PropertyType,
  type PropertyTypes,
  type ResourceType,
} from '../model.ts';

const times = { createdAt: micros, updatedAt: nullable(micros) };
const inNamespace = { id: integer, namespaceId: integer, name: text };
const generated = { generated: 'id' } as const;

export const namespaces = new RevisionTable<Namespace, 'id'>(
  'image_metadef_namespaces',
  {
    id: integer,
    namespace: text,
    displayName: nullable(text),
    description: nullable(text),
    visibility: textOf(namespaceVisibilities),
    isProtected: named('protected', boolean),
    owner: text,
    revision: integer,
    ...times,
  },
  { revision: 'revision', generated: 'id' },
);

export const objects = new Table<MetadefObject, 'id'>(
  'image_metadef_objects',
  {
    ...inNamespace,
    description: nullable(text),
    required: jsonTexts(),
    properties: jsonObject<PropertyTypes>(),
    ...times,
  },
  generated,
);

export const properties = new Table<MetadefProperty, 'id'>(
  'image_metadef_properties',
  { ...inNamespace, definition: jsonObject<PropertyType>('title', 'type') },
  generated,
);

export const tags = new Table<MetadefTag, 'id'>(
  'image_metadef_tags',
  { ...inNamespace, ...times },
  generated,
);

export const associations = new Table<Association, 'id'>(
  'image_metadef_associations',
  { ...inNamespace, prefix: nullable(text), propertiesTarget: nullable(text), ...times },
  generated,
);

export const resourceTypes = new Table<ResourceType, 'id'>(
  'image_metadef_resource_types',
  { id: integer, name: text, ...times },
  generated,
);

/** The tables of what a namespace contains. */
const contents = [tags, objects, properties, associations] as const;
export type ContentTable = (typeof contents)[number];

/** Deletes all that the namespaces contain. */
export async function deleteContents(db: Db, namespaceIds: readonly number[]): Promise<void> {
  for (const { name } of contents) await deleteWhere(db, name, 'namespace_id', namespaceIds);
}

/** Deletes the namespaces of some owners, even protected ones. @returns how many */
export async function deleteNamespacesOf(db: Db, owners: readonly string[]): Promise<number> {
  const ids = (await valuesWhere(db, namespaces.name, 'owner', owners)).map(Number);
  await deleteContents(db, ids);
  return deleteWhere(db, namespaces.name, 'id', ids);
}
