// The namespaces of metadata definitions. Upstream: glance/api/v2/metadef_namespaces.py.
import { grouped } from '../../../../kernel/db/grouping.ts';
import { badRequest, notFound } from '../../../../kernel/errors.ts';
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import type { Reply } from '../../../../kernel/model.ts';
import { limitOf } from '../../../../kernel/oslo/paging.ts';
import type { Query } from '../../../../kernel/query.ts';
import type { ImageCall } from '../../call.ts';
import { clearContents } from '../../domain/metadefs/contents.ts';
import {
  changeNamespace,
  createNamespace,
  findNamespace,
  listNamespaces,
  namespaceSortKeys,
  removeNamespace,
  seesNamespace,
  type NamespaceFields,
} from '../../domain/metadefs/namespaces.ts';
import { addObjects, listObjects } from '../../domain/metadefs/objects.ts';
import { addProperties, listProperties } from '../../domain/metadefs/properties.ts';
import { addAssociations, listAssociations } from '../../domain/metadefs/resource-types.ts';
import { addTags, listTags } from '../../domain/metadefs/tags.ts';
import { propertyTypesOf } from '../../domain/metadefs/property-types.ts';
import { pageLimitsOf } from '../../domain/settings.ts';
import {
  namespaceVisibilities,
  type Association,
  type Namespace,
  type NamespaceVisibility,
  type PropertyType,
  type PropertyTypes,
} from '../../model.ts';
import { authorizeNamespace, authorizeNamespaces, mayForNamespace } from '../../policy.ts';
import { collectionLinks } from '../../views/links.ts';
import {
  associationView,
  namespacePath,
  namespaceView,
  objectView,
  propertiesView,
} from '../../views/metadefs.ts';
import {
  associationOf,
  objectOf,
  readBody,
  readOnlyOfLinked,
  type AssociationBody,
  type ObjectBody,
} from './bodies.ts';
import { isDescending, visibilityOf } from './list-query.ts';
import { lockedNamespaceFor, namespaceFor, unknownNamespace } from './subject.ts';

/** GET /v2/metadefs/namespaces */
export async function list(call: ImageCall): Promise<Reply> {
  const { query } = call;
  const limit = limitOf(query, await pageLimitsOf(call));
  const descending = isDescending(query);
  const visibility = visibilityOf(query, namespaceVisibilities);
  authorizeNamespaces(call, 'get_metadef_namespaces');
  authorizeNamespaces(call, 'list_metadef_resource_types');
  const found = await listNamespaces(call, {
    visibility,
    resourceTypes: query.last('resource_types')?.split(','),
    sortKey: sortKeyOf(query),
    descending,
    after: await markerOf(call),
    limit,
  });
  const visible = found.filter((one) => mayForNamespace(call, 'get_metadef_namespace', one));
  const ids = visible.map(({ id }) => id);
  const associations = grouped(await listAssociations(call, ids), ({ namespaceId }) => namespaceId);
  const views = visible.map((one) =>
    namespaceView(one, {
      resource_type_associations: associations.get(one.id)?.map(associationView),
    }),
  );
  const next = visible.length && visible.length === limit ? visible.at(-1)!.namespace : undefined;
  return ok({
    namespaces: views,
    ...collectionLinks(query, '/v2/metadefs/namespaces', next),
    schema: '/v2/schemas/metadefs/namespaces',
  });
}

function sortKeyOf(query: Query): keyof typeof namespaceSortKeys {
  const key = query.last('sort_key') ?? 'created_at';
  if (Object.hasOwn(namespaceSortKeys, key)) return key as keyof typeof namespaceSortKeys;
  const known = Object.keys(namespaceSortKeys).join(', ');
  throw badRequest(`Invalid sort key: ${key}. It must be one of the following: ${known}.`);
}

/** The namespace before the page. @throws 404 */
async function markerOf(call: ImageCall): Promise<Namespace | undefined> {
  const name = call.query.last('marker');
  if (name === undefined) return undefined;
  const namespace = await findNamespace(call, name);
  if (!namespace || !seesNamespace(call.actor, namespace)) throw notFound(unknownNamespace(name));
  return namespace;
}

interface NamespaceBody {
  readonly namespace: string;
  readonly display_name?: string;
  readonly description?: string;
  readonly visibility?: NamespaceVisibility;
  readonly protected?: boolean;
  readonly owner?: string;
  readonly resource_type_associations?: readonly AssociationBody[];
  readonly properties?: Readonly<Record<string, PropertyType>>;
  readonly objects?: readonly ObjectBody[];
  readonly tags?: readonly { readonly name: string }[];
}

const fieldsOf = (call: ImageCall, body: NamespaceBody): NamespaceFields => ({
  namespace: body.namespace,
  displayName: body.display_name ?? null,
  description: body.description ?? null,
  visibility: body.visibility ?? 'private',
  isProtected: body.protected ?? false,
  owner: body.owner ?? call.actor.projectId ?? '',
});

/** POST /v2/metadefs/namespaces */
export async function create(call: ImageCall): Promise<Reply> {
  const body = await readBody<NamespaceBody>(call, 'namespace', readOnlyOfLinked);
  const { resource_type_associations: associations = [], objects = [], tags = [] } = body;
  const properties = propertyTypesOf(body.properties ?? {});
  for (const [rule, isNeeded] of [
    ['add_metadef_namespace', true],
    ['add_metadef_resource_type_association', associations.length],
    ['add_metadef_object', objects.length],
    ['add_metadef_property', Object.keys(properties).length],
    ['add_metadef_tag', tags.length],
  ] as const)
    if (isNeeded) authorizeNamespaces(call, rule);
  const namespace = await createNamespace(call, fieldsOf(call, body));
  await addAssociations(call, namespace, associations.map(associationOf));
  await addObjects(call, namespace, objects.map(objectOf));
  await addTags(
    call,
    namespace,
    tags.map(({ name }) => name),
  );
  const named = Object.entries(properties).map(([name, definition]) => ({ name, definition }));
  await addProperties(call, namespace, named);
  return created(
    namespaceView(namespace, {
      resource_type_associations: body.resource_type_associations,
      properties: body.properties && properties,
      objects: body.objects?.map(({ properties: types, ...object }) => ({
        ...object,
        ...(types ? { properties: propertyTypesOf(types) } : {}),
      })),
      tags: body.tags,
    }),
    { location: `${call.origin}${call.prefix}${encodedPath(namespace)}` },
  );
}

/** The path of a namespace as a header has it: its name may have any characters. */
const encodedPath = ({ namespace }: Namespace): string =>
  encodeURI(namespacePath(namespace.replaceAll(/\p{Surrogate}/gu, '\ufffd')));

/** GET /v2/metadefs/namespaces/{namespace} */
export async function show(call: ImageCall): Promise<Reply> {
  visibilityOf(call.query, namespaceVisibilities);
  const namespace = await namespaceFor(call, 'get_metadef_namespace', {
    unknown: unknownNamespace,
    hidden: () => '',
  });
  authorizeNamespace(call, 'list_metadef_resource_types', namespace);
  authorizeNamespace(call, 'get_metadef_objects', namespace);
  authorizeNamespace(call, 'get_metadef_properties', namespace);
  authorizeNamespace(call, 'get_metadef_tags', namespace);
  const associations = await listAssociations(call, [namespace.id]);
  const prefixed = prefixer(associations, call.query.last('resource_type'));
  const objects = (await listObjects(call, namespace)).map((object) =>
    objectView(namespace.namespace, {
      ...object,
      required: object.required.map((name) => prefixed.prefix + name),
      properties: prefixed.types(object.properties),
    }),
  );
  const properties = propertiesView(await listProperties(call, namespace));
  const tags = await listTags(call, namespace, {
    sortKey: 'created_at',
    descending: true,
    marker: undefined,
    limit: undefined,
  });
  const some = <T>(values: readonly T[]): readonly T[] | undefined =>
    values.length ? values : undefined;
  return ok(
    namespaceView(namespace, {
      resource_type_associations: some(associations.map(associationView)),
      properties: Object.keys(properties).length ? prefixed.types(properties) : undefined,
      objects: some(objects),
      tags: some(tags.map(({ name }) => ({ name }))),
    }),
  );
}

/** Prefixes the names of properties like the association with a resource type says. */
function prefixer(
  associations: readonly Association[],
  resourceType: string | undefined,
): { prefix: string; types: (properties: PropertyTypes) => PropertyTypes } {
  const prefix = associations.find(({ name }) => name === resourceType)?.prefix ?? '';
  return {
    prefix,
    types: (properties) =>
      Object.fromEntries(
        Object.entries(properties).map(([name, type]) => [prefix + name, type] as const),
      ),
  };
}

/** PUT /v2/metadefs/namespaces/{namespace}. What the namespace contains remains. */
export async function update(call: ImageCall): Promise<Reply> {
  const body = await readBody<NamespaceBody>(call, 'namespace', readOnlyOfLinked);
  const namespace = await namespaceFor(call, 'modify_metadef_namespace');
  return ok(namespaceView(await changeNamespace(call, namespace, fieldsOf(call, body))));
}

/** DELETE /v2/metadefs/namespaces/{namespace} */
export async function remove(call: ImageCall): Promise<Reply> {
  await removeNamespace(call, await namespaceFor(call, 'delete_metadef_namespace'));
  return noContent();
}

/** DELETE /v2/metadefs/namespaces/{namespace}/objects */
export const removeObjects = (call: ImageCall): Promise<Reply> => clear(call, 'objects');

/** DELETE /v2/metadefs/namespaces/{namespace}/properties */
export const removeProperties = (call: ImageCall): Promise<Reply> => clear(call, 'properties');

/** DELETE /v2/metadefs/namespaces/{namespace}/tags */
export const removeTags = (call: ImageCall): Promise<Reply> => clear(call, 'tags');

async function clear(call: ImageCall, kind: 'objects' | 'properties' | 'tags'): Promise<Reply> {
  const namespace = await lockedNamespaceFor(call, 'delete_metadef_namespace');
  if (kind === 'tags') authorizeNamespace(call, 'delete_metadef_tags', namespace);
  await clearContents(call, namespace, kind);
  return noContent();
}
