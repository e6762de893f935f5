// A request's life, as one list.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ticks } from '../clock.ts';
import { newRequestId } from '../ids.ts';
import { failing } from './failing.ts';
import { isDropped, isWrittenAsItGoes, reply, writeAsItGoes } from './reply.ts';
import { isLoopback, isLoopbackHost } from './loopback.ts';
import { Body } from './body.ts';
import { badRequest, Fault, forbidden, methodNotAllowed, notFound, tooLarge } from '../fault.ts';
import { receiveBody } from './steps.ts';
import { tellFault } from './tell.ts';
import type { Call, Cloud, Reply, Service, Step } from '../model.ts';
import { readTime, settleDue, work } from './handle.ts';
import { isMounted, mountAt, type Mount } from './mounts.ts';
import { isServedIn, syncRegions } from '../powers/regions.ts';
import { Query } from '../query.ts';
import { defaultPassword } from '../settings.ts';
import { choose, methodsOf } from './service.ts';
import { anonymous } from '../work.ts';

/** What a listening port serves: the whole cloud, or one service of the first region at its root. */
export interface Port {
  readonly cloud: Cloud;
  readonly only?: Service;
}

/** The steps from arrival to reply. Any step may throw a fault; `answer` renders it. */
const life: readonly Step[] = [
  locate, // prefix -> region and service
  refuseForeignHost, // a page that reaches a cloud anyone may sign in to
  readTime, // once, so that all a request writes bears the same time; and the regions and fault rules as they are then
  refuseLong, // a body that is too long by its own word
  settleDue, // what is due in the service's database happens first
  (call) => each(call.service.card.before, call), // the service's own order: authenticate, negotiate, ...
  route, // path -> 404, method -> 405, version -> 404
  receive, // the body, of a caller who may send one
  (call) => each(call.service.card.checks, call), // the service's own order: media type, policy, contract
  failing(work), // the handler, in a transaction that is run again after a lost race, or where it came too early; unless a fault rule is about it
];

/** Serves one request; one with a `refusal` gets that for an answer. */
export async function serve(
  port: Port,
  request: IncomingMessage,
  response: ServerResponse,
  refusal = withoutHost(request),
): Promise<void> {
  const started = ticks();
  const received = new Body(request, port.cloud.bodies);
  const call = begin(port, request, received);
  const answered = await answer(call, refusal);
  await send(call, answered, response);
  received.end();
  for (const observe of port.cloud.observers) observe(call, answered, ticks() - started);
}

/** A request that a service sends on to another, as the client of its own request. */
export interface SentOn extends Mount {
  readonly method: string;
  readonly query: string;
  readonly headers: IncomingMessage['headers'];
  readonly raw: Buffer | undefined;
}

/**
 * Answers a request that a service of this cloud sends on: all of a request's life happens again, in the other service's order and with its
 * own transaction, so that the work that asks must be in none. The other service's headers are in the reply.
 */
export async function answerSentOn(outer: Call, { query, ...request }: SentOn): Promise<Reply> {
  const started = ticks();
  const { cloud, requestId, remote, origin } = outer;
  const call = {
    cloud,
    requestId,
    remote,
    origin,
    actor: anonymous,
    attempt: 1,
    params: {},
    query: new Query(query),
    ...request,
  };
  const inner = call as unknown as Call;
  const answered = await each(life, inner)
    .then((done) => done ?? reply(204))
    .catch((error: unknown) => tellFault(inner, error));
  for (const observe of cloud.observers) observe(inner, answered, ticks() - started);
  return { ...answered, headers: { ...inner.service.card.headers?.(inner), ...answered.headers } };
}

/** HTTP/1.1 wants a Host header of every request. */
const withoutHost = ({ httpVersion, headers }: IncomingMessage): Fault | undefined =>
  httpVersion === '1.1' && headers.host === undefined ? badRequest('The request has no Host header.') : undefined;

async function answer(call: Call, refusal: Fault | undefined): Promise<Reply> {
  try {
    if (!findService(call) && (await learnRegions(call))) findService(call);
    if (refusal) throw refusal;
    return (await each(life, call)) ?? reply(204);
  } catch (error) {
    return tellFault(call, error);
  }
}

/** Runs steps until one replies. It awaits only the steps that return a promise. */
async function each(steps: readonly Step[], call: Call): Promise<Reply | undefined> {
  for (const step of steps) {
    const result = step(call);
    const done = result instanceof Promise ? await result : result;
    if (done) return done;
  }
  return undefined;
}

function begin(port: Port, request: IncomingMessage, received: Body): Call {
  const { cloud, only } = port;
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
    remote: request.socket.remoteAddress ?? '',
    origin: `${headers['x-forwarded-proto']?.toString() ?? 'http'}://${host}`,
    region: (only && [...cloud.regions.values()].find((region) => isServedIn(only.card, region))) ?? cloud.firstRegion,
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

/** Another process may have added the region that a path names. Whether there was reason to look. */
async function learnRegions({ cloud, path }: Call): Promise<boolean> {
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
  const mounted = services.filter(({ card }) => isMounted(call.cloud, card, undefined));
  const urls = Object.fromEntries(mounted.map(({ card }) => [card.name, `${call.origin}${card.prefix}`]));
  if (call.path === '/') return reply(200, { cumulet: urls, regions: [...regions.keys()] });
  throw notFound(`Nothing is served at ${call.path}. Services: ${Object.values(urls).join(', ')}.`);
}

/**
 * A web page reaches a port of this machine under a Host name of its own (DNS rebinding), and could sign in with the password that
 * everybody knows, or without one. The emulator's own service has a guard of its own.
 */
function refuseForeignHost({ cloud, headers, remote, service }: Call): void {
  const { auth, adminPassword } = cloud.config;
  if ((auth !== 'noauth2' && adminPassword !== defaultPassword) || service.card.home === 'process' || !isLoopback(remote)) return;
  const { host } = headers;
  if (host === undefined || isLoopbackHost(host)) return;
  throw forbidden(
    `Without a password of its own this cloud answers to the names of this machine only, and not to ${host}. Start with --admin-password PASSWORD.`,
  );
}

/** Upstream: oslo_middleware's sizelimit, which stands before the token is looked at. */
function refuseLong({ received, service, path }: Call): void {
  if (!received?.isLonger(service.card.bodyLimit)) return;
  if (!service.find(path)?.routes.some(({ streams }) => streams)) throw tooLarge('Request is too large.');
}

/**
 * Receives the body, unless the service has asked for it before. It may have taken its time to arrive: what has become due meanwhile is
 * done before the work, as if the request came now.
 */
async function receive(call: Call): Promise<void> {
  if (!(await receiveBody(call))) return;
  await readTime(call);
  await settleDue(call);
}

function route(call: Call): void {
  const { service } = call;
  const place = service.find(call.path);
  if (!place) throw notFound('', { case: 'path' });
  call.at ??= service.card.versions.max;
  const { route, outside } = choose(place, call.method, call.at, service.card.versions);
  if (!route && !outside)
    throw methodNotAllowed('', { headers: { allow: methodsOf(place.routes).join(', ') }, method: call.method });
  if (!route && outside!.outside === 405) throw methodNotAllowed('', { case: 'version', method: call.method });
  if (!route) throw notFound('', { case: 'version', route: outside });
  call.route = route;
  call.params = place.params;
  call.operation = service.contract.operation(call.method, route.path, call.at);
}

function send(call: Call, answered: Reply, response: ServerResponse): Promise<void> | void {
  if (isDropped(answered)) return void response.destroy();
  const { status, body } = answered;
  const own = call.service?.card.headers?.(call);
  const headers: Record<string, string | number | readonly string[] | undefined> = {
    'x-openstack-request-id': call.requestId,
    ...own,
    ...answered.headers,
  };
  for (const [name, value] of Object.entries(headers)) if (value === undefined) delete headers[name];
  if (body !== undefined) headers['content-type'] ??= 'application/json';
  if (call.received?.isLeft) headers['connection'] = 'close';
  if (isWrittenAsItGoes(body)) {
    response.writeHead(status, headers as Record<string, string>);
    return writeAsItGoes(body, response).catch((error: unknown) => {
      call.cloud.log.error({ err: error, request: call.requestId }, 'the reply broke off');
    });
  }
  const text = body === undefined ? '' : typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  headers['content-length'] = Buffer.byteLength(text);
  response.writeHead(status, headers as Record<string, string>);
  response.end(call.method === 'HEAD' ? undefined : text);
}
