// Counts the servers that fit on hosts that do not share providers: host by host, because the order
// of the servers makes no difference.
import {
  take,
  timesOf,
  type AllocationRequest,
  type CandidateSpace,
  type ProviderTree,
} from '../../clients/placement.ts';
import { groupFilters, otherFilters } from '../scheduler/batch.ts';
import type { HostState, SchedulerHost } from '../scheduler/hosts.ts';
import { heaviest } from '../scheduler/weighers.ts';
import { rejecting, type Room } from './room.ts';

/** Fills all hosts that the scheduler gets to see. */
export async function fillHosts(room: Room): Promise<void> {
  if (room.spec.group?.policy === 'affinity' && !room.group.hosts.size) await placeFirst(room);
  while (await fillListed(room));
}

/**
 * Fills the hosts whose candidates Placement lists. It lists a limited number, in the order of the
 * trees. Hosts that are rejected or full by the rule of the group keep their candidates, and so
 * hide those of later trees.
 * @returns whether any server fits
 */
async function fillListed(room: Room): Promise<boolean> {
  const space = await room.searched();
  if (!space) return false;
  let isAny = false;
  let listed = 0;
  for (const tree of space.memory.trees) {
    if (listed >= room.limit) break;
    const host = room.hostOf(tree);
    if (host && !room.rejecting(host, otherFilters)) {
      const count = await fillHost(room, space, tree, host);
      isAny ||= count > 0;
    }
    const most = room.isBreadthFirst ? 1 : room.limit - listed;
    listed += (await space.candidates(tree, most)).length;
  }
  return isAny;
}

async function fillHost(
  room: Room,
  space: CandidateSpace,
  tree: ProviderTree,
  host: SchedulerHost,
): Promise<number> {
  if (!room.spec.group) {
    const count = await space.fill(tree);
    room.add(host, count);
    return count;
  }
  // The filters read the members of the group, but not the free amounts, which change.
  const state = room.stateOf(host);
  let count = 0;
  for (let next: AllocationRequest | undefined; ; count++) {
    if (rejecting(state, room.spec, room.group, groupFilters)) return count;
    if (!next || timesOf(next) < 1) [next] = await space.candidates(tree, 1);
    if (!next) return count;
    take(next, 1);
    room.add(host, 1);
  }
}

/** Places the first server of a group that then keeps all others on its host. */
async function placeFirst(room: Room): Promise<void> {
  const space = await room.searched();
  const states: HostState[] = [];
  const firsts = new Map<string, AllocationRequest>();
  let listed = 0;
  for (const tree of space?.memory.trees ?? []) {
    if (listed >= room.limit) break;
    const found = await space!.candidates(tree, room.isBreadthFirst ? 1 : room.limit - listed);
    listed += found.length;
    const host = room.hostOf(tree);
    if (host && found.length && !room.rejecting(host, otherFilters))
      firsts.set(host.node, found[0]!);
  }
  for (const host of room.hosts) if (firsts.has(host.node)) states.push(room.stateOf(host));
  const best = heaviest(states, room.spec);
  if (!best) return;
  take(firsts.get(best.node)!, 1);
  room.add(
    room.hosts.find(({ node }) => node === best.node)!,
    1,
  );
}
