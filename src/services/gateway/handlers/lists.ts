// Lists the resources of several pods as one list: sorted, filtered, and cut into pages.
import { ok } from '../../../kernel/http/reply.ts';
import type { ApiError } from '../../../kernel/errors.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { GatewayCall, Handler, Json } from '../call.ts';
import { requestFromCentre } from '../clients/centre.ts';
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
  /** The service's refusal of a marker that is not in the list. */
  readonly unknownMarker: (marker: string) => ApiError;
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
  const { query } = call;
  // The pods do not get the page that the client requests, so the centre refuses an invalid one.
  if (!isNumber(query.last('limit')) || !isNumber(query.last('offset')))
    return replyOf(await requestFromCentre(call));
  const inPods = await readPodLists(call, listing);
  // A project without a pod has nothing, but its query is still checked.
  if (!inPods.length) return replyOf(await requestFromCentre(call));
  const lists = inPods.map(({ pod, items }) => items.map((item) => inZone(item, pod.azName)));
  const limit = Math.min(Number(query.last('limit') ?? maxPageSize), maxPageSize);
  const request = {
    limit,
    marker: query.last('marker'),
    offset: Number(query.last('offset') ?? 0),
    unknownMarker: listing.unknownMarker,
  };
  const page = pageOf(mergeLists(lists, listing.sortKeysOf(call)), request);
  const isFull = page.length > 0 && page.length >= limit;
  const completed = listing.complete ? await listing.complete(call, page) : page;
  const count =
    query.last('with_count')?.toLowerCase() === 'true' ? { count: lists.flat().length } : {};
  return ok({
    [listing.key]: completed.map((item) => listing.show(item)),
    ...linkToNext(call, listing, isFull ? String(page.at(-1)!['id']) : undefined),
    ...count,
  });
}

const isNumber = (text: string | undefined): boolean => text === undefined || /^\d+$/.test(text);

/**
 * The link to the page after an item.
 * @param last the id of the last item of a full page; undefined for any other page
 */
export function linkToNext(
  call: GatewayCall,
  { key, linkPath }: Pick<Listing, 'key' | 'linkPath'>,
  last: string | undefined,
): Json {
  if (last === undefined) return {};
  const pairs = call.query.entries().filter(([name]) => name !== 'marker' && name !== 'offset');
  const query = new URLSearchParams([
    ...pairs.map(([name, value]): [string, string] => [name, value]),
    ['marker', last],
  ]);
  const root = call.requestPath!.slice(0, -linkPath.length);
  return {
    [`${key}_links`]: [
      { rel: 'next', href: `${call.origin}${call.prefix}${root}${linkPath}?${query.toString()}` },
    ],
  };
}
