// The gateways' client for Tricircle, which chooses pods and records the pod of each resource.
import { ApiError, unavailable } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import * as tricircle from '../../tricircle/index.ts';
import type { Pod, Routing } from '../../tricircle/index.ts';

export {
  addRouting,
  affinityKeys,
  assignRouting,
  carryPort,
  choosePod,
  deviceInPod,
  discardPort,
  earlierReservations,
  endpointOf,
  findPod,
  PodFailure,
  podImages,
  podsDiffer,
  podsOfProject,
  portInPod,
  readServerInPod,
  releaseQuota,
  removeRouting,
  removeRoutingTo,
  requestTag,
  reserveQuota,
  routingOf,
  routingsOf,
} from '../../tricircle/index.ts';
export type { Demand, ImageChange, ImageInPod, Pod } from '../../tricircle/index.ts';

/** The types of resources that the gateways route. */
export type ResourceType = 'server' | 'server_group' | 'volume' | 'snapshot' | 'transfer';

/** All pods except the central region, which has no availability zone. */
export const bottomPods = async (context: Context): Promise<Pod[]> =>
  (await tricircle.listPods(context)).filter(({ azName }) => azName !== '');

/** The pods of a zone, or of all zones. */
export const podsInZone = async (context: Context, zone: string | undefined): Promise<Pod[]> =>
  (await bottomPods(context)).filter(({ azName }) => zone === undefined || azName === zone);

type NewRouting = Pick<Routing, 'topId' | 'podId' | 'projectId'> & { resourceType: ResourceType };

/**
 * Routes a resource that a pod has just created. Another request may have found it there, and
 * routed it.
 */
export async function routeNew(context: Context, fields: NewRouting): Promise<void> {
  await unlessRouted(tricircle.addRouting(context, { ...fields, bottomId: fields.topId }));
}

/** Routes a resource that was found in a pod, unless it already has a routing. */
export async function route(context: Context, fields: NewRouting): Promise<void> {
  // Most have one. The second look holds the central lock, because a migration may write another.
  if (await tricircle.routingOf(context, fields)) return;
  await unlessRouted(tricircle.ensureRouting(context, { ...fields, bottomId: fields.topId }));
}

/** Ignores that another request has just routed the resource to the same pod. */
async function unlessRouted(routing: Promise<unknown>): Promise<void> {
  try {
    await routing;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
  }
}

/** The code of the error for a pod that does not answer. */
export const unreachable = 'gateway.pod_down';

/** The error for a pod that does not answer. */
export const podDown = ({ regionName }: Pod): ApiError =>
  unavailable(`The pod ${regionName} does not answer. Please try again later.`, {
    code: unreachable,
  });
