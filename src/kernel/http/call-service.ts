// Calls from one service to another, from a request or a job. The other service applies its own
// microversions, contract, policy and error messages, as for a client.
import type { Caller } from '../auth/caller.ts';
import { isInDatabase } from '../db/transaction.ts';
import { ticks } from '../clock.ts';
import { ApiError, noSuchPath } from '../errors.ts';
import type { Call, Context, Interceptor, Reply, Service, ServiceDefinition } from '../model.ts';
import { Query } from '../query.ts';
import { configuredOrigin } from '../settings.ts';
import { actorOf, inCentralTransaction } from '../context.ts';
import { selectRoute } from './routing.ts';
import { runSteps } from './steps.ts';

/** The request to the other service, like that of a client. */
export interface ServiceRequest {
  readonly method: string;
  /** Below the service's prefix, such as `/v2/images`. */
  readonly path: string;
  readonly query?: readonly (readonly [name: string, value: string])[];
  readonly body?: unknown;
  /** The body, if it is not JSON. */
  readonly bytes?: Buffer | undefined;
  /** More headers, in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The media type of the body, if it is not plain JSON. */
  readonly type?: string;
  /** The microversion; by default the newest. */
  readonly version?: string;
}

/**
 * Calls another service on behalf of the context's actor, with the steps and the handler of that
 * service. A service of the region uses the caller's transaction, so its writes are committed or
 * rolled back with the caller's. A central service that is called from a region has a transaction
 * of its own, which stays committed.
 * @throws ApiError if the service refuses; Error if a context of the central database calls a
 *   service of a region (use `inRegionTransaction`)
 */
export async function callService<V extends string>(
  context: Context,
  definition: ServiceDefinition<V>,
  request: ServiceRequest,
): Promise<Reply> {
  const service = context.cloud.services.find(
    (mounted) => mounted.definition.name === definition.name,
  )!;
  const { central, interceptors } = context.cloud;
  if (service.definition.database === 'region' && isInDatabase(context.db, central))
    throw new Error(`${definition.name} belongs to a region: call it within inRegionTransaction.`);
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
  if (call.isUnobserved) return;
  for (const observer of call.cloud.observers)
    observer(call, replied, ticks() - started, 'service');
}

/**
 * Shows an ApiError to the observers as a reply. After any other error, such as a conflict, the
 * caller retries or fails as a whole.
 */
function observeError(call: Call, error: unknown, started: number): void {
  if (error instanceof ApiError)
    observe(call, call.service.definition.renderError(error, call), started);
}

async function answerCall(call: Call): Promise<Reply> {
  return (await runSteps(call.service.definition.beforeHandler, call)) ?? call.route.handler(call);
}

function callFor(service: Service, context: Context, request: ServiceRequest): Call {
  const { method, path, query = [], body, bytes, type, version, headers = {} } = request;
  const raw = bytes ?? (body === undefined ? undefined : Buffer.from(JSON.stringify(body)));
  const { definition } = service;
  const negotiated =
    version === undefined ? definition.versions.max : definition.versions.find(version)!;
  const match = service.match(path);
  const route = match && selectRoute(match, method, negotiated, definition.versions).route;
  if (!match || !route) throw noSuchPath(`${definition.name} has no ${method} ${path}`);
  const text = new URLSearchParams(query as [string, string][]).toString();
  const { cloud, region, db, now, attempt, actor, requestId } = context;
  const outer = isCall(context) ? context : undefined;
  const caller = outer?.caller ?? callerFor(context);
  const ownOrigin = configuredOrigin(cloud.config);
  return {
    cloud,
    region,
    db,
    now,
    attempt,
    mayRetry: false, // the caller's request retries as a whole
    requestId,
    caller,
    service,
    method,
    path,
    version: negotiated,
    route,
    actor: actor.isService ? actor : actorOf(caller, service.policy),
    isUnobserved: outer?.isUnobserved,
    remoteAddress: outer?.remoteAddress ?? '',
    origin: outer?.origin ?? ownOrigin,
    localOrigin: outer?.localOrigin ?? ownOrigin,
    prefix: servicePrefix(context, definition.prefix),
    query: new Query(text),
    headers: { ...headers, ...(raw ? { 'content-type': type ?? 'application/json' } : {}) },
    raw,
    body: undefined,
    params: match.params,
    operation: service.contract.operation(method, route.path, negotiated),
  };
}

/** The actor of a job as a caller, without a token, and without an expiry. */
function callerFor({ actor: { userId, projectId, roles, credentials } }: Context): Caller {
  const project = projectId === undefined ? {} : { projectId };
  return { token: '', userId, ...project, roles, expiresAt: Infinity, credentials };
}

/** Whether the context is that of a request, and not of a job. */
const isCall = (context: Context): context is Call => 'service' in context;

/**
 * The prefix of another service as the client of the request would write it; for a job, the prefix
 * in the catalog.
 */
export function servicePrefix(context: Context, prefix: string): string {
  const { cloud, region } = context;
  if (!isCall(context)) return (region === cloud.firstRegion ? '' : `/${region.name}`) + prefix;
  const { prefix: path, service } = context;
  const own = service.definition.prefix;
  return (path.endsWith(own) ? path.slice(0, -own.length) : path) + prefix;
}
