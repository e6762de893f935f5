// The rules of the objects of a namespace. Upstream: glance/db/sqlalchemy/metadef_api/object.py.
import { notFound } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { MetadefObject, Namespace } from '../../model.ts';
import { objects } from '../../store/metadefs.ts';
import { checkRemovable, checkNames, invalidUpdate, writeName } from './contents.ts';

/** The fields of an object that clients write. */
export type ObjectFields = Pick<MetadefObject, 'name' | 'description' | 'required' | 'properties'>;

/** Lists the objects of a namespace, oldest first. */
export const listObjects = ({ db }: Context, { id }: Namespace): Promise<MetadefObject[]> =>
  objects.list(db, { where: { namespaceId: id } });

/** @throws 404 */
export async function objectNamed(
  { db }: Context,
  { id }: Namespace,
  name: string,
): Promise<MetadefObject> {
  const object = await objects.find(db, { namespaceId: id, name });
  if (!object) throw notFound(`Could not find metadata object ${name}`);
  return object;
}

/** @throws 409 for a name that the namespace has, or that is there twice */
export async function addObjects(
  context: Context,
  namespace: Namespace,
  added: readonly ObjectFields[],
): Promise<void> {
  const { db, now } = context;
  const names = added.map(({ name }) => name);
  await checkNames(context, namespace, objects, names, duplicate);
  const rest = { namespaceId: namespace.id, createdAt: now, updatedAt: now };
  const write = objects.insertAll(
    db,
    added.map((fields) => ({ ...fields, ...rest })),
  );
  await writeName(write, duplicate(names.join(', '), namespace.namespace));
}

const duplicate = (name: string, namespace: string): string =>
  `A metadata definition object with name=${name} already exists in namespace=${namespace}.`;

/** Replaces the fields of an object. @throws 409 */
export async function changeObject(
  context: Context,
  namespace: Namespace,
  before: MetadefObject,
  fields: ObjectFields,
): Promise<MetadefObject> {
  const { db, now } = context;
  const after = { ...before, ...fields, updatedAt: now };
  const write = objects.update(db, { id: before.id }, after);
  await writeName(write, invalidUpdate('object', before.name, namespace));
  return after;
}

/** @throws 403 if the namespace is protected */
export async function removeObject(
  context: Context,
  namespace: Namespace,
  { id, name }: MetadefObject,
): Promise<void> {
  checkRemovable(namespace, 'object', name);
  await objects.remove(context.db, { id });
}
