// Calls a service of a pod: in this process if the pod is a region of this cloud, else over HTTP.
import { callerOf } from '../../../kernel/auth/caller.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { callService } from '../../../kernel/http/call-service.ts';
import { NoReply, sendRequest } from '../../../kernel/http-client.ts';
import type { Actor, Context, Region, Reply, ServiceDefinition } from '../../../kernel/model.ts';
import { mountAt } from '../../../kernel/http/mounts.ts';
import { centralRegionOf } from '../../../kernel/regions.ts';
import { runDueJobs } from '../../../kernel/jobs/due-jobs.ts';
import { serialize } from '../../../kernel/db/transaction.ts';
import { inRegionTransaction, lockOf, systemActor, contextWith } from '../../../kernel/context.ts';
import type { Pod } from '../model.ts';
import { createToken, findEndpoint, type PublicEndpoint } from './identity.ts';

/** The media type of an image's data. */
const octets = 'application/octet-stream';
const json = 'application/json';

/** The timeout of a request to another cloud, in milliseconds. */
const timeout = 10_000;

/** A pod cannot be reached, or returned an error. */
export class PodFailure extends Error {}

/** The failure if the body of a reply does not match the service's API. */
export const unexpectedReply = (name: string, { regionName }: Pod): PodFailure =>
  new PodFailure(`${name} in ${regionName} does not answer as it should.`);

/** A GET request to a service of a pod. */
export interface PodRequest {
  readonly definition: ServiceDefinition;
  readonly serviceType: string;
  /** The version in paths of this cloud, such as `/v2.1`. */
  readonly version: string;
  /** The path below the version, such as `/os-hypervisors/statistics`. */
  readonly path: string;
}

/**
 * Tricircle's own user: an administrator with a project, because Nova's policy rules do not accept
 * the system scope.
 */
const ownActor: Actor = {
  ...systemActor,
  projectId: 'service',
  credentials: callerOf({
    token: '',
    userId: 'tricircle',
    projectId: 'service',
    roles: systemActor.roles,
    expiresAt: Infinity,
  }).credentials,
};

type Body = Readonly<Record<string, unknown>>;

/** A request to a service as Tricircle's own user. */
export interface AdminRequest {
  readonly method: string;
  /** The path below the URL of the catalog, such as `/v2.0/ports`. */
  readonly path: string;
  readonly query?: readonly (readonly [name: string, value: string])[];
  readonly body?: unknown;
  /** The media type of a JSON body, if it is not plain JSON. */
  readonly type?: string;
  /** The body, if it is the data of an image. */
  readonly bytes?: Buffer;
  /** The microversion, such as `2.90`; by default the oldest. */
  readonly version?: string;
  /** More headers, in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The reply to a request. The body of an error has a `message`. */
export interface AdminReply {
  readonly status: number;
  readonly body: Body;
  /** The body, if it is the data of an image. */
  readonly bytes?: Buffer;
}

/**
 * Calls a service of a pod. @returns the body of the reply; undefined if the catalog does not have
 *   the service
 * @throws PodFailure
 */
export async function callPod(
  context: Context,
  pod: Pod,
  { definition, serviceType, version, path }: PodRequest,
): Promise<Body | undefined> {
  const endpoint = await findEndpoint(context, pod.regionName, serviceType);
  if (!endpoint) return undefined;
  const request = { method: 'GET', path, query: [['detail', 'true']] as const };
  // The project in the URL is left out, because Cinder's statistics do not depend on it.
  const { status, body } = endpoint.isHere
    ? await callRegion(context, regionOf(context, endpoint), definition, {
        ...request,
        path: `${version}${path}`,
      })
    : await callOtherCloud(context, endpoint, request);
  if (status < 300) return body;
  throw new PodFailure(
    endpoint.isHere
      ? String(body['message'])
      : `${endpoint.name} at ${baseOf(endpoint)} answers with ${status}.`,
  );
}

/**
 * Sends a request to a service of a pod.
 * @param serviceType its type in the catalog
 * @returns the reply, which may be a refusal
 * @throws PodFailure if the catalog does not have the service, or if it cannot be reached
 */
export async function requestPod(
  context: Context,
  { regionName }: Pick<Pod, 'regionName'>,
  serviceType: string,
  request: AdminRequest,
): Promise<AdminReply> {
  const endpoint = await findEndpoint(context, regionName, serviceType);
  if (!endpoint) throw new PodFailure(`The catalog has no ${serviceType} in ${regionName}.`);
  if (!endpoint.isHere) return callOtherCloud(context, endpoint, request);
  const mount = mountAt(context.cloud, baseOf(endpoint) + request.path);
  if (!mount || mount.service.definition.api !== undefined)
    throw new PodFailure(`${regionName} has no ${serviceType} of its own.`);
  const { region, service, path } = mount;
  return callRegion(context, region, service.definition, { ...request, path });
}

/**
 * Returns the region of a pod's service, after its due jobs have run, if it belongs to this cloud.
 */
export async function localRegion(
  context: Context,
  { regionName }: Pick<Pod, 'regionName'>,
  serviceType: string,
): Promise<Region | undefined> {
  const endpoint = await findEndpoint(context, regionName, serviceType);
  const mount = endpoint?.isHere ? mountAt(context.cloud, baseOf(endpoint)) : undefined;
  if (!mount || mount.service.definition.api !== undefined) return undefined;
  await runDueJobs(context.cloud, mount.region, context.now);
  return mount.region;
}

/**
 * Sends a request to a service of the central region, whose API a gateway may hide.
 * @param needsTransaction whether the handler writes, or reads what must be consistent; without a
 *   transaction, the statements of the reply may see different states
 */
export const requestCentre = (
  context: Context,
  definition: ServiceDefinition,
  request: AdminRequest,
  { needsTransaction = true } = {},
): Promise<AdminReply> =>
  callRegion(context, centralRegionOf(context.cloud)!, definition, request, {
    isCentre: true,
    needsTransaction,
  });

/** The region of this cloud that an endpoint belongs to. */
function regionOf({ cloud }: Context, { url }: PublicEndpoint): Region {
  return cloud.regions.get(url.split('/')[1] ?? '') ?? cloud.firstRegion;
}

/** Calls a service of a region, in a transaction of its own unless the call needs none. */
async function callRegion(
  context: Context,
  region: Region,
  definition: ServiceDefinition,
  request: AdminRequest,
  { isCentre = false, needsTransaction = true } = {},
): Promise<AdminReply> {
  // Due jobs of the region run first, as before a client's request. A job of the central region
  // calls its own region, and cannot wait for itself.
  if (!isCentre) await runDueJobs(context.cloud, region, context.now);
  const own = contextWith(context, { actor: ownActor, region, db: region.database.db });
  const call = (inner: Context): Promise<Reply> =>
    callService(inner, definition, {
      ...request,
      ...(request.bytes ? { type: octets } : {}),
      version: request.version ?? definition.versions.min.name,
    });
  try {
    const { status, body } = needsTransaction
      ? await inRegionTransaction(own, region, async (inner) => {
          const lock = request.method === 'GET' ? undefined : lockOf(definition);
          if (lock !== undefined) await serialize(inner.db, lock);
          return call(inner);
        })
      : await call(own);
    if (Buffer.isBuffer(body)) return { status, body: {}, bytes: body };
    return { status, body: (typeof body === 'string' ? JSON.parse(body) : (body ?? {})) as Body };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { status: error.status, body: { message: error.message } };
  }
}

/** The URL of an endpoint without the project. */
const baseOf = ({ url }: PublicEndpoint): string =>
  url.replace(/\/[$%]\((?:tenant|project)_id\)s$/, '').replace(/\/$/, '');

async function callOtherCloud(
  context: Context,
  endpoint: PublicEndpoint,
  { method, path, query = [], body, type = json, bytes, version, headers: more = {} }: AdminRequest,
): Promise<AdminReply> {
  const token = await createToken(context);
  const base = baseOf(endpoint);
  const text = new URLSearchParams(
    query.map(([key, value]): [string, string] => [key, value]),
  ).toString();
  const headers = {
    'x-auth-token': token,
    accept: 'application/json',
    ...(body === undefined ? {} : { 'content-type': type }),
    ...(bytes ? { 'content-type': octets } : {}),
    ...(version === undefined ? {} : { 'openstack-api-version': `${apiOf(endpoint)} ${version}` }),
    ...more,
  };
  const content = bytes ?? (body === undefined ? undefined : Buffer.from(JSON.stringify(body)));
  try {
    const reply = await sendRequest(`${base}${path}${text && `?${text}`}`, {
      method,
      headers,
      timeout,
      ...(content ? { body: content } : {}),
    });
    if (reply.isOk && reply.headers.get('content-type')?.includes('octet-stream'))
      return { status: reply.status, body: {}, bytes: reply.body };
    const parsed = reply.body.length ? (JSON.parse(reply.body.toString()) as unknown) : {};
    const fields = typeof parsed === 'object' && parsed !== null ? (parsed as Body) : {};
    return {
      status: reply.status,
      body: reply.isOk ? fields : { message: messageOf(fields) },
    };
  } catch (error) {
    if (!(error instanceof NoReply || error instanceof SyntaxError)) throw error;
    throw new PodFailure(`${endpoint.name} at ${base} does not answer.`, { cause: error });
  }
}

/** The name of a service in the header of microversions. */
const apiOf = ({ type }: PublicEndpoint): string =>
  ['volumev3', 'block-storage', 'block-store'].includes(type) ? 'volume' : type;

/** The message in an error of an OpenStack service, such as `{"NeutronError": {"message": ""}}`. */
function messageOf(body: Body): string {
  const [error] = Object.values(body);
  const { message } = (typeof error === 'object' && error !== null ? error : {}) as Body;
  return typeof message === 'string' ? message : JSON.stringify(body);
}
