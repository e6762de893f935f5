// Between servers and the scheduler: what a server wishes for, and where the members of its group sit.
import type { Micros } from '../../../../kernel/clock.ts';
import { setUses, usesOf, type Uses } from '../../../placement/index.ts';
import { findGroup } from '../../store/servers/groups.ts';
import { openMigrations } from '../../store/servers/migrations.ts';
import { countGroupPlacing, findServers, groupPlacings, listGroupSeats, type Server } from '../../store/servers/servers.ts';
import { listHosts } from '../../store/hosts/server-hosts.ts';
import { isOnVolume } from '../servers/states.ts';
import type { Seats } from './filters.ts';
import { place, type Placing } from './place.ts';
import type { GroupRule, Wish } from './request-spec.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** Nothing at all. */
export const noUses: Uses = new Map();

/** The group of a server, as the scheduler needs it; undefined where it is in none, or the group is gone. */
async function groupRule(db: Db, { groupId }: Server): Promise<GroupRule | undefined> {
  const group = groupId === null ? undefined : await findGroup(db, groupId);
  return group && { uuid: group.uuid, policy: group.policy, perHost: group.maxServerPerHost ?? 1 };
}

/** The servers that a hint names: hints are kept as lists. */
const hinted = ({ hints }: Server, name: string): string[] => ((hints[name] ?? []) as string[]).filter(Boolean);

/** What a server asks of its next host. */
export async function wishOf(db: Db, server: Server, more: Partial<Wish> = {}): Promise<Wish> {
  return {
    server: server.uuid,
    projectId: server.projectId,
    userId: server.userId,
    flavor: server.flavor,
    onVolume: isOnVolume(server),
    imageProperties: server.imageProperties,
    zone: server.pinnedZone,
    host: null,
    node: null,
    forced: false,
    ignoredHosts: [],
    group: await groupRule(db, server),
    nearTo: hinted(server, 'same_host'),
    farFrom: hinted(server, 'different_host'),
    reservations: hinted(server, 'reservation'),
    currentHost: server.host,
    ...more,
  };
}

/** Where the members of a group sit: a server that may still go back holds a place at both ends of its move. */
async function seatsOf(db: Db, { group, server, nearTo, farFrom }: Wish): Promise<Seats> {
  const named = new Map((await findServers(db, [...nearTo, ...farFrom])).map(({ uuid, host }) => [uuid, host ?? '']));
  if (!group) return { on: () => 0, hosts: new Set(), named };
  const members = await listGroupSeats(db, group.uuid);
  const moves = await openMigrations(db, members.map(({ uuid }) => uuid)); // prettier-ignore
  const held = members
    .filter(({ uuid }) => uuid !== server)
    .map(({ uuid, host }) => {
      const mine = moves.filter(({ serverUuid }) => serverUuid === uuid);
      return new Set([host, ...mine.flatMap(({ sourceHost, destHost }) => [sourceHost, destHost])]);
    });
  return {
    on: (host) => held.filter((hosts) => hosts.has(host)).length,
    hosts: new Set(members.flatMap(({ host }) => host ?? [])),
    named,
  };
}

/**
 * Finds a host for a server and claims it: what the server uses elsewhere until then goes to `keeper`, so that it may go back.
 * @throws Fault that says why there is none; Contention where servers of the group have been placed meanwhile
 */
export async function findHost(db: Db, server: Server, wish: Wish, now: Micros, keeper?: string): Promise<Placing> {
  const { projectId, userId } = server;
  const seen = wish.group ? await groupPlacings(db, wish.group.uuid) : 0;
  const before = keeper === undefined ? noUses : await usedBy(db, server.uuid);
  const kept = keeper === undefined ? [] : [{ consumer: keeper, projectId, userId }];
  const take = (uses: Uses, left: Uses): Promise<void> =>
    setUses(db, [...kept.map((one) => ({ ...one, uses: left })), { consumer: server.uuid, projectId, userId, uses }], now);
  const placing = await place(db, wish, {
    hosts: () => listHosts(db),
    seats: () => seatsOf(db, wish),
    claim: ({ uses }) => take(uses, before),
    release: () => take(before, noUses),
  });
  if (wish.group) await countGroupPlacing(db, wish.group.uuid, seen);
  return placing;
}

/** What a consumer uses at the moment. */
export const usedBy = async (db: Db, consumer: string): Promise<Uses> => (await usesOf(db, [consumer])).get(consumer) ?? noUses;
