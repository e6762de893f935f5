// Resource types, and their associations with namespaces. Upstream:
// glance/api/v2/metadef_resource_types.py.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { ImageCall } from '../../call.ts';
import {
  addAssociations,
  associationWith,
  listAssociations,
  listResourceTypes,
  removeAssociation,
} from '../../domain/metadefs/resource-types.ts';
import { authorizeNamespaces, mayForNamespace } from '../../policy.ts';
import { associationView, resourceTypeView } from '../../views/metadefs.ts';
import { associationOf, readBody, type AssociationBody } from './bodies.ts';
import { lockedNamespaceFor, namespaceFor } from './subject.ts';

/** GET /v2/metadefs/resource_types */
export async function list(call: ImageCall): Promise<Reply> {
  authorizeNamespaces(call, 'list_metadef_resource_types');
  return ok({ resource_types: (await listResourceTypes(call)).map(resourceTypeView) });
}

/** GET /v2/metadefs/namespaces/{namespace}/resource_types */
export async function listOfNamespace(call: ImageCall): Promise<Reply> {
  const namespace = await namespaceFor(call, 'list_metadef_resource_types');
  const associations = mayForNamespace(call, 'get_metadef_resource_type', namespace)
    ? await listAssociations(call, [namespace.id])
    : [];
  return ok({ resource_type_associations: associations.map(associationView) });
}

/** POST /v2/metadefs/namespaces/{namespace}/resource_types */
export async function create(call: ImageCall): Promise<Reply> {
  const body = await readBody<AssociationBody>(call, 'resource_type_association');
  const namespace = await lockedNamespaceFor(call, 'add_metadef_resource_type_association');
  await addAssociations(call, namespace, [associationOf(body)]);
  return created(associationView(await associationWith(call, namespace, body.name)));
}

/** DELETE /v2/metadefs/namespaces/{namespace}/resource_types/{resource_type} */
export async function remove(call: ImageCall): Promise<Reply> {
  const namespace = await lockedNamespaceFor(call, 'remove_metadef_resource_type_association');
  await removeAssociation(call, namespace, call.params['resource_type']!);
  return noContent();
}
