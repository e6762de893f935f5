// Finds the pods of resources, and keeps Tricircle's routings up to date. It calls pods and
// Tricircle only.
import { type ApiError, notFound } from '../../../kernel/errors.ts';
import type { GatewayCall, Json } from '../call.ts';
import { successBody, type ServiceReply } from './message.ts';
import { requestFromPod } from './pods.ts';
import {
  findPod,
  podsDiffer,
  podsOfProject,
  removeRoutingTo,
  route,
  routeNew,
  routingOf,
  type Pod,
  type ResourceType,
} from './tricircle.ts';

/** How an API represents a type of resource. */
interface ResourceApi {
  /** The path below the version, such as `/servers`. */
  readonly path: string;
  /** The key of a resource in a body. */
  readonly key: string;
  /** The field that holds a resource's project. */
  readonly projectField: string;
  /** The path parameters that may hold the id, in order of preference. */
  readonly parameters: readonly string[];
  /** The service that has the resource, by its type in the catalog. */
  readonly service: string;
  /** What error messages call the resource. */
  readonly label: string;
}

const resourceApis: Readonly<Record<ResourceType, ResourceApi>> = {
  server: {
    path: '/servers',
    key: 'server',
    projectField: 'tenant_id',
    parameters: ['server_id', 'id'],
    service: 'compute',
    label: 'Instance',
  },
  server_group: {
    path: '/os-server-groups',
    key: 'server_group',
    projectField: 'project_id',
    parameters: ['id'],
    service: 'compute',
    label: 'Instance group',
  },
  volume: {
    path: '/volumes',
    key: 'volume',
    projectField: 'os-vol-tenant-attr:tenant_id',
    parameters: ['volume_id'],
    service: 'volumev3',
    label: 'Volume',
  },
  snapshot: {
    path: '/snapshots',
    key: 'snapshot',
    projectField: 'os-extended-snapshot-attributes:project_id',
    parameters: ['snapshot_id'],
    service: 'volumev3',
    label: 'Snapshot',
  },
  transfer: {
    // This path exists at every microversion.
    path: '/os-volume-transfer',
    key: 'transfer',
    projectField: 'source_project_id',
    parameters: ['transfer_id'],
    service: 'volumev3',
    label: 'Transfer',
  },
};

/** The text of Nova and Cinder for an unknown resource. */
export const unknownMessage = (type: ResourceType, id: string): string =>
  `${resourceApis[type].label} ${id} could not be found.`;

/** The refusal of Nova and Cinder of an unknown resource. */
export const unknownResource = (type: ResourceType, id: string): ApiError =>
  notFound(unknownMessage(type, id));

/** Reads a resource in a pod, from a request to either gateway. */
function readInPod(
  call: GatewayCall,
  pod: Pod,
  type: ResourceType,
  id: string,
  asAdmin: boolean,
): Promise<ServiceReply> {
  const { path, service } = resourceApis[type];
  return requestFromPod(call, pod, {
    method: 'GET',
    path: `${path}/${encodeURIComponent(id)}`,
    asAdmin,
    ...(service === call.service.definition.type ? {} : { service }),
  });
}

/** Shows a resource in a pod, as the caller sees it; undefined if the pod refuses that. */
export async function showInPod(
  call: GatewayCall,
  pod: Pod,
  type: ResourceType,
  id: string,
): Promise<Json | undefined> {
  const body = successBody(await readInPod(call, pod, type, id, false));
  return body?.[resourceApis[type].key] as Json | undefined;
}

/**
 * Finds the pod of a resource. Without a routing, it searches the pods of the caller's project and
 * routes the resource that it finds: a pod may have created it without its reply arriving, and Nova
 * itself creates volumes.
 */
export async function findPodOf(
  call: GatewayCall,
  type: ResourceType,
  id: string,
): Promise<Pod | undefined> {
  const routing = await routingOf(call, { topId: id, resourceType: type });
  if (routing) return findPod(call, routing.podId);
  const projectId = call.caller?.projectId;
  if (projectId === undefined) return undefined;
  for (const pod of await podsOfProject(call, projectId)) {
    const body = await readInPod(call, pod, type, id, false).then(successBody, () => undefined);
    // The id may be a word of the API: GET /servers/detail returns a list.
    const resource = body?.[resourceApis[type].key] as Json | undefined;
    if (!resource) continue;
    await routeFound(call, pod, type, resource);
    return pod;
  }
  return undefined;
}

/** Routes a resource that was found in a pod, for its own project if the pod shows that. */
export async function routeFound(
  call: GatewayCall,
  pod: Pod,
  type: ResourceType,
  resource: Json,
): Promise<void> {
  const project = resource[resourceApis[type].projectField];
  await route(call, {
    topId: resource['id'] as string,
    podId: pod.id,
    projectId: typeof project === 'string' ? project : (call.caller?.projectId ?? ''),
    resourceType: type,
  });
}

/** Routes resources that a pod has just created for the caller. */
export async function routeIds(
  call: GatewayCall,
  pod: Pod,
  type: ResourceType,
  ids: readonly string[],
): Promise<void> {
  const projectId = call.caller!.projectId!;
  for (const topId of ids)
    await routeNew(call, { topId, podId: pod.id, projectId, resourceType: type });
}

/** Routes the resource in a pod's reply to a create. An error has none. */
export async function routeCreated(
  call: GatewayCall,
  pod: Pod,
  type: ResourceType,
  reply: ServiceReply,
): Promise<void> {
  const created = successBody(reply)?.[resourceApis[type].key] as { id: string } | undefined;
  if (created) await routeIds(call, pod, type, [created.id]);
}

/** Creates a resource in a pod with the client's request, and routes it. */
export async function createInPod(
  call: GatewayCall,
  pod: Pod,
  type: ResourceType,
): Promise<ServiceReply> {
  const reply = await requestFromPod(call, pod);
  await routeCreated(call, pod, type, reply);
  return reply;
}

/** Finds the pod of a resource. @throws 404 */
export async function requirePodOf(
  call: GatewayCall,
  type: ResourceType,
  id: string,
): Promise<Pod> {
  const pod = await findPodOf(call, type, id);
  if (!pod) throw unknownResource(type, id);
  return pod;
}

/** The id of the resource in the path of a request. */
export const idInPath = (call: GatewayCall, type: ResourceType): string =>
  resourceApis[type].parameters
    .map((name) => call.params[name])
    .find((value) => value !== undefined)!;

/** The path of a request below the version. */
export const pathBelowVersion = ({ path }: GatewayCall): string => path.replace(/^\/v[\d.]+/, '');

/** Whether the path of a request is the resource's own, and not one below it. */
export function isResourcePath(call: GatewayCall, type: ResourceType, id: string): boolean {
  const { path } = resourceApis[type];
  const paths = type === 'transfer' ? [path, '/volume-transfers'] : [path];
  const own = pathBelowVersion(call);
  return paths.some((one) => own === `${one}/${encodeURIComponent(id)}` || own === `${one}/${id}`);
}

/**
 * Removes the routing of a resource that its pod no longer has. The gateway checks as an
 * administrator: the caller also gets a 404 for a resource of another tenant.
 */
export async function removeRoutingIfGone(
  call: GatewayCall,
  pod: Pod,
  type: ResourceType,
  id: string,
): Promise<void> {
  const reply = await readInPod(call, pod, type, id, true).catch(() => undefined);
  // A migration may have moved it meanwhile: its routing leads to another pod then, and stays.
  if (reply?.status === 404) await removeRoutingTo(call, pod, { topId: id, resourceType: type });
}

/** Refuses to join a server and a volume of different pods. @throws 400, 404 */
export async function requireInPod(
  call: GatewayCall,
  pod: Pod,
  type: 'server' | 'volume',
  id: string,
): Promise<void> {
  const other = await requirePodOf(call, type, id);
  if (other.id === pod.id) return;
  const [server, volume] = type === 'server' ? [other, pod] : [pod, other];
  throw podsDiffer(`the server is in ${server.regionName}, the volume in ${volume.regionName}`);
}
