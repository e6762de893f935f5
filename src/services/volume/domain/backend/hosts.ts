// The usage of a backend's host by each project, for operators. Upstream: show in
// cinder/api/contrib/hosts.py.
import type { Context } from '../../../../kernel/model.ts';
import type { CountAndSize } from '../../store/lists.ts';
import { sumsByProject } from '../../store/quotas.ts';

/** A project's volumes on a host, and the snapshots of volumes there. */
export interface HostUsage {
  readonly projectId: string;
  readonly volumes: CountAndSize;
  readonly snapshots: CountAndSize;
}

/** Returns the usage of every project that has volumes in a pool. */
export async function hostUsage({ db }: Context, pool: string): Promise<HostUsage[]> {
  const volumes = await sumsByProject(db, 'volume_volumes', pool);
  const snapshots = new Map(
    (await sumsByProject(db, 'volume_snapshots', pool)).map((sum) => [sum.projectId, sum]),
  );
  const none = { count: 0, size: 0 };
  return volumes.map((own) => ({
    projectId: own.projectId,
    volumes: own,
    snapshots: snapshots.get(own.projectId) ?? none,
  }));
}
