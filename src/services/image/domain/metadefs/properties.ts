// The rules of the properties of a namespace. Upstream:
// glance/db/sqlalchemy/metadef_api/property.py.
import { notFound } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { MetadefProperty, Namespace } from '../../model.ts';
import { properties } from '../../store/metadefs.ts';
import { checkRemovable, checkNames, invalidUpdate, writeName } from './contents.ts';

/** The fields of a property that clients write. */
export type PropertyFields = Pick<MetadefProperty, 'name' | 'definition'>;

/** Lists the properties of a namespace, oldest first. */
export const listProperties = ({ db }: Context, { id }: Namespace): Promise<MetadefProperty[]> =>
  properties.list(db, { where: { namespaceId: id } });

/** @throws 404 */
export async function propertyNamed(
  { db }: Context,
  { id }: Namespace,
  name: string,
): Promise<MetadefProperty> {
  const property = await properties.find(db, { namespaceId: id, name });
  if (!property) throw notFound(`Could not find property ${name}`);
  return property;
}

/** @throws 409 for a name that the namespace has */
export async function addProperties(
  context: Context,
  namespace: Namespace,
  added: readonly PropertyFields[],
): Promise<void> {
  const names = added.map(({ name }) => name);
  await checkNames(context, namespace, properties, names, duplicate);
  const write = properties.insertAll(
    context.db,
    added.map((fields) => ({ ...fields, namespaceId: namespace.id })),
  );
  await writeName(write, duplicate(names.join(', '), namespace.namespace));
}

const duplicate = (name: string, namespace: string): string =>
  `A metadata definition property with name=${name} already exists in namespace=${namespace}.`;

/** Replaces the definition of a property, and perhaps its name. @throws 409 */
export async function changeProperty(
  context: Context,
  namespace: Namespace,
  { id, name }: MetadefProperty,
  fields: PropertyFields,
): Promise<void> {
  const write = properties.update(context.db, { id }, fields);
  await writeName(write, invalidUpdate('property', name, namespace));
}

/** @throws 403 if the namespace is protected */
export async function removeProperty(
  context: Context,
  namespace: Namespace,
  { id, name }: MetadefProperty,
): Promise<void> {
  checkRemovable(namespace, 'property', name);
  await properties.remove(context.db, { id });
}
