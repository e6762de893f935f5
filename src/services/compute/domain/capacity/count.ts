// Counts how many more servers with the same request fit if they are created one at a time, each
// after the one before it has finished.
import type { Measured, Place } from '../../../../emulator/capacity/model.ts';
import type { Context } from '../../../../kernel/model.ts';
import { classesIn, describeSpace, type ProviderTree } from '../../clients/placement.ts';
import type { SchedulerHost } from '../scheduler/hosts.ts';
import { schedulerHosts } from '../scheduler/kept-hosts.ts';
import { groupFilters, otherFilters } from '../scheduler/batch.ts';
import type { RequestSpec } from '../scheduler/request-spec.ts';
import { fillHosts } from './fill.ts';
import { Room } from './room.ts';
import { placeInTurn } from './turns.ts';

const noun = 'servers';

/** Counts the servers that fit, by host. The quotas of projects are not considered. */
export async function countServers(context: Context, spec: RequestSpec): Promise<Measured> {
  const { all: hosts } = await schedulerHosts(context.db);
  const room = await Room.read(context, spec, hosts);
  if (typeof room === 'string') {
    const places = hosts.map((host) => placeOf(host, 0, room));
    return { noun, places, limit: room, resources: [] };
  }
  const { space } = room;
  const suitable = hosts.filter((host) => !room.rejecting(host, otherFilters));
  const treesOf = (some: readonly SchedulerHost[]): ProviderTree[] =>
    some.flatMap((host) => room.treeOf(host) ?? []);
  const classes = classesIn(space, treesOf(suitable));
  // Only sharing providers make hosts depend on each other, so that the order of servers matters.
  if (space.isShared) await placeInTurn(room);
  else await fillHosts(room);
  const full: ProviderTree[] = [];
  for (const tree of treesOf(suitable))
    if (!(await space.candidates(tree, 1)).length) full.push(tree);
  const { reasons, resources } = await describeSpace(context, space, classes, full);
  const limit = `Placement lists at most ${room.limit} candidates, and none of them is valid`;
  const places = hosts.map((host) =>
    placeOf(host, room.countOn(host), reasonOf(room, host, reasons) ?? limit),
  );
  const isLimited = places.some(({ reason }) => reason === limit);
  return { noun, places, limit: isLimited ? limit : undefined, resources };
}

const placeOf = (
  { provider: uuid, node: name, zone, aggregates }: SchedulerHost,
  count: number,
  reason: string,
): Place => ({ uuid, name, zone, aggregates: aggregates.map((one) => one.name), count, reason });

/** Why no more servers fit on a host; undefined if the host would be valid. */
function reasonOf(
  room: Room,
  host: SchedulerHost,
  reasons: ReadonlyMap<ProviderTree, string>,
): string | undefined {
  const { spec, group } = room;
  const why = (filters: typeof groupFilters): string | undefined => {
    const filter = room.rejecting(host, filters);
    return filter && `the host ${filter.why(room.stateOf(host), spec, group)}`;
  };
  const tree = room.treeOf(host);
  if (!tree) return why(otherFilters) ?? 'the host has no root provider in Placement';
  return why(otherFilters) ?? reasons.get(tree) ?? why(groupFilters);
}
