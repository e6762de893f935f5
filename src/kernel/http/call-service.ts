// A request that one service makes of another as a client would, from a request or from a due job:
// version, contract, policy and wording are the other's.
import { callerOf, type Caller } from '../auth/caller.ts';
import { isInDatabase } from '../db/transaction.ts';
import { ticks } from '../clock.ts';
import { ApiError, noSuchPath } from '../errors.ts';
import type { Call, Context, Interceptor, Reply, Service, ServiceDefinition } from '../model.ts';
import { Query } from '../query.ts';
import { actorOf, inCentralTransaction } from '../context.ts';
import { selectRoute } from './routing.ts';

/** What is asked of the other service, as a client would ask it. */
export interface ServiceRequest {
  readonly method: string;
  /** Below the service's prefix, such as `/v2/images`. */
  readonly path: string;
  readonly query?: readonly (readonly [name: string, value: string])[];
  readonly body?: unknown;
  /** The media type of the body, where it is not plain JSON. */
  readonly type?: string;
  /** The microversion; the service's newest, where none is given. */
  readonly version?: string;
}

/**
 * Asks another service for the actor of the work, with its own checks, rules and handler, and gives
 * back what it replies. A service of the region answers in the work's transaction: what it writes
 * is kept or undone with the rest. A central service that is asked from a region answers in a
 * transaction of its own, which is kept.
 * @throws Fault where it refuses, in its own words; Error where work in the central database asks a
 *   region's service (see `inRegion`)
 */
export async function callService<V extends string>(
  context: Context,
  definition: ServiceDefinition<V>,
  request: ServiceRequest,
): Promise<Reply> {
  const service = context.cloud.services.find((one) => one.definition.name === definition.name)!;
  const { central, interceptors } = context.cloud;
  if (service.definition.database === 'region' && isInDatabase(context.db, central))
    throw new Error(`${definition.name} belongs to a region: ask it within inRegion.`);
  for (const interceptor of interceptors)
    if (interceptor.beforeServiceCall) await intercept(interceptor, service, context, request);
  if (service.definition.database === 'central' && !isInDatabase(context.db, central))
    return inCentralTransaction(context, (inner) => answer(service, inner, request));
  return answer(service, context, request);
}

/** Lets an interceptor refuse the call, and shows the refusal to the observers. */
async function intercept(
  interceptor: Interceptor,
  service: Service,
  context: Context,
  request: ServiceRequest,
): Promise<void> {
  const started = ticks();
  let call: Call | undefined;
  const callOnce = (): Call =>
    (call ??= { ...callFor(service, context, request), body: request.body });
  try {
    await interceptor.beforeServiceCall?.(context, callOnce);
  } catch (error) {
    if (call) observeError(call, error, started);
    throw error;
  }
}

async function answer(service: Service, context: Context, request: ServiceRequest): Promise<Reply> {
  const started = ticks();
  const call = callFor(service, context, request);
  try {
    const replied = await answerCall(call);
    observe(call, replied, started);
    return replied;
  } catch (error) {
    observeError(call, error, started);
    throw error;
  }
}

function observe(call: Call, replied: Reply, started: number): void {
  for (const observer of call.cloud.observers)
    observer(call, replied, ticks() - started, 'service');
}

/** Shows an error to the observers as a reply, unless it is a conflict after which the caller retries. */
function observeError(call: Call, error: unknown, started: number): void {
  if (error instanceof ApiError)
    observe(call, call.service.definition.renderError(error, call), started);
}

async function answerCall(call: Call): Promise<Reply> {
  const { service } = call;
  for (const step of service.definition.beforeHandler) {
    const done = await step(call);
    if (done) return done;
  }
  return call.route.handler(call);
}

function callFor(service: Service, context: Context, request: ServiceRequest): Call {
  const { method, path, query = [], body, type, version } = request;
  const { definition } = service;
  const at = version === undefined ? definition.versions.max : definition.versions.find(version)!;
  const match = service.match(path);
  const route = match && selectRoute(match, method, at, definition.versions).route;
  if (!match || !route) throw noSuchPath(`${definition.name} has no ${method} ${path}`);
  const text = new URLSearchParams(
    query.map(([key, value]): [string, string] => [key, value]),
  ).toString();
  const { cloud, region, db, now, attempt, actor, requestId } = context;
  const outer = context as Partial<Call>;
  const caller = outer.caller ?? callerFor(context);
  return {
    cloud,
    region,
    db,
    now,
    attempt,
    requestId,
    caller,
    service,
    method,
    path,
    version: at,
    route,
    actor: actor.isService ? actor : actorOf(caller, service.policy),
    remoteAddress: outer.remoteAddress ?? '',
    origin: outer.origin ?? `http://${cloud.config.host}:${cloud.config.port}`,
    prefix: servicePrefix(context, definition.prefix),
    query: new Query(text),
    headers: body === undefined ? {} : { 'content-type': type ?? 'application/json' },
    raw: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    body: undefined,
    params: match.params,
    operation: service.contract.operation(method, route.path, at),
  };
}

/** The actor of a job as services see a caller: no token, and nothing that expires. */
function callerFor({ actor }: Context): Caller {
  const { userId, projectId, roles, credentials } = actor;
  const caller = callerOf({
    token: '',
    userId,
    ...(projectId === undefined ? {} : { projectId }),
    roles,
    expiresAt: Infinity,
  });
  return { ...caller, credentials };
}

/**
 * The prefix of another service as the client of the work would write it; a job's as the catalog
 * has it.
 */
export function servicePrefix(context: Context, prefix: string): string {
  const { prefix: own, service, cloud, region } = context as Context & Partial<Call>;
  if (own === undefined || !service)
    return (region === cloud.firstRegion ? '' : `/${region.name}`) + prefix;
  return (
    (own.endsWith(service.definition.prefix)
      ? own.slice(0, -service.definition.prefix.length)
      : own) + prefix
  );
}
