// The hosts as the scheduler keeps them between requests, with what its filters derive from a host
// alone. Their usage is not part of it: Placement reads that for each request.
import type { Db } from '../../../../kernel/db/database.ts';
import { Kept } from '../../../../kernel/db/kept/kept.ts';
import type { Host } from '../../model.ts';
import { hostsRevision } from '../../store/hosts/revision.ts';
import { listHosts } from '../../store/hosts/server-hosts.ts';
import { isPool, tenantsOf } from './aggregates.ts';
import { multipliersOf, type Multipliers } from './multipliers.ts';

/** A host with what follows from its service and its aggregates. */
export interface SchedulerHost extends Host {
  /** Its place among all hosts, in the order in which they were added. */
  readonly place: number;
  /** The only projects whose servers it accepts; undefined if it accepts those of all projects. */
  readonly tenants: ReadonlySet<string> | undefined;
  /** Whether it is reserved, or can be. */
  readonly isPooled: boolean;
  /** The multipliers of weighers that its aggregates override; undefined if there are none. */
  readonly multipliers: Partial<Multipliers> | undefined;
}

/** All hosts of a region. */
export interface SchedulerHosts {
  /** In the order in which they were added. */
  readonly all: readonly SchedulerHost[];
  /** By the UUID of the resource provider. */
  readonly byProvider: ReadonlyMap<string, SchedulerHost>;
}

const kept = new Kept(hostsRevision, async (db): Promise<SchedulerHosts> => {
  const all = (await listHosts(db)).map((host, place): SchedulerHost => ({
    ...host,
    place,
    tenants: tenantsOf(host.aggregates),
    isPooled: host.aggregates.some(isPool),
    multipliers: multipliersOf(host.aggregates),
  }));
  return { all, byProvider: new Map(all.map((host) => [host.provider, host])) };
});

/** The hosts of a region. Nobody may change them. */
export const schedulerHosts = (db: Db): Promise<SchedulerHosts> => kept.read(db);
