// Tricircle's door: what the gateways of the central region ask of it. From any work: it reads and
// writes in the central database.
import type { Context } from '../../kernel/model.ts';
import { centralContext, writeInCentral } from '../../kernel/context.ts';
import type { Pod, Routing, RoutingFields, Tag } from './model.ts';
import * as routingRules from './domain/routings.ts';
import { choosePod as choose, type PodQuestion } from './domain/scheduling/choice.ts';
import { keysOf, tagOf } from './domain/tags.ts';
import { endpointIn, type PublicEndpoint } from './clients/identity.ts';
import * as bindingStore from './store/bindings.ts';
import * as podStore from './store/pods.ts';
import * as routingStore from './store/routings.ts';

export type { Pod, Routing, RoutingFields, Tag } from './model.ts';
export type { PodQuestion } from './domain/scheduling/choice.ts';
export type { PublicEndpoint } from './clients/identity.ts';

/**
 * The pod in which a server or a volume of a project is to be created, by what it refers to, or
 * else by the project's binding in the zone and the group. The binding is made or moved on, and
 * committed with the work where that is in a central transaction, else at once.
 * @throws 400 `tricircle.pods_differ` where it refers to resources of several pods; 400
 *   `tricircle.zone_differs` where they are in another zone than asked; 409
 *   `tricircle.under_maintenance` where their pod is; 500 `tricircle.no_pod` where no pod can have
 *   it
 */
export const choosePod = (context: Context, question: PodQuestion): Promise<Pod> =>
  writeInCentral(context, (central) => choose(central, question));

/** All pods, the oldest first. The central one has no zone. */
export const listPods = (context: Context): Promise<Pod[]> =>
  podStore.listPods(centralContext(context).db);

/** The pod of that id; undefined where there is none. */
export const findPod = (context: Context, id: string): Promise<Pod | undefined> =>
  podStore.findPod(centralContext(context).db, id);

/** The keys of extra specs that some pod's resource_affinity_tag has. */
export const affinityKeys = async (context: Context): Promise<ReadonlySet<string>> =>
  keysOf(await listPods(context));

/** What the extra specs of a flavor or a volume type ask of a pod; empty for a general request. */
export const requestTag = async (
  context: Context,
  specs: Readonly<Record<string, unknown>>,
): Promise<Tag> => tagOf(specs, await affinityKeys(context));

/** Which resource, by the id that the centre shows. */
export interface RoutedResource {
  readonly topId: string;
  /** `server`, `volume`, `server_group`, or one of Neutron's. */
  readonly resourceType: string;
}

/** Where a resource is; undefined where nothing is known of it. */
export const routingOf = async (
  context: Context,
  { topId, resourceType }: RoutedResource,
): Promise<Routing | undefined> =>
  (await routingStore.listRoutings(centralContext(context).db, { topId, resourceType }))[0];

/**
 * Where the resources of a type are, of a project or of all, in a pod or in all, the oldest first.
 */
export const routingsOf = (
  context: Context,
  {
    projectId,
    podId,
    resourceType,
  }: Partial<Pick<Routing, 'projectId' | 'podId'>> & Pick<Routing, 'resourceType'>,
): Promise<Routing[]> =>
  routingStore.listRoutings(centralContext(context).db, {
    resourceType,
    ...(projectId === undefined ? {} : { projectId }),
    ...(podId === undefined ? {} : { podId }),
  });

/**
 * Routes a resource to a pod; committed at once where the work is not in a central transaction.
 * @throws 409 where it is routed to the pod already
 */
export const addRouting = (context: Context, fields: RoutingFields): Promise<Routing> =>
  writeInCentral(context, (central) => routingRules.addRouting(central, fields));

/** Forgets where a resource is; nothing happens where nothing is known of it. */
export const removeRouting = (context: Context, { id }: Pick<Routing, 'id'>): Promise<boolean> =>
  writeInCentral(context, (central) => routingRules.removeRouting(central, { id }));

/**
 * Where a service of a pod is, such as `compute` or `volumev3`, by the catalog as it is now;
 * undefined where it has none. The URL is a path where this cloud itself answers (`isHere`), and
 * may have substitutions such as `$(project_id)s`.
 */
export const endpointOf = (
  context: Context,
  pod: Pick<Pod, 'regionName'>,
  serviceType: string,
): Promise<PublicEndpoint | undefined> => endpointIn(context, pod.regionName, serviceType);

/**
 * The pods in which a project may have something: to which it is or was bound, or in which
 * something of it is known to be; the oldest first.
 */
export async function podsOfProject(context: Context, projectId: string): Promise<Pod[]> {
  const { db } = centralContext(context);
  const bindings = await bindingStore.listBindings(db, { tenantId: projectId, withDeleted: true });
  const routings = await routingStore.listRoutings(db, { projectId });
  const ids = new Set([...bindings, ...routings].map(({ podId }) => podId));
  return (await podStore.listPods(db)).filter(({ id }) => ids.has(id));
}
