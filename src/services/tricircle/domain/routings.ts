// The rules for routings: which resource is in which pod. Upstream:
// tricircle/api/controllers/routing.py.
import { isDuplicate, isForeignKey } from '../../../kernel/db/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import { findPod } from '../store/pods.ts';
import * as store from '../store/routings.ts';
import { isLonger, textOf, type Fields } from './fields.ts';
import type { Routing, RoutingFields } from '../model.ts';
import { typed } from './refusals.ts';

/** Fields in upstream's order of refusals, with the greatest length of each. */
const fieldsOf: Readonly<
  Record<string, { readonly field: keyof RoutingFields; readonly most: number }>
> = {
  top_id: { field: 'topId', most: 127 },
  bottom_id: { field: 'bottomId', most: 36 },
  pod_id: { field: 'podId', most: 36 },
  project_id: { field: 'projectId', most: 64 },
  resource_type: { field: 'resourceType', most: 64 },
};

/**
 * What an admin may route by hand: Neutron's resources. Servers and volumes are routed by those who
 * create them.
 */
const resourceTypes = [
  'network',
  'subnet',
  'port',
  'router',
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
 * Routes a resource to a pod, as a client says.
 * @throws 400, 409; 500 for an unknown pod, as upstream
 */
export function createRouting(context: Context, fields: Fields): Promise<Routing> {
  const values = Object.entries(fieldsOf).map(([name, { field }]) => [field, filled(fields, name)]);
  const routing = Object.fromEntries(values) as RoutingFields;
  if (!resourceTypes.includes(routing.resourceType))
    throw typed(400, 'There is no such resource type');
  refuseLong(routing);
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
 * Changes a routing.
 * @returns it with the time of the change before, as upstream.
 * @throws 400; 500 where there is one like it, as upstream
 */
export async function updateRouting(
  context: Context,
  routing: Routing,
  fields: Fields,
): Promise<Routing> {
  for (const name of Object.keys(fields)) filled(fields, name);
  const { resource_type: resourceType, pod_id: podId } = fields;
  if (resourceType !== undefined && !resourceTypes.includes(String(resourceType)))
    throw typed(400, 'There is no such resource type');
  if (podId !== undefined && !(await findPod(context.db, String(podId))))
    throw typed(400, `The pod ${String(podId)} doesn't exist`);
  const known = Object.entries(fieldsOf).filter(([name]) => Object.hasOwn(fields, name));
  const changes = Object.fromEntries(
    known.map(([name, { field }]) => [field, fields[name]]),
  ) as Partial<RoutingFields>;
  refuseLong(changes);
  try {
    await store.updateRouting(context.db, routing.id, changes, context.now);
  } catch (error) {
    throw isDuplicate(error) || isForeignKey(error)
      ? typed(500, 'Failed to update resource routing')
      : error;
  }
  return { ...routing, ...changes };
}

function filled(fields: Fields, name: string): string {
  const text = Object.hasOwn(fields, name) ? textOf(fields[name]) : undefined;
  if (text === undefined) throw typed(400, `Field ${name} can not be empty`);
  return text;
}

function refuseLong(routing: Partial<RoutingFields>): void {
  for (const [name, { field, most }] of Object.entries(fieldsOf))
    if (isLonger(routing[field] ?? '', most)) throw typed(400, `Field ${name} is too long`);
}

/** Forgets where a resource is. @returns whether it was known */
export const removeRouting = ({ db }: Context, { id }: Pick<Routing, 'id'>): Promise<boolean> =>
  store.deleteRouting(db, id);
