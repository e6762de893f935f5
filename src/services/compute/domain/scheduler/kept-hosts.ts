// The hosts as the scheduler keeps them between requests, with what its filters derive from a host
// alone. Their usage is not part of it: Placement reads that for each request.
import type { Db } from '../../../../kernel/db/database.ts';
import { Kept } from '../../../../kernel/db/kept/kept.ts';
import { hostsRevision } from '../../store/hosts/revision.ts';
import { listHosts } from '../../store/hosts/server-hosts.ts';
import { LatestStates, type SchedulerHost } from './hosts.ts';
import { isPool, tenantsOf } from './aggregates.ts';
import { multipliersOf } from './multipliers.ts';

/** All hosts of a region. */
export interface SchedulerHosts {
  /** In the order in which they were added. */
  readonly all: readonly SchedulerHost[];
  /** The place of each host, by the UUID of its resource provider. */
  readonly placeOf: ReadonlyMap<string, number>;
  readonly latest: LatestStates;
}

const kept = new Kept(hostsRevision, async (db): Promise<SchedulerHosts> => {
  const all = (await listHosts(db)).map((host, place): SchedulerHost => ({
    ...host,
    place,
    tenants: tenantsOf(host.aggregates),
    isPooled: host.aggregates.some(isPool),
    multipliers: multipliersOf(host.aggregates),
  }));
  return {
    all,
    placeOf: new Map(all.map(({ provider, place }) => [provider, place])),
    latest: new LatestStates(all),
  };
});

/** The hosts of a region. Nobody may change them. */
export const schedulerHosts = (db: Db): Promise<SchedulerHosts> => kept.read(db);
