// The properties of a namespace. Upstream: glance/api/v2/metadef_properties.py.
import { notFound } from '../../../../kernel/errors.ts';
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { ImageCall } from '../../call.ts';
import {
  addProperties,
  changeProperty,
  listProperties,
  propertyNamed,
  removeProperty,
  type PropertyFields,
} from '../../domain/metadefs/properties.ts';
import { propertyTypeOf } from '../../domain/metadefs/property-types.ts';
import { associationWith } from '../../domain/metadefs/resource-types.ts';
import type { MetadefProperty, Namespace, PropertyType } from '../../model.ts';
import { authorizeNamespace } from '../../policy.ts';
import { propertiesView, propertyView } from '../../views/metadefs.ts';
import { readBody } from './bodies.ts';
import { lockedNamespaceFor, namespaceFor } from './subject.ts';

/** GET /v2/metadefs/namespaces/{namespace}/properties */
export async function list(call: ImageCall): Promise<Reply> {
  const namespace = await namespaceFor(call, 'get_metadef_properties');
  return ok({ properties: propertiesView(await listProperties(call, namespace)) });
}

/** GET /v2/metadefs/namespaces/{namespace}/properties/{property_name} */
export async function show(call: ImageCall): Promise<Reply> {
  const namespace = await namespaceFor(call, 'get_metadef_property');
  const name = await unprefixedName(call, namespace);
  return ok(propertyView(await propertyNamed(call, namespace, name)));
}

/** The name of the property in the namespace. @throws 404 for a name without the prefix */
async function unprefixedName(call: ImageCall, namespace: Namespace): Promise<string> {
  const name = call.params['property_name']!;
  const resourceType = call.query.last('resource_type');
  if (!resourceType) return name;
  authorizeNamespace(call, 'get_metadef_resource_type', namespace);
  const { prefix } = await associationWith(call, namespace, resourceType);
  if (prefix && name.startsWith(prefix)) return name.slice(prefix.length);
  throw notFound(
    `Property ${name} does not start with the expected resource type association prefix of ` +
      `'${prefix ?? 'None'}'.`,
  );
}

const propertyOfPath = (call: ImageCall, namespace: Namespace): Promise<MetadefProperty> =>
  propertyNamed(call, namespace, call.params['property_name']!);

async function readProperty(call: ImageCall): Promise<PropertyFields> {
  const body = await readBody<PropertyType & { readonly name: string }>(call, 'property');
  return { name: body.name, definition: propertyTypeOf(body) };
}

/** POST /v2/metadefs/namespaces/{namespace}/properties */
export async function create(call: ImageCall): Promise<Reply> {
  const property = await readProperty(call);
  const namespace = await lockedNamespaceFor(call, 'add_metadef_property');
  await addProperties(call, namespace, [property]);
  return created(propertyView(property));
}

/** PUT /v2/metadefs/namespaces/{namespace}/properties/{property_name} */
export async function update(call: ImageCall): Promise<Reply> {
  const property = await readProperty(call);
  const namespace = await lockedNamespaceFor(call, 'modify_metadef_property');
  await changeProperty(call, namespace, await propertyOfPath(call, namespace), property);
  return ok(propertyView(property));
}

/** DELETE /v2/metadefs/namespaces/{namespace}/properties/{property_name} */
export async function remove(call: ImageCall): Promise<Reply> {
  const namespace = await lockedNamespaceFor(call, 'remove_metadef_property');
  await removeProperty(call, namespace, await propertyOfPath(call, namespace));
  return noContent();
}
