// The policies that share objects between projects, as conditions of lists.
import type { Db } from '../../../kernel/db/database.ts';
import type { Condition } from '../../../kernel/db/listing.ts';
import type { ObjectType, RbacAction } from '../model.ts';
import { rbacTable } from './tables.ts';

/** The target of policies that share an object with all projects. */
export const everyone = '*';

/** Selects the ids of the objects of a type that policies open to a project. */
const openTo = (
  db: Db,
  type: ObjectType,
  projectId: string,
  actions: readonly RbacAction[] = ['access_as_shared'],
) =>
  db(rbacTable.name)
    .select('object_id')
    .where({ object_type: type })
    .whereIn('action', actions)
    .whereIn('target_tenant', [everyone, projectId]);

/** Which of some objects are shared with a project. */
export async function sharedWith(
  db: Db,
  projectId: string,
  ids: Iterable<string>,
): Promise<Set<string>> {
  const policies = await rbacTable.among(db, 'object_id', ids, {
    action: 'access_as_shared',
    target_tenant: [everyone, projectId],
  });
  return new Set(policies.map((policy) => policy.object_id));
}

/** Objects of a project, and those that others share with it. */
export const ofProjectOrShared =
  (type: ObjectType, table: string) =>
  (db: Db, projectId: string): Condition =>
  (query) =>
    void query.where(
      (any) =>
        void any
          .where(`${table}.project_id`, projectId)
          .orWhereIn(`${table}.id`, openTo(db, type, projectId)),
    );

/** Networks that a project sees: its own, shared ones and external ones. */
export const visibleNetworks =
  (db: Db, projectId: string): Condition =>
  (query) =>
    void query.where(
      (any) =>
        void any
          .where('network_networks.project_id', projectId)
          .orWhereIn(
            'network_networks.id',
            openTo(db, 'network', projectId, ['access_as_shared', 'access_as_external']),
          ),
    );

/**
 * Resources whose object, such as the network of a subnet, is shared with a project, or is not.
 * @param column the column with the id of the object
 */
export const whereShared =
  (db: Db, type: ObjectType, column: string, projectId: string, isShared: boolean): Condition =>
  (query) => {
    const shared = openTo(db, type, projectId);
    void (isShared ? query.whereIn(column, shared) : query.whereNotIn(column, shared));
  };

/**
 * Reads the latest committed rows instead of the transaction's snapshot, and locks them: for a
 * transaction that has just ended a policy and looks for what depends on it.
 */
export const latest: Condition = (query) => void query.forShare();
