// Adds the metadata definitions that Glance comes with. Upstream: db_load_metadefs in
// glance/db/sqlalchemy/metadata.py.
import type { Context } from '../../../../kernel/model.ts';
import {
  associations,
  namespaces,
  objects,
  properties,
  resourceTypes,
} from '../../store/metadefs.ts';
import { defaultNamespaces } from './defaults/index.ts';
import { propertyTypeOf, propertyTypesOf } from './property-types.ts';

/** The owner of the definitions: upstream writes this name instead of a project's id. */
const owner = 'admin';

/**
 * Numbers the rows from 1 on. MySQL would go on counting after a reset, and its rows would differ
 * from those of the first start.
 */
const numbered = <T extends object>(rows: readonly T[]): (T & { id: number })[] =>
  rows.map((row, index) => ({ ...row, id: index + 1 }));

/** Adds the definitions to a region without namespaces. */
export async function addDefaultNamespaces({ db, now }: Context): Promise<void> {
  if (await namespaces.exists(db, {})) return;
  const times = { createdAt: now, updatedAt: null };
  const added = numbered(defaultNamespaces);
  await namespaces.insertAll(
    db,
    added.map(({ visibility = 'public', isProtected = true, ...rest }) => {
      const { id, namespace, displayName, description } = rest;
      const fields = { id, namespace, displayName, description, visibility, isProtected };
      return { ...fields, owner, revision: 0, ...times };
    }),
  );
  const associated = added.flatMap(({ id: namespaceId, associations: all = [] }) =>
    all.map((one) => ({ ...one, namespaceId, ...times })),
  );
  const types = [...new Set(associated.map(({ name }) => name))];
  await resourceTypes.insertAll(db, numbered(types.map((name) => ({ name, ...times }))));
  await associations.insertAll(db, numbered(associated));
  const described = added.flatMap(({ id: namespaceId, objects: all = [] }) =>
    all.map((one) => ({
      ...one,
      namespaceId,
      required: [],
      properties: propertyTypesOf(one.properties),
      ...times,
    })),
  );
  await objects.insertAll(db, numbered(described));
  const defined = added.flatMap(({ id: namespaceId, properties: all = {} }) =>
    Object.entries(all).map(([name, type]) => ({
      namespaceId,
      name,
      definition: propertyTypeOf(type),
    })),
  );
  await properties.insertAll(db, numbered(defined));
}
