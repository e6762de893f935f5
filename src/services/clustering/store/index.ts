// The tables of Clustering, and what is done with them beyond finding and writing rows.
import type { Db } from '../../../kernel/db/database.ts';
import { updateAtRevision } from '../../../kernel/db/optimistic-lock.ts';
import { unavailable } from '../../../kernel/errors.ts';
import type {
  Action,
  Binding,
  Cluster,
  Credential,
  Event,
  Json,
  Node,
  Policy,
  Profile,
  Receiver,
} from '../model.ts';
import { Table, type Row } from './tables.ts';

export type { Listing } from './tables.ts';

export interface Lock {
  readonly target: string;
  readonly exclusive: boolean;
  readonly actionIds: readonly string[];
}

export interface Registration {
  readonly clusterId: string;
  readonly interval: number;
  readonly params: Json;
  readonly enabled: boolean;
  readonly round: number;
}

interface Dependency {
  readonly depended: string;
  readonly dependent: string;
}

export const profiles = new Table<Profile>({
  name: 'clustering_profiles',
  json: ['spec', 'metadata'],
});
export const policies = new Table<Policy>({ name: 'clustering_policies', json: ['spec', 'data'] });
export const clusters = new Table<Cluster>({
  name: 'clustering_clusters',
  json: ['metadata', 'data', 'dependents', 'config'],
});
export const nodes = new Table<Node>({
  name: 'clustering_nodes',
  json: ['metadata', 'data', 'dependents'],
  booleans: ['tainted'],
});
export const bindings = new Table<Binding>({
  name: 'clustering_bindings',
  json: ['data'],
  booleans: ['enabled'],
});
export const receivers = new Table<Receiver>({
  name: 'clustering_receivers',
  json: ['actor', 'params', 'channel'],
});
export const credentials = new Table<Credential>({
  name: 'clustering_credentials',
  json: ['roles'],
});
export const actions = new Table<Action>({
  name: 'clustering_actions',
  json: ['inputs', 'outputs', 'data', 'memory'],
});
export const events = new Table<Event>({ name: 'clustering_events', json: ['meta_data'] });
export const locks = new Table<Lock>({
  name: 'clustering_locks',
  json: ['action_ids'],
  booleans: ['exclusive'],
});
export const registry = new Table<Registration>({
  name: 'clustering_health_registry',
  json: ['params'],
  booleans: ['enabled'],
});
/** What an errand has come to, as the region remembers it in which it was done. */
export interface RemoteTaskResult {
  readonly id: string;
  readonly createdAt: number;
  readonly result: unknown;
}

export const remoteTasks = new Table<RemoteTaskResult>({
  name: 'clustering_remote_tasks',
  json: ['result'],
});
export const dependencies = new Table<Dependency>({ name: 'clustering_dependencies' });

interface Versioned {
  readonly id: string;
  readonly revision: number;
}

/**
 * Writes fields over a record that is still as it was read.
 * @throws Contention where another writer was faster
 */
async function change<T extends Versioned>(
  db: Db,
  table: Table<T>,
  record: T,
  fields: Partial<T>,
): Promise<T> {
  const revision = await updateAtRevision(
    db,
    { name: table.name },
    [record.id, record.revision],
    table.columns(fields),
    () => unavailable('The resource is being changed by another request. Please try again.'),
  );
  return { ...record, ...fields, revision };
}

export const changeCluster = (
  db: Db,
  cluster: Cluster,
  fields: Partial<Cluster>,
): Promise<Cluster> => change(db, clusters, cluster, fields);
export const changeNode = (db: Db, node: Node, fields: Partial<Node>): Promise<Node> =>
  change(db, nodes, node, fields);
export const changeAction = (db: Db, action: Action, fields: Partial<Action>): Promise<Action> =>
  change(db, actions, action, fields);

/** The nodes of a cluster, by their index. */
export const membersOf = (db: Db, clusterId: string): Promise<Node[]> =>
  nodes.all(db, { cluster_id: clusterId }, 'index', 'id');

export const idsOfMembers = async (db: Db, clusterId: string): Promise<string[]> =>
  (await db(nodes.name)
    .where({ cluster_id: clusterId })
    .orderBy('index')
    .orderBy('id')
    .pluck('id')) as string[];

/** The members of several clusters, and what is bound to each. */
export async function idsByCluster(
  db: Db,
  table: 'clustering_nodes' | 'clustering_bindings',
  clusterIds: readonly string[],
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>(clusterIds.map((id) => [id, []]));
  const order = table === 'clustering_nodes' ? 'index' : 'id';
  for (let at = 0; at < clusterIds.length; at += 200) {
    const query = db(table)
      .whereIn('cluster_id', clusterIds.slice(at, at + 200))
      .select('id', 'cluster_id');
    const rows = (await query.orderBy(order).orderBy('id')) as { id: string; cluster_id: string }[];
    for (const { id, cluster_id } of rows) found.get(cluster_id)!.push(id);
  }
  return found;
}

/** Actions on a target that are not over. */
export async function unfinishedOn(
  db: Db,
  target: string,
  kinds?: readonly string[],
): Promise<Action[]> {
  const statuses = ['READY', 'WAITING', 'RUNNING', 'WAITING_LIFECYCLE_COMPLETION'];
  const query = db(actions.name)
    .where({ target })
    .whereIn('status', statuses)
    .orderBy('created_at')
    .orderBy('id');
  if (kinds) void query.whereIn('action', kinds);
  return ((await query) as Row[]).map((row) => actions.record(row));
}

/** What each of the actions depends on, or what depends on it. */
export async function dependenciesOf(
  db: Db,
  of: 'depended' | 'dependent',
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const other = of === 'depended' ? 'dependent' : 'depended';
  const found = new Map<string, string[]>();
  for (const row of await dependencies.among(db, of, ids)) {
    if (!found.has(row[of])) found.set(row[of], []);
    found.get(row[of])!.push(row[other]);
  }
  return found;
}

/**
 * The binding by which a policy keeps a cluster from scaling may be of any policy that is enabled,
 * in the order of priority.
 */
export async function enabledBindings(db: Db, clusterId: string): Promise<Binding[]> {
  const rows = (await db(bindings.name)
    .where({ cluster_id: clusterId, enabled: 1 })
    .orderBy('priority')
    .orderBy('id')) as Row[];
  return rows.map((row) => bindings.record(row));
}

/**
 * Which numbers of a column of names there are, for views that show the name of what a record
 * refers to.
 */
export async function namesOf(
  db: Db,
  table: 'clustering_profiles' | 'clustering_clusters' | 'clustering_policies',
  ids: readonly string[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const unique = [...new Set(ids)];
  for (let at = 0; at < unique.length; at += 200) {
    const rows = (await db(table)
      .whereIn('id', unique.slice(at, at + 200))
      .select('id', 'name')
      .orderBy('id')) as { id: string; name: string }[];
    for (const { id, name } of rows) found.set(id, name);
  }
  return found;
}
