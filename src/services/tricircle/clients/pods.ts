// Asking a service of a pod: in this process where the pod is a region of this cloud, else over
// HTTP.
import { callerOf } from '../../../kernel/auth/caller.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { callService } from '../../../kernel/http/call-service.ts';
import type { Actor, ServiceDefinition, Region, Context } from '../../../kernel/model.ts';
import { runDueJobs } from '../../../kernel/jobs/due-jobs.ts';
import { inRegionTransaction, systemActor, contextWith } from '../../../kernel/context.ts';
import type { Pod } from '../model.ts';
import { endpointIn, ownToken, type PublicEndpoint } from './identity.ts';

/** How long another cloud may take for an answer, in milliseconds. */
const patience = 10_000;

/** Why a pod could not be asked. */
export class PodFailure extends Error {}

/** A pod answers with something else than its API has. */
export const unreadable = (name: string, { regionName }: Pod): PodFailure =>
  new PodFailure(`${name} in ${regionName} does not answer as it should.`);

/** One question to a service of a pod. */
export interface PodQuestion {
  readonly definition: ServiceDefinition;
  readonly serviceType: string;
  /** The version of the API in paths of this cloud, such as `/v2.1`. */
  readonly version: string;
  /** Below that version, such as `/os-hypervisors/statistics`. */
  readonly path: string;
}

/**
 * Tricircle itself: an administrator in a project, because Nova's rules are not for those of the
 * whole system.
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

type Answer = Readonly<Record<string, unknown>>;

/**
 * Asks a pod.
 * @returns undefined where the catalog does not have the service for it.
 * @throws PodFailure
 */
export async function askPod(
  context: Context,
  pod: Pod,
  question: PodQuestion,
): Promise<Answer | undefined> {
  const endpoint = await endpointIn(context, pod.regionName, question.serviceType);
  if (!endpoint) return undefined;
  return endpoint.isHere
    ? askHere(context, endpoint, question)
    : askElsewhere(context, endpoint, question);
}

/** The region of this cloud in which an endpoint is. */
function regionOf({ cloud }: Context, { url }: PublicEndpoint): Region {
  return cloud.regions.get(url.split('/')[1] ?? '') ?? cloud.firstRegion;
}

async function askHere(
  context: Context,
  endpoint: PublicEndpoint,
  { definition, version, path }: PodQuestion,
): Promise<Answer> {
  const region = regionOf(context, endpoint);
  // What is due there happens first, as before a client's request.
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
    return (typeof reply.body === 'string' ? JSON.parse(reply.body) : reply.body) as Answer;
  } catch (error) {
    if (error instanceof ApiError) throw new PodFailure(error.message, { cause: error });
    throw error;
  }
}

async function askElsewhere(
  context: Context,
  { url, name }: PublicEndpoint,
  { path }: PodQuestion,
): Promise<Answer> {
  const token = await ownToken(context);
  // Of the URL only the version is known to be needed: Cinder's statistics do not depend on a
  // project.
  const base = url.replace(/\/[$%]\((?:tenant|project)_id\)s$/, '').replace(/\/$/, '');
  const headers = { 'x-auth-token': token, accept: 'application/json' };
  try {
    const reply = await fetch(`${base}${path}?detail=true`, {
      headers,
      signal: AbortSignal.timeout(patience),
    });
    if (!reply.ok) throw new PodFailure(`${name} at ${base} answers with ${reply.status}.`);
    const answer = (await reply.json()) as unknown;
    return typeof answer === 'object' && answer !== null ? (answer as Answer) : {};
  } catch (error) {
    if (error instanceof PodFailure) throw error;
    throw new PodFailure(`${name} at ${base} does not answer.`, { cause: error });
  }
}
