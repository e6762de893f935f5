// A request's life, as one list.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ticks } from '../clock.ts';
import { newRequestId } from '../ids.ts';
import { isDropped, isStream, reply, writeStream } from './reply.ts';
import { isLoopback, isLoopbackHost } from './loopback.ts';
import { RequestBody } from './body.ts';
import {
  badRequest,
  ApiError,
  forbidden,
  methodNotAllowed,
  notFound,
  tooLarge,
  noSuchPath,
} from '../errors.ts';
import { receiveBody } from './steps.ts';
import { renderError } from './render-error.ts';
import type { Call, Cloud, Reply, Service, Step } from '../model.ts';
import { refreshState, runDueJobsOfService, runHandler } from './run-handler.ts';
import { isMounted, mountAt, type Mount } from './mounts.ts';
import { isServedIn, syncRegions } from '../regions.ts';
import { Query } from '../query.ts';
import { defaultPassword } from '../settings.ts';
import { selectRoute, methodsOf } from './routing.ts';
import { anonymous } from '../context.ts';

/**
 * What a listening port serves: the whole cloud, or one service of the first region at its root.
 */
export interface Listener {
  readonly cloud: Cloud;
  readonly only?: Service;
}

/** The steps from arrival to reply. Any step may throw a fault; `answer` renders it. */
const lifecycle: readonly Step[] = [
  locate, // prefix -> region and service
  refuseForeignHost, // a page that reaches a cloud anyone may sign in to
  // once, so that all a request writes bears the same time; and the regions and fault rules as they
  // are then
  refreshState,
  refuseOversizedBody, // a body that is too long by its own word
  runDueJobsOfService, // what is due in the service's database happens first
  // the service's own order: authenticate, negotiate, ...
  (call) => runSteps(call.service.definition.beforeRouting, call),
  route, // path -> 404, method -> 405, version -> 404
  receive, // the body, of a caller who may send one
  // the service's own order: media type, policy, contract
  (call) => runSteps(call.service.definition.beforeHandler, call),
  // the handler, inside the interceptors, in a transaction that is retried after a conflict or
  // after due jobs
  (call) => runIntercepted(call),
];

/** Serves one request; one with a `refusal` gets that for an answer. */
export async function serve(
  listener: Listener,
  request: IncomingMessage,
  response: ServerResponse,
  refusal = withoutHost(request),
): Promise<void> {
  const started = ticks();
  const received = new RequestBody(request, listener.cloud.bodyMemory);
  const call = newCall(listener, request, received);
  const answered = await answer(call, refusal);
  await send(call, answered, response);
  received.end();
  for (const observe of listener.cloud.observers)
    observe(call, answered, ticks() - started, 'client');
}

/** A request that a service sends on to another, as the client of its own request. */
export interface ForwardedRequest extends Mount {
  readonly method: string;
  readonly query: string;
  readonly headers: IncomingMessage['headers'];
  readonly raw: Buffer | undefined;
}

/**
 * Answers a request that a service of this cloud sends on: all of a request's life happens again,
 * in the other service's order and with its own transaction, so that the work that asks must be in
 * none. The other service's headers are in the reply.
 */
export async function forward(
  outer: Call,
  { query, ...request }: ForwardedRequest,
): Promise<Reply> {
  const started = ticks();
  const { cloud, requestId, remoteAddress, origin } = outer;
  const call = {
    cloud,
    requestId,
    remoteAddress,
    origin,
    actor: anonymous,
    attempt: 1,
    params: {},
    query: new Query(query),
    ...request,
  };
  const inner = call as unknown as Call;
  const answered = await runSteps(lifecycle, inner)
    .then((done) => done ?? reply(204))
    .catch((error: unknown) => renderError(inner, error));
  for (const observe of cloud.observers) observe(inner, answered, ticks() - started, 'forwarded');
  return {
    ...answered,
    headers: { ...inner.service.definition.headers?.(inner), ...answered.headers },
  };
}

/** HTTP/1.1 wants a Host header of every request. */
const withoutHost = ({ httpVersion, headers }: IncomingMessage): ApiError | undefined =>
  httpVersion === '1.1' && headers.host === undefined
    ? badRequest('The request has no Host header.')
    : undefined;

async function answer(call: Call, refusal: ApiError | undefined): Promise<Reply> {
  try {
    if (!findService(call) && (await syncUnknownRegion(call))) findService(call);
    if (refusal) throw refusal;
    return (await runSteps(lifecycle, call)) ?? reply(204);
  } catch (error) {
    return renderError(call, error);
  }
}

/** Runs steps until one replies. It awaits only the steps that return a promise. */
async function runSteps(steps: readonly Step[], call: Call): Promise<Reply | undefined> {
  for (const step of steps) {
    const result = step(call);
    const done = result instanceof Promise ? await result : result;
    if (done) return done;
  }
  return undefined;
}

/** Runs the interceptors from this one on, each around the next, and the handler inside them. */
function runIntercepted(call: Call, index = 0): Promise<Reply> {
  const interceptor = call.cloud.interceptors[index];
  if (!interceptor) return runHandler(call);
  return interceptor.aroundHandler(call, () => runIntercepted(call, index + 1));
}

function newCall(listener: Listener, request: IncomingMessage, received: RequestBody): Call {
  const { cloud, only } = listener;
  const url = request.url ?? '/';
  const cut = url.indexOf('?');
  const { headers } = request;
  const host = headers.host ?? `${request.socket.localAddress}:${request.socket.localPort}`;
  const call = {
    requestId: newRequestId(),
    cloud,
    actor: anonymous,
    attempt: 1,
    method: request.method ?? 'GET',
    headers,
    remoteAddress: request.socket.remoteAddress ?? '',
    origin: `${headers['x-forwarded-proto']?.toString() ?? 'http'}://${host}`,
    region:
      (only && [...cloud.regions.values()].find((region) => isServedIn(only.definition, region))) ??
      cloud.firstRegion,
    prefix: '',
    path: cut < 0 ? url : url.slice(0, cut),
    query: new Query(cut < 0 ? '' : url.slice(cut + 1)),
    params: {},
    received,
    ...(only ? { service: only } : {}),
  };
  return call as unknown as Call;
}

/** Finds the service and the region of the path. The step `locate` refuses later what has none. */
function findService(call: Call): boolean {
  if (call.service) return true;
  const found = mountAt(call.cloud, call.path);
  if (found) Object.assign(call, found);
  return found !== undefined;
}

/**
 * Another process may have added the region that a path names. Whether there was reason to look.
 */
async function syncUnknownRegion({ cloud, path }: Call): Promise<boolean> {
  const isOther = cloud.central.kind === 'mysql' && /^\/[A-Za-z]\w{0,23}\/./.test(path);
  if (isOther) await syncRegions(cloud);
  return isOther;
}

function locate(call: Call): Reply | void {
  if (call.service) {
    if (call.path === '') call.path = '/';
    return;
  }
  const { services, regions } = call.cloud;
  const mounted = services.filter(({ definition }) => isMounted(call.cloud, definition, undefined));
  const urls = Object.fromEntries(
    mounted.map(({ definition }) => [definition.name, `${call.origin}${definition.prefix}`]),
  );
  if (call.path === '/') return reply(200, { cumulet: urls, regions: [...regions.keys()] });
  throw notFound(`Nothing is served at ${call.path}. Services: ${Object.values(urls).join(', ')}.`);
}

/**
 * A web page reaches a port of this machine under a Host name of its own (DNS rebinding), and could
 * sign in with the password that everybody knows, or without one. The emulator's own service has a
 * guard of its own.
 */
function refuseForeignHost({ cloud, headers, remoteAddress, service }: Call): void {
  const { auth, adminPassword } = cloud.config;
  if (
    (auth !== 'noauth2' && adminPassword !== defaultPassword) ||
    service.definition.database === 'none' ||
    !isLoopback(remoteAddress)
  )
    return;
  const { host } = headers;
  if (host === undefined || isLoopbackHost(host)) return;
  throw forbidden(
    `Without a password of its own this cloud answers to the names of this machine only, and not to ${host}. Start with --admin-password PASSWORD.`,
  );
}

/** Upstream: oslo_middleware's sizelimit, which stands before the token is looked at. */
function refuseOversizedBody({ received, service, path }: Call): void {
  if (!received?.exceeds(service.definition.bodyLimit)) return;
  if (!service.match(path)?.routes.some(({ streams }) => streams))
    throw tooLarge('Request is too large.');
}

/**
 * Receives the body, unless the service has asked for it before. It may have taken its time to
 * arrive: what has become due meanwhile is done before the work, as if the request came now.
 */
async function receive(call: Call): Promise<void> {
  if (!(await receiveBody(call))) return;
  await refreshState(call);
  await runDueJobsOfService(call);
}

function route(call: Call): void {
  const { service } = call;
  const match = service.match(call.path);
  if (!match) throw noSuchPath();
  call.version ??= service.definition.versions.max;
  const { route, outsideSpan: outside } = selectRoute(
    match,
    call.method,
    call.version,
    service.definition.versions,
  );
  if (!route && !outside)
    throw methodNotAllowed('', {
      headers: { allow: methodsOf(match.routes).join(', ') },
    });
  if (!route)
    throw new ApiError(outside!.statusOutsideSpan ?? 404, '', {
      reason: { kind: 'no-such-version' },
    });
  call.route = route;
  call.params = match.params;
  call.operation = service.contract.operation(call.method, route.path, call.version);
}

function send(call: Call, answered: Reply, response: ServerResponse): Promise<void> | void {
  if (isDropped(answered)) return void response.destroy();
  const { status, body } = answered;
  const own = call.service?.definition.headers?.(call);
  const headers: Record<string, string | number | readonly string[] | undefined> = {
    'x-openstack-request-id': call.requestId,
    ...own,
    ...answered.headers,
  };
  for (const [name, value] of Object.entries(headers))
    if (value === undefined) delete headers[name];
  if (body !== undefined) headers['content-type'] ??= 'application/json';
  if (call.received?.isUnread) headers['connection'] = 'close';
  if (isStream(body)) {
    response.writeHead(status, headers as Record<string, string>);
    return writeStream(body, response).catch((error: unknown) => {
      call.cloud.log.error({ err: error, request: call.requestId }, 'the reply broke off');
    });
  }
  const text =
    body === undefined
      ? ''
      : typeof body === 'string' || Buffer.isBuffer(body)
        ? body
        : JSON.stringify(body);
  headers['content-length'] = Buffer.byteLength(text);
  response.writeHead(status, headers as Record<string, string>);
  response.end(call.method === 'HEAD' ? undefined : text);
}
