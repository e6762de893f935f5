// The client of Neutron, in the central region and in pods, as Tricircle's own user: requests by
// the type of a resource.
import { ApiError } from '../../../kernel/errors.ts';
import { centralRegionOf } from '../../../kernel/regions.ts';
import type { Context, ServiceDefinition } from '../../../kernel/model.ts';
import { network, revisionOf } from '../../network/index.ts';
import type { Pod } from '../model.ts';
import { requestCentre, requestPod, type AdminReply, type AdminRequest } from './pods.ts';

/** The types of resources that Tricircle carries to pods, as in routings. */
export type NetworkType =
  'network' | 'subnet' | 'security_group' | 'port' | 'router' | 'floatingip';

/** A resource in Neutron's API. */
export type NetworkRecord = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly project_id: string;
};

/** Where a resource is: in the central region, or in a pod. */
export type Place = Pod | 'centre';

/** The path of a resource type. */
export const pathOf = (type: NetworkType): string =>
  `/v2.0/${type === 'security_group' ? 'security-groups' : `${type}s`}`;

const send = (
  context: Context,
  place: Place,
  request: AdminRequest,
  options: { readonly needsTransaction?: boolean } = {},
): Promise<AdminReply> =>
  place === 'centre'
    ? requestCentre(context, network as ServiceDefinition, request, options)
    : requestPod(context, place, 'network', request);

/** The body of a reply. @throws ApiError with Neutron's status and message */
function bodyOf({ status, body }: AdminReply): Readonly<Record<string, unknown>> {
  if (status < 300) return body;
  throw new ApiError(status, String(body['message']), { code: 'tricircle.refused' });
}

/**
 * Reads a resource. It reads the central region without a transaction: a concurrent change also
 * changes the revision of the resource, and schedules another job that follows it.
 * @returns undefined if no resource has that id
 */
export async function readRecord(
  context: Context,
  place: Place,
  type: NetworkType,
  id: string,
): Promise<NetworkRecord | undefined> {
  const request = { method: 'GET', path: `${pathOf(type)}/${id}` };
  const reply = await send(context, place, request, { needsTransaction: false });
  return reply.status === 404 ? undefined : (bodyOf(reply)[type] as NetworkRecord);
}

/** The revision of a resource in the central region; undefined if there is none with that id. */
export const centralRevision = (
  { cloud }: Context,
  type: NetworkType,
  id: string,
): Promise<number | undefined> => revisionOf(centralRegionOf(cloud)!.database, type, id);

/** Lists the resources that match a query. */
export async function listRecords(
  context: Context,
  place: Place,
  type: NetworkType,
  query: AdminRequest['query'] & object,
): Promise<readonly NetworkRecord[]> {
  const reply = await send(context, place, { method: 'GET', path: pathOf(type), query });
  return bodyOf(reply)[`${type}s`] as NetworkRecord[];
}

/** Creates a resource of a project in a pod. @throws ApiError */
export async function createRecord(
  context: Context,
  pod: Pod,
  type: NetworkType,
  fields: Readonly<Record<string, unknown>>,
): Promise<NetworkRecord> {
  const request = { method: 'POST', path: pathOf(type), body: { [type]: fields } };
  return (await create(context, pod, String(fields['project_id']), request))[type] as NetworkRecord;
}

/**
 * Creates what the central region has counted already. If a quota of the pod is too small, for
 * example because the pod counts its own resources, too, the pod no longer limits the project.
 * @throws ApiError
 */
async function create(
  context: Context,
  pod: Pod,
  projectId: string,
  request: AdminRequest,
): Promise<Readonly<Record<string, unknown>>> {
  const lifted = new Set<string>();
  for (;;) {
    const reply = await send(context, pod, request);
    const resource = reply.status === 409 ? overQuota.exec(String(reply.body['message']))?.[1] : '';
    // A security group counts its rules, too.
    if (!resource || lifted.has(resource)) return bodyOf(reply);
    lifted.add(resource);
    const path = `/v2.0/quotas/${encodeURIComponent(projectId)}`;
    bodyOf(await send(context, pod, { method: 'PUT', path, body: { quota: { [resource]: -1 } } }));
  }
}

/** Neutron's message for a resource that exceeds a quota. */
const overQuota = /^Quota exceeded for resources: \['(\w+)'\]/;

/** Changes a resource in a pod. @throws ApiError */
export async function updateRecord(
  context: Context,
  pod: Pod,
  type: NetworkType,
  id: string,
  fields: object,
): Promise<void> {
  const body = { [type]: fields };
  bodyOf(await send(context, pod, { method: 'PUT', path: `${pathOf(type)}/${id}`, body }));
}

/** Deletes a resource in a pod, if it is still there. @throws ApiError */
export async function deleteRecord(
  context: Context,
  pod: Pod,
  type: NetworkType,
  id: string,
): Promise<void> {
  const reply = await send(context, pod, { method: 'DELETE', path: `${pathOf(type)}/${id}` });
  if (reply.status !== 404) bodyOf(reply);
}

/** Attaches a port to a router, or detaches it, which deletes the port. @throws ApiError */
export async function changeInterface(
  context: Context,
  pod: Pod,
  routerId: string,
  change: 'add' | 'remove',
  portId: string,
): Promise<void> {
  const path = `${pathOf('router')}/${routerId}/${change}_router_interface`;
  bodyOf(await send(context, pod, { method: 'PUT', path, body: { port_id: portId } }));
}

/** Creates rules in a project's security group of a pod. @throws ApiError */
export async function createRules(
  context: Context,
  pod: Pod,
  projectId: string,
  rules: readonly object[],
): Promise<void> {
  const body = { security_group_rules: rules };
  await create(context, pod, projectId, {
    method: 'POST',
    path: '/v2.0/security-group-rules',
    body,
  });
}

/** Deletes a rule of a security group of a pod. @throws ApiError */
export async function deleteRule(context: Context, pod: Pod, id: string): Promise<void> {
  const path = `/v2.0/security-group-rules/${id}`;
  const reply = await send(context, pod, { method: 'DELETE', path });
  if (reply.status !== 404) bodyOf(reply);
}
