// What the gateways ask of Tricircle: which pod, and which resource is where.
import type { Work } from '../../../kernel/model.ts';
import * as tricircle from '../../tricircle/index.ts';
import type { Pod, Routing } from '../../tricircle/index.ts';

export { addRouting, affinityKeys, choosePod, endpointOf, findPod, listPods, podsOfProject, removeRouting, requestTag, routingOf, routingsOf } from '../../tricircle/index.ts'; // prettier-ignore
export type { Pod, PublicEndpoint, Routing, Tag } from '../../tricircle/index.ts';

/** The kinds of resources that are routed. */
export type Kind = 'server' | 'server_group' | 'volume' | 'snapshot';

/** The pods that are not the central one. */
export const bottomPods = async (work: Work): Promise<Pod[]> =>
  (await tricircle.listPods(work)).filter(({ azName }) => azName !== '');

/** Routes a resource; one that is routed already stays as it is. */
export async function route(work: Work, fields: Pick<Routing, 'topId' | 'podId' | 'projectId'> & { kind: Kind }): Promise<void> {
  const { topId, podId, projectId, kind } = fields;
  if (await tricircle.routingOf(work, { topId, resourceType: kind })) return;
  await tricircle.addRouting(work, { topId, bottomId: topId, podId, projectId, resourceType: kind });
}
