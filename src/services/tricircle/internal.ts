// The functions that the gateways of the central region call. They use the central database,
// whatever the database of the context is.
import type { Context } from '../../kernel/model.ts';
import { centralContext, writeInCentral, writeRowInCentral } from '../../kernel/context.ts';
import type { Pod, QuotaReservation, Routing, RoutingFields, Tag } from './model.ts';
import * as quotaReservations from './domain/quota-reservations.ts';
import { Carrier } from './domain/cascade/carrier.ts';
import * as ports from './domain/cascade/ports.ts';
import * as routingRules from './domain/routings.ts';
import { choosePod as choose } from './domain/scheduling/choice.ts';
import type { PodQuestion } from './domain/scheduling/question.ts';
import { keysOf, tagOf } from './domain/tags.ts';
import { readServer, type ServerInPod } from './clients/compute.ts';
import { findEndpoint, type PublicEndpoint } from './clients/identity.ts';
import * as bindingStore from './store/bindings.ts';
import * as podStore from './store/pods.ts';
import { deleteReservation } from './store/quota-reservations.ts';
import * as routingStore from './store/routings.ts';

export { PodFailure } from './clients/pods.ts';
export type { ServerInPod } from './clients/compute.ts';
export * as podImages from './clients/image.ts';
export type { ImageChange, ImageInPod } from './clients/image.ts';
export type { PodQuestion } from './domain/scheduling/question.ts';
export { podsDiffer } from './domain/scheduling/refusals.ts';
export type { Demand, Pod, QuotaReservation, Routing, RoutingFields, Tag } from './model.ts';
export type { PublicEndpoint } from './clients/identity.ts';

/**
 * Chooses the pod for a new server or volume: the pod of the resources that the request refers to,
 * or else that of the project's binding in the zone and group. Creates or replaces the binding. The
 * write is part of the context's transaction if that is a central one, and else is committed at
 * once.
 * @throws 400 `tricircle.pods_differ` if the resources are in several pods; 400
 *   `tricircle.zone_differs` if they are in another zone than the requested one; 409
 *   `tricircle.under_maintenance` if their pod is under maintenance; 500 `tricircle.no_pod` if no
 *   pod is suitable
 */
export const choosePod = (context: Context, question: PodQuestion): Promise<Pod> =>
  writeInCentral(context, (central) => choose(central, question));

/** Lists all pods, oldest first. The central one has no zone. */
export const listPods = (context: Context): Promise<Pod[]> =>
  podStore.listPods(centralContext(context).db);

export const findPod = (context: Context, id: string): Promise<Pod | undefined> =>
  podStore.findPod(centralContext(context).db, id);

/** The keys of extra specs that the resource_affinity_tag of any pod uses. */
export const affinityKeys = async (context: Context): Promise<ReadonlySet<string>> =>
  keysOf(await listPods(context));

/** The tag that the extra specs of a flavor or volume type require; empty for a general request. */
export const requestTag = async (
  context: Context,
  specs: Readonly<Record<string, unknown>>,
): Promise<Tag> => (Object.keys(specs).length ? tagOf(specs, await listPods(context)) : {});

/** Identifies a resource, by its id in the central region. */
export interface RoutedResource {
  readonly topId: string;
  /** `server`, `volume`, `server_group`, `image`, or one of Neutron's. */
  readonly resourceType: string;
}

/** Finds the routing of a resource. */
export const routingOf = async (
  context: Context,
  { topId, resourceType }: RoutedResource,
): Promise<Routing | undefined> =>
  (await routingStore.listRoutings(centralContext(context).db, { topId, resourceType }))[0];

/** Lists the routings of a resource type, or of one project, pod or resource, oldest first. */
export const routingsOf = (
  context: Context,
  {
    projectId,
    podId,
    topId,
    resourceType,
  }: Partial<Pick<Routing, 'projectId' | 'podId' | 'topId'>> & Pick<Routing, 'resourceType'>,
): Promise<Routing[]> =>
  routingStore.listRoutings(centralContext(context).db, {
    resourceType,
    ...(projectId === undefined ? {} : { projectId }),
    ...(podId === undefined ? {} : { podId }),
    ...(topId === undefined ? {} : { topId }),
  });

/**
 * Routes a resource to a pod. Committed at once if the context is not in a central transaction.
 * @throws 409 if it is routed to the pod already
 */
export const addRouting = (context: Context, fields: RoutingFields): Promise<Routing> =>
  writeRowInCentral(context, (central) => routingRules.addRouting(central, fields));

/**
 * Routes a resource to a pod, unless it is routed to one already.
 * @throws 409 if another request has just routed it to the same pod
 */
export const ensureRouting = (context: Context, fields: RoutingFields): Promise<void> =>
  writeInCentral(context, (central) => routingRules.ensureRouting(central, fields));

/** Deletes the routing of a resource to a pod, if it leads there. */
export const removeRoutingTo = (
  context: Context,
  pod: Pick<Pod, 'id'>,
  resource: RoutedResource,
): Promise<void> =>
  writeRowInCentral(context, ({ db }) => routingStore.deleteRoutingTo(db, pod.id, resource));

/** Deletes the routing of a resource. @returns whether it existed */
export const removeRouting = (context: Context, { id }: Pick<Routing, 'id'>): Promise<boolean> =>
  writeRowInCentral(context, (central) => routingRules.removeRouting(central, { id }));

/**
 * Carries a port of the central region to a pod, with what it depends on: its network, subnets and
 * security groups, the routers of the subnets, and the floating IPs of a port that is not `isNew`.
 * @returns its id in the pod
 * @throws ApiError if the pod refuses, or has gone: 503
 */
export const carryPort = (
  context: Context,
  pod: Pod,
  portId: string,
  options: { readonly isNew: boolean },
): Promise<string> => ports.carryPort(context, pod, portId, options);

/** Deletes a port from a pod. If the pod does not do so now, it is retried. */
export const discardPort = (
  context: Context,
  pod: Pod,
  port: { readonly id: string; readonly projectId: string },
): Promise<void> => ports.discardPort(context, pod, port);

/** Returns the id in a pod of a central port; undefined if it has not been carried there. */
export const portInPod = (
  context: Context,
  pod: Pod,
  portId: string,
): Promise<string | undefined> => new Carrier(context, pod).find({ type: 'port', id: portId });

/** The device that a port of the central region has in a pod; undefined if it is not there. */
export const deviceInPod = (
  context: Context,
  pod: Pod,
  portId: string,
): Promise<string | undefined> => ports.deviceInPod(context, pod, portId);

/** What Nova of a pod knows of a server; undefined if there is none. @throws PodFailure */
export const readServerInPod = (
  context: Context,
  pod: Pod,
  id: string,
): Promise<ServerInPod | undefined> => readServer(context, pod, id);

/**
 * Finds the endpoint of a pod's service, such as `compute` or `volumev3`, in the current catalog.
 * The URL is a path if the endpoint belongs to this cloud (`isHere`), and may have substitutions
 * such as `$(project_id)s`.
 */
export const endpointOf = (
  context: Context,
  pod: Pick<Pod, 'regionName'>,
  serviceType: string,
): Promise<PublicEndpoint | undefined> => findEndpoint(context, pod.regionName, serviceType);

/**
 * Lists the pods in which a project may have resources, oldest first: the pods that it is or was
 * bound to, and the pods that its resources are routed to.
 */
export async function podsOfProject(context: Context, projectId: string): Promise<Pod[]> {
  const { db } = centralContext(context);
  const bindings = await bindingStore.listBindings(db, { tenantId: projectId, withDeleted: true });
  const routings = await routingStore.listRoutings(db, { projectId });
  const ids = new Set([...bindings, ...routings].map(({ podId }) => podId));
  return (await podStore.listPods(db)).filter(({ id }) => ids.has(id));
}

/** Gives the routing of a resource to another project. A resource without a routing gets none. */
export const assignRouting = (
  context: Context,
  resource: Pick<Routing, 'topId' | 'resourceType'>,
  projectId: string,
): Promise<void> =>
  writeRowInCentral(context, ({ db, now }) =>
    routingStore.assignRouting(db, resource, projectId, now),
  );

/** Reserves amounts of a project's quota, for what a request is about to create in a pod. */
export const reserveQuota = (
  context: Context,
  fields: Omit<QuotaReservation, 'id' | 'reservedAt'>,
): Promise<QuotaReservation> =>
  writeInCentral(context, (central) => quotaReservations.reserve(central, fields));

/** The valid reservations of the same project and service that precede one. */
export const earlierReservations = (
  context: Context,
  reservation: QuotaReservation,
): Promise<QuotaReservation[]> =>
  quotaReservations.earlierReservations(centralContext(context), reservation);

/** Ends a reservation, after the resource exists or its creation has failed. */
export const releaseQuota = (
  context: Context,
  { id }: Pick<QuotaReservation, 'id'>,
): Promise<void> => writeRowInCentral(context, ({ db }) => deleteReservation(db, id));
