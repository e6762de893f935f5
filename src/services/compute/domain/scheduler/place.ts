// Finding a host for a server: candidates from Placement, filters, weighers, the claim, and one more look at the group.
import { badRequest, Fault } from '../../../../kernel/fault.ts';
import { findOffers, type Offer, type Uses } from '../../../placement/index.ts';
import { filters, type Seats } from './filters.ts';
import type { Candidate, Host } from './hosts.ts';
import { ranked } from './weighers.ts';
import { demandOf, type Wish } from './request-spec.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** The host that was found, and what the server uses there. */
export interface Placing {
  readonly host: string;
  readonly node: string;
  readonly zone: string;
  readonly uses: Uses;
}

/** How a server is given a host. */
export interface Choosing {
  hosts(): Promise<readonly Host[]>;
  /** Where the members of the group sit, read again each time. */
  seats(): Promise<Seats>;
  /** Takes what the server is to use. @throws 409 where it does not fit */
  claim(placing: Placing): Promise<void>;
  /** Gives it back. */
  release(): Promise<void>;
}

/** How many hosts are tried for a server whose build fails. */
const mostAttempts = 3;

/** The words of everybody who finds no host. */
export const noValidHost = (reason: string): Fault =>
  badRequest(`No valid host was found. ${reason}`, { code: 'compute.no_host' });

const notEnough = 'There are not enough hosts available.';

/** Finds a host for the wish and claims it. @throws Fault that says why there is none */
export async function place(db: Db, wish: Wish, choosing: Choosing): Promise<Placing> {
  const [hosts, seats] = [await choosing.hosts(), await choosing.seats()];
  const offers = byProvider(await findOffers(db, demandOf(wish, onlyProvider(hosts, wish))));
  if (!offers.size) throw noValidHost('');
  const candidates = hosts.flatMap((host): Candidate[] => {
    const first = offers.get(host.provider)?.[0];
    return first ? [{ ...host, free: first.free, members: seats.on(host.host) }] : [];
  });
  const passing = wish.forced
    ? candidates.filter((host) => (wish.host ?? host.host) === host.host && (wish.node ?? host.node) === host.node)
    : candidates.filter((host) => filters.every((filter) => filter.passes(host, wish, seats)));
  if (!passing.length) throw noValidHost(notEnough);
  return tryInTurn(ranked(passing, wish), offers, wish, choosing);
}

/** Claims the best host that still has room; where the group turns out to be against it, the next. */
async function tryInTurn(
  hosts: readonly Candidate[],
  offers: ReadonlyMap<string, readonly Offer[]>,
  wish: Wish,
  choosing: Choosing,
): Promise<Placing> {
  let attempts = 0;
  for (const host of hosts) {
    for (const { uses } of offers.get(host.provider)!) {
      const placing: Placing = { host: host.host, node: host.node, zone: host.zone, uses };
      if (!(await claimed(choosing, placing))) continue;
      const broken = brokenPolicy(wish, host.host, await choosing.seats());
      if (broken === undefined) return placing;
      await choosing.release();
      if (wish.forced) throw badRequest(broken);
      if (++attempts === mostAttempts) throw exhausted(wish);
      break;
    }
  }
  throw attempts ? exhausted(wish) : noValidHost(notEnough);
}

const exhausted = ({ server }: Wish): Fault =>
  badRequest(
    `Exceeded maximum number of retries. Exhausted all hosts available for retrying build failures for instance ${server}.`,
  );

/** Whether the claim went through; what was free a moment ago may not be any more. */
async function claimed(choosing: Choosing, placing: Placing): Promise<boolean> {
  try {
    await choosing.claim(placing);
    return true;
  } catch (error) {
    if (error instanceof Fault && error.status === 409) return false;
    throw error;
  }
}

/** The late check: what is against the server on that host, now that it is to be there. Upstream: compute/manager.py. */
function brokenPolicy({ group, currentHost }: Wish, host: string, seats: Seats): string | undefined {
  if (host === currentHost) return undefined;
  if (group?.policy === 'anti-affinity' && seats.on(host) >= group.perHost)
    return 'Anti-affinity instance group policy was violated';
  if (group?.policy === 'affinity' && seats.hosts.size && !seats.hosts.has(host))
    return 'Affinity instance group policy was violated';
  return undefined;
}

function byProvider(offers: readonly Offer[]): Map<string, Offer[]> {
  const map = new Map<string, Offer[]>();
  for (const offer of offers) map.set(offer.root, [...(map.get(offer.root) ?? []), offer]);
  return map;
}

/** The tree to look in, where the wish names one host that there is. */
function onlyProvider(hosts: readonly Host[], { host, node }: Wish): string | undefined {
  if (host === null && node === null) return undefined;
  const named = hosts.filter((one) => (host === null || one.host === host) && (node === null || one.node === node));
  return named.length === 1 ? named[0]!.provider : undefined;
}
