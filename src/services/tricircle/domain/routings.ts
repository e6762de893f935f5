// Creates, updates and deletes routings, which tell the pod of a resource. Upstream:
// tricircle/api/controllers/routing.py.
import { isDuplicate, isForeignKey } from '../../../kernel/db/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import { findPod } from '../store/pods.ts';
import * as store from '../store/routings.ts';
import { isLonger, readText, type Fields } from './fields.ts';
import type { Routing, RoutingFields } from '../model.ts';
import { typed } from './errors.ts';

/** The fields in the order in which upstream checks them, with their maximum lengths. */
const fieldsOf: Readonly<
  Record<string, { readonly field: keyof RoutingFields; readonly maxLength: number }>
> = {
  top_id: { field: 'topId', maxLength: 127 },
  bottom_id: { field: 'bottomId', maxLength: 36 },
  pod_id: { field: 'podId', maxLength: 36 },
  project_id: { field: 'projectId', maxLength: 64 },
  resource_type: { field: 'resourceType', maxLength: 64 },
};

/**
 * The resource types that an admin may route: those of Neutron. The gateways route servers and
 * volumes when they create them.
 */
const resourceTypes = [
  'network',
  'subnet',
  'port',
  'router',
  'floatingip',
  'security_group',
  'trunk',
  'port_pair',
  'port_pair_group',
  'flow_classifier',
  'port_chain',
  'qos_policy',
];

/** @throws 404 */
export async function findRouting({ db }: Context, id: string): Promise<Routing> {
  const routing = /^\d{1,15}$/.test(id) ? await store.findRouting(db, Number(id)) : undefined;
  if (!routing) throw typed(404, 'Resource routing not found');
  return routing;
}

/**
 * Routes a resource to a pod on a client's request.
 * @throws 400, 409; 500 for an unknown pod, as upstream
 */
export function createRouting(context: Context, fields: Fields): Promise<Routing> {
  const values = Object.entries(fieldsOf).map(([name, { field }]) => [
    field,
    requireText(fields, name),
  ]);
  const routing = Object.fromEntries(values) as RoutingFields;
  if (!resourceTypes.includes(routing.resourceType))
    throw typed(400, 'There is no such resource type');
  checkLengths(routing);
  return addRouting(context, routing);
}

/** Routes a resource to a pod. @throws 409; 500 for an unknown pod, as upstream */
export async function addRouting(context: Context, fields: RoutingFields): Promise<Routing> {
  try {
    return await store.insertRouting(context.db, fields, context.now);
  } catch (error) {
    if (isDuplicate(error)) throw typed(409, 'Resource routing already exists');
    throw isForeignKey(error) ? typed(500, 'Failed to create resource routing') : error;
  }
}

/**
 * Routes a resource to a pod, unless it is routed to one already. Needs the central lock: a
 * migration may be moving the resource to another pod.
 * @throws 409 if another request has just routed it to the same pod
 */
export async function ensureRouting(context: Context, fields: RoutingFields): Promise<void> {
  const { topId, resourceType } = fields;
  const existing = await store.listRoutings(context.db, { topId, resourceType });
  if (!existing.length) await addRouting(context, fields);
}

/**
 * Updates a routing.
 * @returns the new routing, with the previous `updated_at`, as upstream
 * @throws 400; 500 if the resource is routed to the pod already, as upstream
 */
export async function updateRouting(
  context: Context,
  routing: Routing,
  fields: Fields,
): Promise<Routing> {
  for (const name of Object.keys(fields)) requireText(fields, name);
  const { resource_type: resourceType, pod_id: podId } = fields;
  if (resourceType !== undefined && !resourceTypes.includes(String(resourceType)))
    throw typed(400, 'There is no such resource type');
  if (podId !== undefined && !(await findPod(context.db, String(podId))))
    throw typed(400, `The pod ${String(podId)} doesn't exist`);
  const given = Object.entries(fieldsOf).filter(([name]) => Object.hasOwn(fields, name));
  const changes = Object.fromEntries(
    given.map(([name, { field }]) => [field, fields[name]]),
  ) as Partial<RoutingFields>;
  checkLengths(changes);
  try {
    await store.updateRouting(context.db, routing.id, changes, context.now);
  } catch (error) {
    throw isDuplicate(error) || isForeignKey(error)
      ? typed(500, 'Failed to update resource routing')
      : error;
  }
  return { ...routing, ...changes };
}

function requireText(fields: Fields, name: string): string {
  const text = Object.hasOwn(fields, name) ? readText(fields[name]) : undefined;
  if (text === undefined) throw typed(400, `Field ${name} can not be empty`);
  return text;
}

function checkLengths(routing: Partial<RoutingFields>): void {
  for (const [name, { field, maxLength }] of Object.entries(fieldsOf))
    if (isLonger(routing[field] ?? '', maxLength)) throw typed(400, `Field ${name} is too long`);
}

/** Deletes a routing. @returns whether it existed */
export const removeRouting = ({ db }: Context, { id }: Pick<Routing, 'id'>): Promise<boolean> =>
  store.deleteRouting(db, id);
