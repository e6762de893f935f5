// What the gateways ask of Tricircle: which pod, and which resource is where.
import type { Context } from '../../../kernel/model.ts';
import * as tricircle from '../../tricircle/index.ts';
import type { Pod, Routing } from '../../tricircle/index.ts';

export {
  addRouting,
  affinityKeys,
  choosePod,
  endpointOf,
  findPod,
  listPods,
  podsOfProject,
  removeRouting,
  requestTag,
  routingOf,
  routingsOf,
} from '../../tricircle/index.ts';
export type { Pod, PublicEndpoint, Routing, Tag } from '../../tricircle/index.ts';

/** The kinds of resources that are routed. */
export type Kind = 'server' | 'server_group' | 'volume' | 'snapshot';

/** The pods that are not the central one. */
export const bottomPods = async (context: Context): Promise<Pod[]> =>
  (await tricircle.listPods(context)).filter(({ azName }) => azName !== '');

/** Routes a resource; one that is routed already stays as it is. */
export async function route(
  context: Context,
  fields: Pick<Routing, 'topId' | 'podId' | 'projectId'> & { kind: Kind },
): Promise<void> {
  const { topId, podId, projectId, kind } = fields;
  if (await tricircle.routingOf(context, { topId, resourceType: kind })) return;
  await tricircle.addRouting(context, {
    topId,
    bottomId: topId,
    podId,
    projectId,
    resourceType: kind,
  });
}
