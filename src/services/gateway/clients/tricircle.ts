// The gateways' client for Tricircle, which chooses pods and records the pod of each resource.
import type { Context } from '../../../kernel/model.ts';
import * as tricircle from '../../tricircle/index.ts';
import type { Pod, Routing } from '../../tricircle/index.ts';

export {
  affinityKeys,
  carryPort,
  choosePod,
  deleteImageInPod,
  deviceInPod,
  discardPort,
  earlierReservations,
  endpointOf,
  findPod,
  listServerImagesInPod,
  PodFailure,
  podsDiffer,
  podsOfProject,
  portInPod,
  readImageBytesInPod,
  readServerInPod,
  releaseQuota,
  removeRouting,
  requestTag,
  reserveQuota,
  routingOf,
  routingsOf,
} from '../../tricircle/index.ts';
export type { Demand, ImageInPod, Pod } from '../../tricircle/index.ts';

/** The types of resources that the gateways route. */
export type ResourceType = 'server' | 'server_group' | 'volume' | 'snapshot';

/** The types of which Tricircle stores routings for the gateways. */
type RoutedType = ResourceType | 'image';

/** All pods except the central region, which has no availability zone. */
export const bottomPods = async (context: Context): Promise<Pod[]> =>
  (await tricircle.listPods(context)).filter(({ azName }) => azName !== '');

/** The pods of a zone, or of all zones. */
export const podsInZone = async (context: Context, zone: string | undefined): Promise<Pod[]> =>
  (await bottomPods(context)).filter(({ azName }) => zone === undefined || azName === zone);

/** Routes a resource to a pod, unless it already has a routing. */
export async function route(
  context: Context,
  fields: Pick<Routing, 'topId' | 'podId' | 'projectId'> & { resourceType: RoutedType },
): Promise<void> {
  const { topId, podId, projectId, resourceType } = fields;
  if (await tricircle.routingOf(context, { topId, resourceType })) return;
  await tricircle.addRouting(context, {
    topId,
    bottomId: topId,
    podId,
    projectId,
    resourceType,
  });
}
