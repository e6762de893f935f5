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

/** Adds the definitions to a region without namespaces. */
export async function addDefaultNamespaces({ db, now }: Context): Promise<void> {
  if (await namespaces.exists(db, {})) return;
  const times = { createdAt: now, updatedAt: null };
  await namespaces.insertAll(
    db,
    defaultNamespaces.map(({ visibility = 'public', isProtected = true, ...rest }) => {
      const { namespace, displayName, description } = rest;
      const fields = { namespace, displayName, description, visibility, isProtected };
      return { ...fields, owner, revision: 0, ...times };
    }),
  );
  const idOf = new Map((await namespaces.list(db)).map(({ namespace, id }) => [namespace, id]));
  const withIds = defaultNamespaces.map((one) => ({
    ...one,
    namespaceId: idOf.get(one.namespace)!,
  }));
  const associated = withIds.flatMap(({ namespaceId, associations: all = [] }) =>
    all.map((one) => ({ ...one, namespaceId, ...times })),
  );
  await resourceTypes.insertAll(
    db,
    [...new Set(associated.map(({ name }) => name))].map((name) => ({ name, ...times })),
  );
  await associations.insertAll(db, associated);
  await objects.insertAll(
    db,
    withIds.flatMap(({ namespaceId, objects: all = [] }) =>
      all.map((one) => ({
        ...one,
        namespaceId,
        required: [],
        properties: propertyTypesOf(one.properties),
        ...times,
      })),
    ),
  );
  await properties.insertAll(
    db,
    withIds.flatMap(({ namespaceId, properties: all = {} }) =>
      Object.entries(all).map(([name, type]) => ({
        namespaceId,
        name,
        definition: propertyTypeOf(type),
      })),
    ),
  );
}
