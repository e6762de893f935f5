// The rules of the namespaces of metadata definitions. Upstream: glance/api/v2/metadef_namespaces.py
// and glance/db/sqlalchemy/metadef_api/namespace.py.
import { isDuplicate } from '../../../../kernel/db/errors.ts';
import type { Condition } from '../../../../kernel/db/listing.ts';
import { conflict, forbidden, type ApiError } from '../../../../kernel/errors.ts';
import type { Actor, Context } from '../../../../kernel/model.ts';
import type { Namespace, NamespaceVisibility } from '../../model.ts';
import { associations, deleteContents, namespaces } from '../../store/metadefs.ts';

/** Whether the actor sees a namespace: its project's own and public ones, an administrator all. */
export const seesNamespace = (
  { isAdmin, projectId }: Pick<Actor, 'isAdmin' | 'projectId'>,
  { visibility, owner }: Pick<Namespace, 'visibility' | 'owner'>,
): boolean => isAdmin || visibility === 'public' || owner === projectId;

/** Finds a namespace by its name, whether or not the actor sees it. */
export const findNamespace = ({ db }: Context, name: string): Promise<Namespace | undefined> =>
  namespaces.find(db, { namespace: name });

/** The fields by which namespaces can be sorted, with the value that NULL sorts as. */
export const namespaceSortKeys = {
  namespace: undefined,
  display_name: '',
  description: '',
  visibility: undefined,
  protected: undefined,
  owner: undefined,
  created_at: undefined,
  updated_at: 0,
  id: undefined,
} as const;

/** The filters of a list of namespaces, its order, and its position. */
export interface NamespaceQuery {
  readonly visibility: NamespaceVisibility | undefined;
  /** Lists the namespaces that are associated with any of these resource types. */
  readonly resourceTypes: readonly string[] | undefined;
  readonly sortKey: keyof typeof namespaceSortKeys;
  readonly descending: boolean;
  /** The last namespace of the previous page. */
  readonly after: Namespace | undefined;
  readonly limit: number;
}

/** Lists the namespaces that the actor sees and that match every filter. */
export function listNamespaces(
  { db, actor }: Context,
  { visibility, resourceTypes, sortKey, descending, after, limit }: NamespaceQuery,
): Promise<Namespace[]> {
  const visible: Condition = (query) =>
    void query.where(
      (either) =>
        void either.where({ visibility: 'public' }).orWhere({ owner: actor.projectId ?? '' }),
    );
  const associated: Condition = (query) =>
    void query.whereIn(
      'id',
      db(associations.name).whereIn('name', resourceTypes!).select('namespace_id'),
    );
  const sorted = { field: namespaces.fieldOf(sortKey)!, fill: namespaceSortKeys[sortKey] };
  const keys = [sorted, { field: 'createdAt' as const }, { field: 'id' as const }];
  const distinct = keys.filter(
    ({ field }, index) => keys.findIndex((key) => key.field === field) === index,
  );
  return namespaces.list(db, {
    where: { visibility },
    conditions: [
      ...(actor.isAdmin ? [] : [visible]),
      ...(resourceTypes === undefined ? [] : [associated]),
    ],
    sort: distinct.map((key) => ({ ...key, descending })),
    after,
    limit,
  });
}

/** The fields of a namespace that clients write. */
export type NamespaceFields = Pick<
  Namespace,
  'namespace' | 'displayName' | 'description' | 'visibility' | 'isProtected' | 'owner'
>;

/** Creates an empty namespace. @throws 409 */
export async function createNamespace(
  { db, now }: Context,
  fields: NamespaceFields,
): Promise<Namespace> {
  const record = { ...fields, revision: 0, createdAt: now, updatedAt: now };
  try {
    const [id] = await namespaces.insert(db, record);
    return { ...record, id: id! };
  } catch (error) {
    throw isDuplicate(error)
      ? conflict(`The metadata definition namespace=${fields.namespace} already exists.`)
      : error;
  }
}

const stale = (): ApiError => conflict('The namespace was changed by somebody else.');

/** Replaces the fields of a namespace. @throws 409 */
export async function changeNamespace(
  { db, now }: Context,
  before: Namespace,
  fields: NamespaceFields,
): Promise<Namespace> {
  const { namespace } = fields;
  if (namespace !== before.namespace && (await namespaces.exists(db, { namespace })))
    throw conflict(
      'Invalid update. It would result in a duplicate metadata definition namespace with the ' +
        `same name of ${namespace}`,
    );
  return namespaces.updateAtRevision(db, before, { ...fields, updatedAt: now }, stale);
}

/** @throws 403 for a protected namespace */
export function checkUnprotected(namespace: Namespace): void {
  if (namespace.isProtected)
    throw forbidden(
      `Metadata definition namespace ${namespace.namespace} is protected and cannot be deleted.`,
    );
}

/** Deletes a namespace with all that it contains. @throws 403 for a protected one */
export async function removeNamespace({ db }: Context, namespace: Namespace): Promise<void> {
  checkUnprotected(namespace);
  await deleteContents(db, [namespace.id]);
  await namespaces.removeAtRevision(db, namespace, stale);
}

/**
 * Keeps other transactions from changing or deleting a namespace while this one changes what it
 * contains.
 * @throws SerializationFailure if another transaction has changed it since it was read
 */
export const lockNamespace = ({ db }: Context, namespace: Namespace): Promise<Namespace> =>
  namespaces.bumpRevision(db, namespace, stale);
