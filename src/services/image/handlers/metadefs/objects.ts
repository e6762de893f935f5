// The objects of a namespace. Upstream: glance/api/v2/metadef_objects.py.
import { badRequest } from '../../../../kernel/errors.ts';
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { Query } from '../../../../kernel/query.ts';
import type { ImageCall } from '../../call.ts';
import {
  addObjects,
  changeObject,
  listObjects,
  objectNamed,
  removeObject,
} from '../../domain/metadefs/objects.ts';
import type { MetadefObject, Namespace } from '../../model.ts';
import { mayForNamespace } from '../../policy.ts';
import { objectView } from '../../views/metadefs.ts';
import { objectOf, readBody, readOnlyOfLinked, type ObjectBody } from './bodies.ts';
import { contentVisibilities, isDescending, visibilityOf } from './list-query.ts';
import { lockedNamespaceFor, namespaceFor, objectRefusals } from './subject.ts';

/**
 * GET /v2/metadefs/namespaces/{namespace}/objects. Like upstream's, the list checks its parameters
 * and then ignores them: it has all objects, oldest first.
 */
export async function list(call: ImageCall): Promise<Reply> {
  isDescending(call.query);
  visibilityOf(call.query, contentVisibilities);
  checkLimit(call.query);
  const namespace = await namespaceFor(call, 'get_metadef_objects', objectRefusals);
  const objects = mayForNamespace(call, 'get_metadef_object', namespace)
    ? await listObjects(call, namespace)
    : [];
  return ok({
    objects: objects.map((object) => objectView(namespace.namespace, object)),
    schema: 'v2/schemas/metadefs/objects',
  });
}

/** @throws 400 */
function checkLimit(query: Query): void {
  const limit = query.last('limit');
  if (limit === undefined) return;
  if (!/^\s*[+-]?\d+\s*$/.test(limit)) throw badRequest('limit param must be an integer');
  if (Number(limit) <= 0) throw badRequest('limit param must be positive');
}

/** GET /v2/metadefs/namespaces/{namespace}/objects/{object_name} */
export async function show(call: ImageCall): Promise<Reply> {
  const namespace = await namespaceFor(call, 'get_metadef_object', objectRefusals);
  return ok(objectView(namespace.namespace, await objectOfPath(call, namespace)));
}

const objectOfPath = (call: ImageCall, namespace: Namespace): Promise<MetadefObject> =>
  objectNamed(call, namespace, call.params['object_name']!);

/** POST /v2/metadefs/namespaces/{namespace}/objects */
export async function create(call: ImageCall): Promise<Reply> {
  const body = await readBody<ObjectBody>(call, 'object', readOnlyOfLinked);
  const namespace = await lockedNamespaceFor(call, 'add_metadef_object', objectRefusals);
  await addObjects(call, namespace, [objectOf(body)]);
  return created(written(namespace, body, await objectNamed(call, namespace, body.name)));
}

/** PUT /v2/metadefs/namespaces/{namespace}/objects/{object_name} */
export async function update(call: ImageCall): Promise<Reply> {
  const body = await readBody<ObjectBody>(call, 'object', readOnlyOfLinked);
  const namespace = await lockedNamespaceFor(call, 'modify_metadef_object', objectRefusals);
  const object = await objectOfPath(call, namespace);
  return ok(written(namespace, body, await changeObject(call, namespace, object, objectOf(body))));
}

/** An object after a write, without the lists that the request left out. */
const written = ({ namespace }: Namespace, body: ObjectBody, object: MetadefObject): object =>
  objectView(namespace, {
    ...object,
    required: body.required,
    properties: body.properties && object.properties,
  });

/** DELETE /v2/metadefs/namespaces/{namespace}/objects/{object_name} */
export async function remove(call: ImageCall): Promise<Reply> {
  const namespace = await lockedNamespaceFor(call, 'delete_metadef_object', objectRefusals);
  await removeObject(call, namespace, await objectOfPath(call, namespace));
  return noContent();
}
