// Lists of what is in several pods: each pod is asked, and the answers are merged, sorted and cut
// into pages as one list.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { GatewayCall, Handler, Json } from '../call.ts';
import { merged, pageOf, type Order } from '../domain/merge.ts';
import { askPod, isOk, type Answer } from '../clients/pods.ts';
import {
  bottomPods,
  podsOfProject,
  routingsOf,
  type Kind,
  type Pod,
} from '../clients/tricircle.ts';
import { inZone, replyOf } from '../views/answers.ts';
import { adopt, nouns } from './routed.ts';

/** How a service lists a kind of resource. */
export interface Listing {
  readonly kind: Kind;
  /** The key of the list in a body. */
  readonly key: string;
  /** The path below the version with all details, which pods are asked for. */
  readonly path: string;
  /**
   * The path of the list that is asked for, for the link to the next page; none where the service
   * gives none.
   */
  readonly linkPath?: string;
  /** What the list shows of a resource. */
  readonly shown: (resource: Json) => Json;
  orderOf(call: GatewayCall): Order[];
}

/** The most that a page has, in both services. */
const mostItems = 1000;

/** What is asked of the gateway and not of a pod. */
const ownParameters = ['limit', 'marker', 'offset', 'availability_zone', 'with_count'];

/** An answer of a pod that refuses the list: the client gets it. */
class Refused extends Error {
  readonly answer: Answer;
  constructor(answer: Answer) {
    super('a pod refuses a list');
    this.answer = answer;
  }
}

/** Lists what all pods have. */
export const listed =
  (listing: Listing): Handler =>
  async (call) => {
    try {
      return await list(call, listing);
    } catch (error) {
      if (error instanceof Refused) return replyOf(error.answer);
      throw error;
    }
  };

async function list(call: GatewayCall, listing: Listing): Promise<Reply> {
  const found = await allOf(call, listing);
  const { query } = call;
  const limit = Math.min(Number(query.last('limit') ?? mostItems), mostItems);
  const request = {
    limit,
    marker: query.last('marker'),
    offset: Number(query.last('offset') ?? 0),
  };
  const page = pageOf(merged(found, listing.orderOf(call)), request);
  const count =
    query.last('with_count')?.toLowerCase() === 'true' ? { count: found.flat().length } : {};
  return ok({
    [listing.key]: page.map((one) => listing.shown(one)),
    ...linksTo(call, listing, page, limit),
    ...count,
  });
}

/** What each pod has, in its own order. What was not routed yet is, so that it can be reached. */
export async function allOf(call: GatewayCall, listing: Listing): Promise<Json[][]> {
  const { kind } = listing;
  const projectId = isOfAll(call) ? undefined : (call.caller?.projectId ?? '');
  const zone = call.query.last('availability_zone');
  const pods = await (projectId === undefined ? bottomPods(call) : podsOfProject(call, projectId));
  const asked = pods.filter(({ azName }) => zone === undefined || azName === zone);
  const known = new Set(
    (
      await routingsOf(call, {
        resourceType: kind,
        ...(projectId === undefined ? {} : { projectId }),
      })
    ).map(({ topId }) => topId),
  );
  const lists = await Promise.all(
    asked.map(async (pod) => ({ pod, items: await itemsOf(call, pod, listing) })),
  );
  for (const { pod, items } of lists)
    for (const item of items)
      if (!known.has(item['id'] as string)) await adopt(call, pod, kind, item);
  return lists.map(({ pod, items }) => items.map((item) => inZone(item, pod.azName)));
}

const isOfAll = ({ query }: GatewayCall): boolean => {
  const value = query.last('all_tenants') ?? query.last('all_projects');
  return (
    value !== undefined && !['0', 'f', 'false', 'n', 'no', 'off'].includes(value.toLowerCase())
  );
};

/** All that a pod lists, page by page. */
async function itemsOf(call: GatewayCall, pod: Pod, { key, path, kind }: Listing): Promise<Json[]> {
  const kept = call.query.entries().filter(([name]) => !ownParameters.includes(name));
  const items: Json[] = [];
  for (let marker: string | undefined; ;) {
    const pairs = kept.map(([name, value]): [string, string] => [name, value]);
    const paging: [string, string][] = marker === undefined ? [] : [['marker', marker]];
    // Nova's server groups have pages of another kind, and come as one.
    const limit: [string, string][] = kind === 'server_group' ? [] : [['limit', String(mostItems)]];
    const query = new URLSearchParams([...pairs, ...limit, ...paging]).toString();
    const answer = await askPod(call, pod, { path, query });
    if (!isOk(answer)) throw new Refused(answer);
    const page = (answer.body as Record<string, Json[]>)[key]!;
    items.push(...page);
    marker = page.at(-1)?.['id'] as string | undefined;
    if (page.length < mostItems || marker === undefined) return items;
  }
}

/** The link to the next page, where this one is full. */
function linksTo(
  call: GatewayCall,
  { key, linkPath, kind }: Listing,
  page: readonly Json[],
  limit: number,
): Json {
  const last = page.at(-1);
  if (linkPath === undefined || !last || page.length < limit || nouns[kind].path === '') return {};
  const pairs = call.query.entries().filter(([name]) => name !== 'marker' && name !== 'offset');
  const query = new URLSearchParams([
    ...pairs.map(([name, value]): [string, string] => [name, value]),
    ['marker', String(last['id'])],
  ]);
  const above = call.asked!.slice(0, call.asked!.length - linkPath.length);
  return {
    [`${key}_links`]: [
      { rel: 'next', href: `${call.origin}${call.prefix}${above}${linkPath}?${query.toString()}` },
    ],
  };
}
