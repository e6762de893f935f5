// The processing of a request, from its arrival to its reply, as one list of steps.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ticks } from '../clock.ts';
import { RequestBody } from './body.ts';
import { ApiError, methodNotAllowed, notFound, tooLarge, noSuchPath } from '../errors.ts';
import { receiveBody, runSteps } from './steps.ts';
import { renderError } from './render-error.ts';
import type {
  Call,
  Cloud,
  IncomingRequest,
  LocatedRequest,
  Reply,
  RoutedRequest,
  Service,
  TimedRequest,
} from '../model.ts';
import { refreshState, runDueJobsOfService, runHandler } from './run-handler.ts';
import { isMounted, mountAt, type Mount } from './mounts.ts';
import { isServedIn, syncRegions } from '../regions.ts';
import { Query } from '../query.ts';
import { withoutTokensOf } from '../redaction/request.ts';
import { reply } from './reply.ts';
import { localOriginOf, newRequest, originOf, refusedHost } from './request.ts';
import { selectRoute, methodsOf } from './routing.ts';
import { send } from './send.ts';
import type { KeyPair } from '../tls/certificates.ts';
import { pathSeenBy, redirectFolded } from './slashes.ts';
import { refuseForeign } from './foreign-requests.ts';
import { anonymous } from '../context.ts';

/** What a port serves: the whole cloud, or one service at the root. */
export interface Listener {
  readonly cloud: Cloud;
  readonly only?: Service;
  /** The region of that service; by default the first one that has it. */
  readonly region?: string;
  /** The key and certificate of a port for HTTPS. */
  readonly identity?: KeyPair | undefined;
}

/** The steps from arrival to reply. Each stage is the same object: see IncomingRequest. */
async function processRequest(request: IncomingRequest): Promise<Reply> {
  const located = locate(request);
  if (!located) return listServices(request);
  const refusing = refuseForeign(located);
  if (refusing) await refusing;
  const timed = await refreshState(located);
  refuseOversizedBody(timed);
  await runDueJobs(timed);
  const { beforeRouting, beforeHandler } = timed.service.definition;
  const earlyReply = await runSteps(beforeRouting, timed); // authenticate, negotiate, ...
  if (earlyReply) return earlyReply;
  const redirect = redirectFolded(timed);
  if (redirect) return redirect;
  const routed = route(timed);
  await receive(routed);
  const reply = await runSteps(beforeHandler, routed); // media type, policy, contract, ...
  if (reply) return reply;
  const replied = await runIntercepted(routed);
  await runOwnJobs(routed);
  return replied;
}

/** Serves one request; if there is a `refusal`, it becomes the reply. */
export async function serve(
  listener: Listener,
  message: IncomingMessage,
  response: ServerResponse,
  refusal = refusedHost(message),
): Promise<void> {
  const started = ticks();
  const received = new RequestBody(message, listener.cloud.bodyMemory);
  const request = requestFrom(listener, message, received);
  request.isUnobserved = listener.cloud.isUnobserved(request);
  const replied = await answer(request, refusal);
  await send(request, replied, response);
  received.end();
  if (request.isUnobserved) return;
  for (const observe of listener.cloud.observers)
    observe(request, replied, ticks() - started, 'client');
}

/** A request that a service forwards to another service, like a client of that service. */
export interface ForwardedRequest extends Mount {
  readonly method: string;
  readonly query: string;
  readonly headers: IncomingMessage['headers'];
  readonly raw: Buffer | undefined;
}

/**
 * Processes a forwarded request: all steps run again, in the order of the other service and with a
 * transaction of its own, so the caller must not be in a transaction. The reply includes the
 * headers of the other service.
 */
export async function forward(
  { cloud, requestId, remoteAddress, origin, localOrigin, isUnobserved }: Call,
  { query, ...forwarded }: ForwardedRequest,
): Promise<Reply> {
  const started = ticks();
  const inner: LocatedRequest = {
    cloud,
    requestId,
    remoteAddress,
    origin,
    localOrigin,
    isUnobserved,
    actor: anonymous,
    params: {},
    query: new Query(query),
    ...forwarded,
  };
  const replied = await processRequest(inner).catch((error: unknown) => renderError(inner, error));
  if (!isUnobserved)
    for (const observe of cloud.observers) observe(inner, replied, ticks() - started, 'forwarded');
  return {
    ...replied,
    headers: { ...inner.service.definition.headers?.(inner), ...replied.headers },
  };
}

/** A request of this process itself, such as `POST /compute/v2.1/servers`. */
export interface OwnRequest extends Pick<IncomingRequest, 'method' | 'headers'> {
  /** The path with its query, from the root of the cloud. */
  readonly url: string;
  readonly raw?: Buffer | undefined;
}

/**
 * Processes a request of this process itself as if a client on this machine had sent it. Observers
 * do not see it.
 */
export function requestFromWithin(
  cloud: Cloud,
  { url, raw, ...given }: OwnRequest,
): Promise<Reply> {
  const origin = `http://${cloud.config.host}:${cloud.config.port}`;
  const request = newRequest(cloud, url, {
    ...given,
    remoteAddress: '127.0.0.1',
    origin,
    localOrigin: origin,
    region: cloud.firstRegion,
  });
  if (raw) request.raw = raw;
  return answer(request, undefined);
}

async function answer(request: IncomingRequest, refusal: ApiError | undefined): Promise<Reply> {
  try {
    if (!findService(request) && (await syncUnknownRegion(request))) findService(request);
    if (refusal) throw refusal;
    return await processRequest(request);
  } catch (error) {
    return withoutTokensOf(request, renderError(request, error));
  }
}

/** Runs the interceptors from this one on, each around the next, and the handler inside them. */
function runIntercepted(request: RoutedRequest, index = 0): Promise<Reply> {
  const interceptor = request.cloud.interceptors[index];
  if (!interceptor) return runHandler(request);
  return interceptor.aroundHandler(request, () => runIntercepted(request, index + 1));
}

function requestFrom(
  { cloud, only, region }: Listener,
  { url = '/', method = 'GET', headers, socket }: IncomingMessage,
  received: RequestBody,
): IncomingRequest {
  const regionOfService =
    only && [...cloud.regions.values()].find((one) => isServedIn(only.definition, one));
  const ownRegion = region === undefined ? regionOfService : cloud.regions.get(region);
  const isGone = region !== undefined && !ownRegion; // the region was removed after the start
  return newRequest(cloud, url, {
    method,
    headers,
    remoteAddress: socket.remoteAddress ?? '',
    origin: originOf(headers, socket),
    localOrigin: localOriginOf(socket),
    region: ownRegion ?? cloud.firstRegion,
    received,
    ...(only && !isGone ? { service: only } : {}),
  });
}

/** Finds the service and the region of the path. The step `locate` refuses unknown paths later. */
function findService(request: IncomingRequest): boolean {
  if (request.service) return true;
  const found = mountAt(request.cloud, request.path);
  if (found) Object.assign(request, found);
  return found !== undefined;
}

/**
 * Looks for regions that other processes have added, if the path may name one.
 * @returns whether it has looked
 */
async function syncUnknownRegion({ cloud, path }: IncomingRequest): Promise<boolean> {
  const mayExist = cloud.central.kind === 'mysql' && /^\/[A-Za-z]\w{0,23}\/./.test(path);
  if (mayExist) await syncRegions(cloud);
  return mayExist;
}

/** The request with its service; undefined if the path leads to none. */
function locate(request: IncomingRequest): LocatedRequest | undefined {
  const { service, path } = request;
  if (!service) return undefined;
  return Object.assign(request, { service, path: pathSeenBy(service.definition, path) || '/' });
}

/**
 * The reply at the root of the cloud: its services and regions, or a page for browsers.
 * @throws 404 for any other path
 */
function listServices(request: IncomingRequest): Reply {
  const { cloud, path, origin } = request;
  const page = path === '/' ? cloud.frontPage(request) : undefined;
  if (page) return page;
  const { services, regions } = cloud;
  const mounted = services.filter(({ definition }) => isMounted(cloud, definition, undefined));
  const urls = Object.fromEntries(
    mounted.map(({ definition }) => [definition.name, `${origin}${definition.prefix}`]),
  );
  if (path === '/') return reply(200, { cumulet: urls, regions: [...regions.keys()] });
  throw notFound(`Nothing is served at ${path}. Services: ${Object.values(urls).join(', ')}.`);
}

/**
 * Refuses a body whose Content-Length exceeds the limit. Upstream: oslo_middleware's sizelimit,
 * which runs before authentication.
 */
function refuseOversizedBody({ received, service, path }: LocatedRequest): void {
  if (!received?.exceeds(service.definition.bodyLimit)) return;
  if (!service.match(path)?.routes.some(({ streams }) => streams))
    throw tooLarge('Request is too large.');
}

async function runDueJobs(request: TimedRequest): Promise<void> {
  const running = runDueJobsOfService(request);
  if (running) await running;
}

/**
 * Runs the jobs that a request has made due, if its route says so. The request is done, so nothing
 * that happens to them changes its reply.
 */
async function runOwnJobs(request: RoutedRequest): Promise<void> {
  if (!request.route.runsJobs?.(request.region)) return;
  await runDueJobs(request).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
  });
}

/**
 * Receives the body, unless the service has done so already. Jobs may have become due while it
 * arrived: they run now, and the request gets the time at which its body is complete.
 */
async function receive(request: RoutedRequest): Promise<void> {
  if (!(await receiveBody(request))) return;
  await runDueJobs(await refreshState(request));
}

/** @throws 404 for an unknown path or a version without the route, 405 for an unknown method */
function route(request: TimedRequest): RoutedRequest {
  const { service, path, method } = request;
  const { versions } = service.definition;
  const match = service.match(path);
  if (!match) throw noSuchPath();
  const version = (request.version ??= versions.max);
  const { route, outsideSpan } = selectRoute(match, method, version, versions);
  if (route) {
    const operation = service.contract.operation(method, route.path, version);
    return Object.assign(request, { version, route, params: match.params, operation });
  }
  if (!outsideSpan)
    throw methodNotAllowed('', { headers: { allow: methodsOf(match.routes).join(', ') } });
  throw new ApiError(outsideSpan.statusOutsideSpan ?? 404, '', {
    reason: { kind: 'no-such-version' },
  });
}
