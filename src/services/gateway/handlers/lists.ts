// Lists the resources of several pods as one list: sorted, filtered, and cut into pages.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { GatewayCall, Handler, Json } from '../call.ts';
import { mergeLists, pageOf, type SortKey } from '../domain/merge.ts';
import { ListRefused, maxPageSize, readPodLists, type PodList } from '../domain/pod-lists.ts';
import { inZone, replyOf } from '../views/replies.ts';

/** A list that a gateway shows. */
export interface Listing extends PodList {
  /** The path of the list, for the link to the next page. */
  readonly linkPath: string;
  /** The part of a resource that the list shows. */
  readonly show: (resource: Json) => Json;
  readonly sortKeysOf: (call: GatewayCall) => SortKey[];
  /** Completes the resources of a page with what the central region knows. */
  readonly complete?: (call: GatewayCall, page: readonly Json[]) => Promise<Json[]>;
}

/** Creates the handler of a list. */
export const listed = (listing: Listing): Handler => orRefusal((call) => list(call, listing));

/** A handler that returns the reply of a pod which refuses to list its resources. */
export const orRefusal =
  (handler: Handler): Handler =>
  async (call, own) => {
    try {
      return await handler(call, own);
    } catch (error) {
      if (error instanceof ListRefused) return replyOf(error.reply);
      throw error;
    }
  };

async function list(call: GatewayCall, listing: Listing): Promise<Reply> {
  const lists = (await readPodLists(call, listing)).map(({ pod, items }) =>
    items.map((item) => inZone(item, pod.azName)),
  );
  const { query } = call;
  const limit = Math.min(Number(query.last('limit') ?? maxPageSize), maxPageSize);
  const request = {
    limit,
    marker: query.last('marker'),
    offset: Number(query.last('offset') ?? 0),
  };
  const page = pageOf(mergeLists(lists, listing.sortKeysOf(call)), request);
  const completed = listing.complete ? await listing.complete(call, page) : page;
  const count =
    query.last('with_count')?.toLowerCase() === 'true' ? { count: lists.flat().length } : {};
  return ok({
    [listing.key]: completed.map((item) => listing.show(item)),
    ...linkToNext(call, listing, page, limit),
    ...count,
  });
}

/** The link to the next page, if this page is full. */
function linkToNext(
  call: GatewayCall,
  { key, linkPath }: Listing,
  page: readonly Json[],
  limit: number,
): Json {
  const last = page.at(-1);
  if (!last || page.length < limit) return {};
  const pairs = call.query.entries().filter(([name]) => name !== 'marker' && name !== 'offset');
  const query = new URLSearchParams([
    ...pairs.map(([name, value]): [string, string] => [name, value]),
    ['marker', String(last['id'])],
  ]);
  const root = call.requestPath!.slice(0, -linkPath.length);
  return {
    [`${key}_links`]: [
      { rel: 'next', href: `${call.origin}${call.prefix}${root}${linkPath}?${query.toString()}` },
    ],
  };
}
