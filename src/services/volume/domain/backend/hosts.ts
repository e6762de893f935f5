// What each project has on the host of the backend, as operators see it. Upstream: show in
// cinder/api/contrib/hosts.py.
import type { Context } from '../../../../kernel/model.ts';
import type { Counted } from '../../store/lists.ts';
import { sumsByProject } from '../../store/quotas.ts';
import { pool } from '../../model.ts';

/** The volumes of a project on a host, and its snapshots of them. */
export interface HostUsage {
  readonly projectId: string;
  readonly volumes: Counted;
  readonly snapshots: Counted;
}

/** The usage of every project that has volumes on the host. */
export async function hostUsage({ db }: Context): Promise<HostUsage[]> {
  const volumes = await sumsByProject(db, 'volume_volumes', pool);
  const snapshots = await sumsByProject(db, 'volume_snapshots', pool);
  const none = { count: 0, size: 0 };
  return volumes.map((own) => ({
    projectId: own.projectId,
    volumes: own,
    snapshots: snapshots.find(({ projectId }) => projectId === own.projectId) ?? none,
  }));
}
