// Sends requests to the services of pods: within this process if the endpoint belongs to this
// cloud, otherwise over HTTP.
import { ApiError } from '../../../kernel/errors.ts';
import { NoReply, sendRequest } from '../../../kernel/http-client.ts';
import { forward } from '../../../kernel/http/app.ts';
import { mountAt } from '../../../kernel/http/mounts.ts';
import { isDropped } from '../../../kernel/http/reply.ts';
import type { Context, Region } from '../../../kernel/model.ts';
import type { GatewayCall } from '../call.ts';
import { baseUrlOf, rewriteLinks } from './links.ts';
import {
  adminTokenOf,
  messageOf,
  parseJson,
  readReply,
  versionPathOf,
  type Message,
  type ServiceReply,
  type ServiceRequest,
} from './message.ts';
import { endpointOf, podDown, unreachable, type Pod } from './tricircle.ts';

/** How long a pod may take to reply, in milliseconds. */
const replyTimeout = 60_000;

/**
 * Sends a request to a service of a pod. Links in the reply of the gateway's own service lead to
 * the gateway.
 * @throws 404 if the catalog has no usable endpoint of the service; 503 or 504 if no reply arrives
 */
export async function requestFromPod(
  call: GatewayCall,
  pod: Pod,
  request: ServiceRequest = {},
): Promise<ServiceReply> {
  const { definition } = call.service;
  const endpoint = await endpointOf(call, pod, request.service ?? definition.type!);
  if (!endpoint) throw noEndpoint();
  const projectId = request.asAdmin ? (await adminTokenOf(call)).projectId : call.caller?.projectId;
  const url = withProject(endpoint.url, projectId) + (request.path ?? pathOf(call));
  const message = await messageOf(call, request);
  const isOwnService = request.service === undefined;
  if (!endpoint.isHere) {
    const reply = await sendOverHttp(call, pod, url, message);
    return isOwnService
      ? rewriteLinks(reply, baseUrlOf(endpoint.url), call.origin + call.prefix)
      : reply;
  }
  const mount = mountAt(call.cloud, url);
  // A pod whose endpoint is a gateway would forward the request forever.
  if (!mount || mount.service.definition.api !== undefined) throw noEndpoint();
  const prefix = isOwnService ? call.prefix : mount.prefix;
  const reply = await forward(call, { ...message, ...mount, prefix });
  if (isDropped(reply)) {
    const cause = new Error('The pod closed the connection without a reply.');
    throw lostPod(call, pod, message.method, new NoReply(url, cause));
  }
  return readReply(reply);
}

/**
 * The error of Trio2o's cinder_apigw for a resource in a pod that is not in the catalog, such as a
 * pod whose region has been dropped.
 */
const noEndpoint = (): ApiError =>
  new ApiError(404, 'Bottom Pod endpoint incorrect', { code: withoutEndpoint });

const withoutEndpoint = 'gateway.no_endpoint';

/**
 * Leaves a pod that is not in the catalog out of a list, as the lists of Trio2o's cinder_apigw do.
 * @throws any other error
 */
export function leaveOut(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.code !== withoutEndpoint) throw error;
}

/**
 * Leaves a pod that is not in the catalog, or that does not answer, out of a sum.
 * @throws any other error
 */
export function leaveOutUnreachable(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.code !== unreachable) leaveOut(error);
}

/** The region that has a pod's service; undefined if that belongs to another cloud. */
export async function regionOf(
  context: Context,
  pod: Pod,
  serviceType: string,
): Promise<Region | undefined> {
  const endpoint = await endpointOf(context, pod, serviceType);
  return endpoint?.isHere ? mountAt(context.cloud, endpoint.url)?.region : undefined;
}

/** The path of the client's request below the version. */
const pathOf = ({ path, service }: GatewayCall): string =>
  path.slice(versionPathOf(service).length);

/** A URL of the catalog with the project in the place of `$(project_id)s`. */
const withProject = (url: string, projectId: string | undefined): string =>
  url
    .replace(/\/[$%]\((?:tenant|project)_id\)s$/, projectId === undefined ? '' : `/${projectId}`)
    .replace(/\/$/, '');

async function sendOverHttp(
  call: GatewayCall,
  pod: Pod,
  url: string,
  { method, query, headers, raw }: Message,
): Promise<ServiceReply> {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each) => [name, each] as const),
  );
  try {
    const reply = await sendRequest(query ? `${url}?${query}` : url, {
      method,
      headers: pairs,
      ...(raw?.length ? { body: raw } : {}),
      timeout: replyTimeout,
      returnRedirects: true,
    });
    const isBytes = reply.headers.get('content-type')?.includes('octet-stream') ?? false;
    return {
      status: reply.status,
      headers: Object.fromEntries(reply.headers),
      body: isBytes ? reply.body : parseJson(reply.body.toString()),
    };
  } catch (error) {
    throw error instanceof NoReply ? lostPod(call, pod, method, error) : error;
  }
}

/**
 * The error for a pod that did not reply: 503 if the request had no effect, 504 for a write that
 * the pod may have carried out.
 */
function lostPod(
  { cloud, requestId }: GatewayCall,
  pod: Pod,
  method: string,
  error: NoReply,
): ApiError {
  cloud.log.warn({ err: error, request: requestId, pod: pod.regionName }, 'no reply from a pod');
  if (method === 'GET' || method === 'HEAD' || !error.wasSent) return podDown(pod);
  return new ApiError(
    504,
    `The pod ${pod.regionName} went away before it had answered. ` +
      'Lists will show what it has done, when it is back.',
    { code: 'gateway.pod_lost' },
  );
}
