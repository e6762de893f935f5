// The rules of resource types, and of their associations with namespaces. Upstream:
// glance/db/sqlalchemy/metadef_api/resource_type_association.py.
import type { Context } from '../../../../kernel/model.ts';
import { notFound } from '../../../../kernel/errors.ts';
import type { Association, Namespace, ResourceType } from '../../model.ts';
import { associations, resourceTypes } from '../../store/metadefs.ts';
import { checkNames, checkRemovable, writeName } from './contents.ts';

/** Lists the resource types of all namespaces, oldest first. */
export const listResourceTypes = ({ db }: Context): Promise<ResourceType[]> =>
  resourceTypes.list(db);

/** Lists the associations of namespaces, oldest first. */
export const listAssociations = (
  { db }: Context,
  namespaceIds: readonly number[],
): Promise<Association[]> => associations.list(db, { where: { namespaceId: namespaceIds } });

/**
 * Finds the association of a namespace with a resource type.
 * @throws 404, also for a type that no namespace was ever associated with
 */
export async function associationWith(
  { db }: Context,
  { id, namespace }: Namespace,
  name: string,
): Promise<Association> {
  const association = await associations.find(db, { namespaceId: id, name });
  if (association) return association;
  throw notFound(
    (await resourceTypes.exists(db, { name }))
      ? `The metadata definition resource-type association of resource-type=${name} to ` +
          `namespace=${namespace}, was not found.`
      : `The metadata definition resource-type with name=${name}, was not found.`,
  );
}

/** The fields of an association that clients write. */
export type AssociationFields = Pick<Association, 'name' | 'prefix' | 'propertiesTarget'>;

/** Associates a namespace with resource types, which are created if they are new. @throws 409 */
export async function addAssociations(
  context: Context,
  namespace: Namespace,
  added: readonly AssociationFields[],
): Promise<void> {
  const { db, now } = context;
  const names = added.map(({ name }) => name);
  await checkNames(context, namespace, associations, names, duplicate);
  const times = { createdAt: now, updatedAt: now };
  const known = await resourceTypes.among(db, 'name', names);
  const isKnown = new Set(known.map(({ name }) => name));
  await resourceTypes.ensure(
    db,
    names.filter((name) => !isKnown.has(name)).map((name) => ({ name, ...times })),
  );
  const write = associations.insertAll(
    db,
    added.map((fields) => ({ ...fields, namespaceId: namespace.id, ...times })),
  );
  await writeName(write, duplicate(names.join(', '), namespace.namespace));
}

const duplicate = (name: string, namespace: string): string =>
  `The metadata definition resource-type association of resource-type=${name} to ` +
  `namespace=${namespace} already exists.`;

/** Ends an association. The resource type remains. @throws 403, 404 */
export async function removeAssociation(
  context: Context,
  namespace: Namespace,
  name: string,
): Promise<void> {
  const { db } = context;
  const association = await associations.find(db, { namespaceId: namespace.id, name });
  if (!association) throw notFound(`Failed to find resource type ${name} to delete`);
  checkRemovable(namespace, 'resource-type-association', name);
  await associations.remove(db, { id: association.id });
}
