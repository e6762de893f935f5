// The queries of Clustering that are more than finding and writing rows of one table.
import type { Db } from '../../../kernel/db/database.ts';
import { deleteRows } from '../../../kernel/db/drivers/recurring.ts';
import { isDuplicate, SerializationFailure } from '../../../kernel/db/errors.ts';
import type { Filter, Sort, Where } from '../../../kernel/db/listing.ts';
import type { Table } from '../../../kernel/db/table.ts';
import { unavailable, type ApiError } from '../../../kernel/errors.ts';
import type {
  Action,
  ActionStatus,
  Binding,
  Cluster,
  Lock,
  Node,
  NodeStatus,
  Owned,
} from '../model.ts';
import { actions, bindings, clusters, dependencies, locks, nodes } from './tables.ts';

export * from './tables.ts';

/** How many ids one statement names. */
const idsPerQuery = 200;

/** What the client gets if every attempt to write a record at its revision has failed. */
const changedMeanwhile = (): ApiError =>
  unavailable('The resource is being changed by another request. Please try again.');

/**
 * Updates fields of a record that no other transaction has changed since it was read.
 * @throws SerializationFailure if another transaction has
 */
export const changeCluster = (
  db: Db,
  cluster: Cluster,
  fields: Partial<Cluster>,
): Promise<Cluster> => clusters.updateAtRevision(db, cluster, fields, changedMeanwhile);
export const changeNode = (db: Db, node: Node, fields: Partial<Node>): Promise<Node> =>
  nodes.updateAtRevision(db, node, fields, changedMeanwhile);
export const changeAction = (db: Db, action: Action, fields: Partial<Action>): Promise<Action> =>
  actions.updateAtRevision(db, action, fields, changedMeanwhile);

/** Lists the nodes of a cluster by index. */
export const membersOf = (db: Db, clusterId: string): Promise<Node[]> =>
  nodes.list(db, { where: { clusterId }, sort: ['index'] });

/** Counts the nodes of a cluster. */
export const countMembers = (db: Db, clusterId: string, status?: NodeStatus): Promise<number> =>
  nodes.count(db, { where: { clusterId, status } });

/** Lists the ids of a cluster's nodes by index. */
export const idsOfMembers = async (db: Db, clusterId: string): Promise<string[]> =>
  (await db(nodes.name)
    .where({ cluster_id: clusterId })
    .orderBy('index')
    .orderBy('id')
    .pluck('id')) as string[];

/** Lists the ids of the nodes or policy bindings of several clusters, by cluster. */
export async function idsByCluster(
  db: Db,
  table: 'clustering_nodes' | 'clustering_bindings',
  clusterIds: readonly string[],
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>(clusterIds.map((id) => [id, []]));
  const order = table === 'clustering_nodes' ? 'index' : 'id';
  for (let at = 0; at < clusterIds.length; at += idsPerQuery) {
    const query = db(table)
      .whereIn('cluster_id', clusterIds.slice(at, at + idsPerQuery))
      .select('id', 'cluster_id');
    const rows = (await query.orderBy(order).orderBy('id')) as { id: string; cluster_id: string }[];
    for (const { id, cluster_id } of rows) found.get(cluster_id)!.push(id);
  }
  return found;
}

const unfinishedStatuses: readonly ActionStatus[] = [
  'READY',
  'WAITING',
  'RUNNING',
  'WAITING_LIFECYCLE_COMPLETION',
];

/** Counts the actions of nodes that can begin, and have not. */
export const countReadyNodeActions = async (db: Db): Promise<number> => {
  const ready = db(actions.name).where({ status: 'READY' }).where('action', 'like', 'NODE%');
  const [row] = (await ready.count({ count: '*' })) as { count: number }[];
  return Number(row!.count);
};

/** Lists the unfinished actions on a target, of all kinds or of those given. */
export const unfinishedActions = (
  db: Db,
  target: string,
  kinds?: readonly string[],
): Promise<Action[]> =>
  actions.list(db, {
    where: { target, status: unfinishedStatuses, action: kinds },
    sort: ['createdAt'],
  });

/** For each action, the ids of the actions that it depends on, or that depend on it. */
export async function dependenciesOf(
  db: Db,
  side: 'depended' | 'dependent',
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const other = side === 'depended' ? 'dependent' : 'depended';
  const found = new Map<string, string[]>();
  for (const row of await dependencies.among(db, side, ids)) {
    if (!found.has(row[side])) found.set(row[side], []);
    found.get(row[side])!.push(row[other]);
  }
  return found;
}

/** Inserts a lock. @returns false if its target is locked */
export async function insertLock(db: Db, lock: Lock): Promise<boolean> {
  try {
    await locks.insert(db, lock);
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}

/**
 * Finds the lock on a target that is known to be locked.
 * @throws SerializationFailure if this transaction's snapshot does not include it
 */
export async function lockOn(db: Db, target: string): Promise<Lock> {
  const lock = await locks.find(db, { target });
  if (!lock) throw new SerializationFailure(changedMeanwhile());
  return lock;
}

/** Removes the lock on a target if no other action shares it. @returns whether it has */
export const removeLockOf = async (db: Db, target: string, actionId: string): Promise<boolean> => {
  const lock = { target, action_ids: JSON.stringify([actionId]) };
  return (await deleteRows(db, locks.name, lock)) > 0;
};

/** Lists the enabled policy bindings of a cluster, by priority. */
export const enabledBindings = (db: Db, clusterId: string): Promise<Binding[]> =>
  bindings.list(db, { where: { clusterId, enabled: true }, sort: ['priority'] });

/** The names of profiles by id, for views of the records that refer to them. */
export async function profileNames(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const unique = [...new Set(ids)];
  for (let at = 0; at < unique.length; at += idsPerQuery) {
    const rows = (await db('clustering_profiles')
      .whereIn('id', unique.slice(at, at + idsPerQuery))
      .select('id', 'name')
      .orderBy('id')) as { id: string; name: string }[];
    for (const { id, name } of rows) found.set(id, name);
  }
  return found;
}

/**
 * Finds records by what a client calls them: an id if it looks like one, else a name, else the
 * beginning of an id.
 * @param projectId undefined for the records of all projects
 * @returns at most two
 */
export async function findByIdentity<T extends Owned>(
  db: Db,
  table: Table<T>,
  identity: string,
  isUuid: boolean,
  projectId: string | undefined,
): Promise<T[]> {
  const find = (where: Partial<Owned>, prefix?: string): Promise<T[]> =>
    table.list(db, {
      where: { ...where, projectId } as Filter<T>,
      conditions: prefix ? [(query) => void query.where('id', 'like', `${prefix}%`)] : [],
      limit: 2,
    });
  let found = isUuid ? await find({ id: identity }) : [];
  if (!found.length) found = await find({ name: identity });
  const isPrefix = !isUuid && /^[0-9a-f-]{1,36}$/.test(identity);
  return !found.length && isPrefix ? find({}, identity) : found;
}

/** A page of a list, as a client requests it. */
export interface Page<T> {
  readonly where: Filter<T>;
  readonly sort: readonly Sort<T>[];
  readonly limit: number | undefined;
  /** The id of the record that the page follows. */
  readonly marker: string | undefined;
}

/** Lists a page of records. A marker that no record has is ignored, as upstream does. */
export async function listPage<T extends { readonly id: string }>(
  db: Db,
  table: Table<T>,
  { marker, ...listing }: NoInfer<Page<T>>,
): Promise<T[]> {
  const after =
    marker === undefined ? undefined : await table.find(db, { id: marker } as unknown as Where<T>);
  return table.list(db, { ...listing, after });
}
