// Reads the lists of the pods in which the caller may have resources.
import type { GatewayCall, Json } from '../call.ts';
import { isSuccess, type ServiceReply } from '../clients/message.ts';
import { leaveOut, requestFromPod } from '../clients/pods.ts';
import {
  bottomPods,
  podsOfProject,
  routingsOf,
  type Pod,
  type ResourceType,
} from '../clients/tricircle.ts';
import { routeFound } from '../clients/routed-resources.ts';

/** A list of resources in an API. */
export interface PodList {
  readonly type: ResourceType;
  /** The key of the list in a body. */
  readonly key: string;
  /** The path of the list with details, below the version. */
  readonly path: string;
}

/** The largest page of both services. */
export const maxPageSize = 1000;

/** Parameters that the gateway handles itself, and does not send to pods. */
const gatewayParameters = ['limit', 'marker', 'offset', 'availability_zone', 'with_count'];

/** A pod refused to list its resources; the client gets its reply. */
export class ListRefused extends Error {
  readonly reply: ServiceReply;
  constructor(reply: ServiceReply) {
    super('A pod refused to list its resources.');
    this.reply = reply;
  }
}

/**
 * Reads the list of each pod, in the pod's order. Resources without a routing get one, so that
 * later requests find them. During a migration two pods have a resource: the one to which it is
 * routed counts.
 * @throws ListRefused
 */
export async function readPodLists(
  call: GatewayCall,
  list: PodList,
): Promise<{ pod: Pod; items: Json[] }[]> {
  const { type } = list;
  const projectId = projectOfList(call);
  const zone = call.query.last('availability_zone');
  const pods = await listedPods(call);
  const inZone = pods.filter(({ azName }) => zone === undefined || azName === zone);
  const filter = { resourceType: type, ...(projectId === undefined ? {} : { projectId }) };
  const routed = new Map(
    (await routingsOf(call, filter)).map(({ topId, podId }) => [topId, podId]),
  );
  const lists = await Promise.all(
    inZone.map(async (pod) => ({
      pod,
      items: (await readList(call, pod, list).catch(leaveOut)) ?? [],
    })),
  );
  for (const { pod, items } of lists)
    for (const item of items)
      if (!routed.has(item['id'] as string)) await routeFound(call, pod, type, item);
  return lists.map(({ pod, items }) => ({
    pod,
    items: items.filter(({ id }) => (routed.get(id as string) ?? pod.id) === pod.id),
  }));
}

/** The project whose resources a request lists; undefined for those of all projects. */
const projectOfList = (call: GatewayCall): string | undefined =>
  isForAllProjects(call) ? undefined : (call.caller?.projectId ?? '');

/** The pods that may have the resources that a request lists. */
export function listedPods(call: GatewayCall): Promise<Pod[]> {
  const projectId = projectOfList(call);
  return projectId === undefined ? bottomPods(call) : podsOfProject(call, projectId);
}

const isForAllProjects = ({ query }: GatewayCall): boolean => {
  const value = query.last('all_tenants') ?? query.last('all_projects');
  return (
    value !== undefined && !['0', 'f', 'false', 'n', 'no', 'off'].includes(value.toLowerCase())
  );
};

/** Reads all pages of a pod's list. */
async function readList(
  call: GatewayCall,
  pod: Pod,
  { key, path, type }: PodList,
): Promise<Json[]> {
  const filters = call.query
    .entries()
    .filter(([name]) => !gatewayParameters.includes(name))
    .map(([name, value]): [string, string] => [name, value]);
  // Nova pages server groups by offset, so the gateway reads them as a single page.
  const limit: [string, string][] = type === 'server_group' ? [] : [['limit', String(maxPageSize)]];
  const items: Json[] = [];
  for (let marker: string | undefined; ;) {
    const paging: [string, string][] = marker === undefined ? [] : [['marker', marker]];
    const query = new URLSearchParams([...filters, ...limit, ...paging]).toString();
    const reply = await requestFromPod(call, pod, { path, query });
    if (!isSuccess(reply)) throw new ListRefused(reply);
    const page = (reply.body as Record<string, Json[]>)[key]!;
    items.push(...page);
    marker = page.at(-1)?.['id'] as string | undefined;
    const isLast =
      page.length < maxPageSize && !Object.hasOwn(reply.body as object, `${key}_links`);
    if (isLast || marker === undefined) return items;
  }
}
