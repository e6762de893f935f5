// Deletes everything that some projects have in Clustering.
import { deleteWhere, valuesWhere } from '../../../kernel/db/owned-rows.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { pipelined } from '../../../kernel/db/pipelined.ts';

/** What was deleted: ids by the name of the resource. */
type DeletedIds = Readonly<
  Record<'clusters' | 'nodes' | 'actions' | 'policies' | 'profiles' | 'receivers', string[]>
>;

/** Deletes the resources of the projects with their events, locks and credentials. */
export async function deleteResourcesOf(
  db: Db,
  projectIds: readonly string[],
): Promise<DeletedIds> {
  const idsOf = (name: string): Promise<string[]> =>
    valuesWhere(db, `clustering_${name}`, 'project_id', projectIds);
  const [clusters, nodes, actions, policies, profiles, receivers] = await pipelined([
    idsOf('clusters'),
    idsOf('nodes'),
    idsOf('actions'),
    idsOf('policies'),
    idsOf('profiles'),
    idsOf('receivers'),
  ]);
  const deleted = { clusters, nodes, actions, policies, profiles, receivers };
  await deleteWhere(db, 'clustering_bindings', 'cluster_id', clusters);
  await deleteWhere(db, 'clustering_bindings', 'policy_id', policies);
  await deleteWhere(db, 'clustering_health_registry', 'cluster_id', clusters);
  await deleteWhere(db, 'clustering_locks', 'target', [...clusters, ...nodes]);
  await deleteWhere(db, 'clustering_dependencies', 'depended', actions);
  await deleteWhere(db, 'clustering_dependencies', 'dependent', actions);
  for (const name of ['receivers', 'actions', 'nodes', 'clusters', 'policies', 'profiles'] as const)
    await deleteWhere(db, `clustering_${name}`, 'id', deleted[name]);
  for (const name of ['events', 'credentials'])
    await deleteWhere(db, `clustering_${name}`, 'id', await idsOf(name));
  return deleted;
}
