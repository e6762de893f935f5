// Requests about one resource: they go to the pod where it is, also while that is under
// maintenance.
import { badRequest, type ApiError, notFound } from '../../../kernel/errors.ts';
import type { GatewayCall, Handler, Json } from '../call.ts';
import { askPod, bodyOf, type Answer } from '../clients/pods.ts';
import {
  findPod,
  podsOfProject,
  removeRouting,
  route,
  routingOf,
  type Kind,
  type Pod,
} from '../clients/tricircle.ts';
import { replyOf } from '../views/answers.ts';

/** How the services name a kind of resource. */
export interface Noun {
  /** The path below the version, such as `/servers`. */
  readonly path: string;
  /** The key of one in a body. */
  readonly key: string;
  /** The fields in which the project of one may be. */
  readonly project: readonly string[];
  /** The parameters of a path in which the id is, the first that is there. */
  readonly parameters: readonly string[];
  unknown(id: string): ApiError;
}

export const nouns: Readonly<Record<Kind, Noun>> = {
  server: {
    path: '/servers',
    key: 'server',
    project: ['tenant_id'],
    parameters: ['server_id', 'id'],
    unknown: (id) => notFound(`Instance ${id} could not be found.`),
  },
  server_group: {
    path: '/os-server-groups',
    key: 'server_group',
    project: ['project_id'],
    parameters: ['id'],
    unknown: (id) => notFound(`Instance group ${id} could not be found.`),
  },
  volume: {
    path: '/volumes',
    key: 'volume',
    project: ['os-vol-tenant-attr:tenant_id'],
    parameters: ['volume_id'],
    unknown: (id) => notFound(`Volume ${id} could not be found.`),
  },
  snapshot: {
    path: '/snapshots',
    key: 'snapshot',
    project: ['os-extended-snapshot-attributes:project_id'],
    parameters: ['snapshot_id'],
    unknown: (id) => notFound(`Snapshot ${id} could not be found.`),
  },
};

/** The service that has resources of a kind, as the catalog has it. */
const serviceOf = (kind: Kind): string =>
  kind === 'server' || kind === 'server_group' ? 'compute' : 'volumev3';

/** Asks for one resource in a pod, from a request to either gateway. */
function ask(call: GatewayCall, pod: Pod, kind: Kind, id: string, isOwn: boolean): Promise<Answer> {
  const service = serviceOf(kind);
  const path = `${nouns[kind].path}/${encodeURIComponent(id)}`;
  return askPod(call, pod, {
    method: 'GET',
    path,
    isOwn,
    ...(service === call.service.definition.type ? {} : { service }),
  });
}

/**
 * The pod of a resource. One that no row tells of is looked for in the pods of the caller's
 * project: a pod may have created it and died before it answered, and Nova creates volumes of its
 * own. What is found is routed from then on.
 */
export async function podOf(call: GatewayCall, kind: Kind, id: string): Promise<Pod | undefined> {
  const routing = await routingOf(call, { topId: id, resourceType: kind });
  if (routing) return findPod(call, routing.podId);
  const projectId = call.caller?.projectId;
  if (projectId === undefined) return undefined;
  for (const pod of await podsOfProject(call, projectId)) {
    const found = await ask(call, pod, kind, id, false).then(bodyOf, () => undefined);
    if (!found) continue;
    await adopt(call, pod, kind, found[nouns[kind].key] as Json);
    return pod;
  }
  return undefined;
}

/** Routes a resource that a pod has. */
export async function adopt(
  call: GatewayCall,
  pod: Pod,
  kind: Kind,
  resource: Json,
): Promise<void> {
  const projectId = nouns[kind].project
    .map((field) => resource[field])
    .find((value) => typeof value === 'string');
  const fields = { topId: resource['id'] as string, podId: pod.id, kind };
  await route(call, {
    ...fields,
    projectId: (projectId as string | undefined) ?? call.caller?.projectId ?? '',
  });
}

/** The same. @throws 404 */
export async function knownPodOf(call: GatewayCall, kind: Kind, id: string): Promise<Pod> {
  const pod = await podOf(call, kind, id);
  if (!pod) throw nouns[kind].unknown(id);
  return pod;
}

/** The id in the path of a request. */
export const idIn = (call: GatewayCall, kind: Kind): string =>
  nouns[kind].parameters.map((name) => call.params[name]).find((value) => value !== undefined)!;

/** Sends a request on to the pod of its resource. */
export const routed =
  (kind: Kind, change?: (call: GatewayCall, pod: Pod) => Promise<unknown>): Handler =>
  async (call) => {
    const id = idIn(call, kind);
    const pod = await knownPodOf(call, kind, id);
    const body = await change?.(call, pod);
    const answer = await askPod(
      call,
      pod,
      body === undefined
        ? {}
        : { method: call.method, body, query: call.query.text, path: pathOf(call) },
    );
    if (isAboutItself(call, kind, id) && (call.method === 'DELETE' || answer.status === 404))
      await forgetIfGone(call, pod, kind, id);
    return replyOf(answer, pod.azName);
  };

/** The path of a request below the version. */
export const pathOf = ({ path }: GatewayCall): string => path.replace(/^\/v[\d.]+/, '');

/** Whether a request is about the resource and not about something below it. */
const isAboutItself = (call: GatewayCall, kind: Kind, id: string): boolean =>
  pathOf(call) === `${nouns[kind].path}/${encodeURIComponent(id)}` ||
  pathOf(call) === `${nouns[kind].path}/${id}`;

/**
 * Forgets where a resource is once its pod no longer has it. The gateway looks itself: a 404 may
 * hide what is another tenant's.
 */
export async function forgetIfGone(
  call: GatewayCall,
  pod: Pod,
  kind: Kind,
  id: string,
): Promise<void> {
  const seen = await ask(call, pod, kind, id, true).catch(() => undefined);
  if (seen?.status !== 404) return;
  const routing = await routingOf(call, { topId: id, resourceType: kind });
  if (routing) await removeRouting(call, routing);
}

/** Refuses what would join a server and a volume of two pods. @throws 400, 404 */
export async function requireInPod(
  call: GatewayCall,
  pod: Pod,
  kind: Kind,
  id: string,
): Promise<void> {
  const other = await knownPodOf(call, kind, id);
  if (other.id !== pod.id) throw badRequest('Server and volume not in the same pod');
}
