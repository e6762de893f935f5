// Calls a service of a pod: in this process if the pod is a region of this cloud, else over HTTP.
import { callerOf } from '../../../kernel/auth/caller.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { callService } from '../../../kernel/http/call-service.ts';
import { NoReply, sendRequest } from '../../../kernel/http-client.ts';
import type { Actor, ServiceDefinition, Region, Context } from '../../../kernel/model.ts';
import { runDueJobs } from '../../../kernel/jobs/due-jobs.ts';
import { inRegionTransaction, systemActor, contextWith } from '../../../kernel/context.ts';
import type { Pod } from '../model.ts';
import { createToken, findEndpoint, type PublicEndpoint } from './identity.ts';

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

/**
 * Calls a service of a pod. @returns the body of the reply; undefined if the catalog does not have
 *   the service
 * @throws PodFailure
 */
export async function callPod(
  context: Context,
  pod: Pod,
  request: PodRequest,
): Promise<Body | undefined> {
  const endpoint = await findEndpoint(context, pod.regionName, request.serviceType);
  if (!endpoint) return undefined;
  return endpoint.isHere
    ? callRegion(context, endpoint, request)
    : callOtherCloud(context, endpoint, request);
}

/** The region of this cloud that an endpoint belongs to. */
function regionOf({ cloud }: Context, { url }: PublicEndpoint): Region {
  return cloud.regions.get(url.split('/')[1] ?? '') ?? cloud.firstRegion;
}

async function callRegion(
  context: Context,
  endpoint: PublicEndpoint,
  { definition, version, path }: PodRequest,
): Promise<Body> {
  const region = regionOf(context, endpoint);
  // Due jobs of the region run first, as before a client's request.
  await runDueJobs(context.cloud, region, context.now);
  try {
    const reply = await inRegionTransaction(
      contextWith(context, { actor: ownActor }),
      region,
      (inner) =>
        callService(inner, definition, {
          method: 'GET',
          path: `${version}${path}`,
          query: [['detail', 'true']],
          version: definition.versions.min.name,
        }),
    );
    return (typeof reply.body === 'string' ? JSON.parse(reply.body) : reply.body) as Body;
  } catch (error) {
    if (error instanceof ApiError) throw new PodFailure(error.message, { cause: error });
    throw error;
  }
}

async function callOtherCloud(
  context: Context,
  { url, name }: PublicEndpoint,
  { path }: PodRequest,
): Promise<Body> {
  const token = await createToken(context);
  // The project in the URL is left out, because Cinder's statistics do not depend on it.
  const base = url.replace(/\/[$%]\((?:tenant|project)_id\)s$/, '').replace(/\/$/, '');
  const headers = { 'x-auth-token': token, accept: 'application/json' };
  try {
    const reply = await sendRequest(`${base}${path}?detail=true`, { headers, timeout });
    if (!reply.isOk) throw new PodFailure(`${name} at ${base} answers with ${reply.status}.`);
    const body = JSON.parse(reply.body.toString()) as unknown;
    return typeof body === 'object' && body !== null ? (body as Body) : {};
  } catch (error) {
    if (!(error instanceof NoReply || error instanceof SyntaxError)) throw error;
    throw new PodFailure(`${name} at ${base} does not answer.`, { cause: error });
  }
}
