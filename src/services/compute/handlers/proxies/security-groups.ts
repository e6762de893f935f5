// Security groups, until 2.35. Compute forwards the requests to Network. Upstream:
// api/openstack/compute/security_groups.py.
import { ok, reply } from '../../../../kernel/http/reply.ts';
import { badRequest, ApiError, forbidden, notFound } from '../../../../kernel/errors.ts';
import { isUuidLike } from '../../../../kernel/ids.ts';
import {
  callNetwork,
  networkErrorMessage,
  type NeutronSecurityGroup,
} from '../../clients/network.ts';
import type { ComputeCall } from '../../call.ts';
import {
  groupsView,
  groupView,
  ingressRules,
  type RemoteGroups,
} from '../../views/proxies/security-groups.ts';
import { pageAtOffset } from '../paging.ts';
import type { ErrorTranslations } from '../../clients/client.ts';
import type { Reply } from '../../../../kernel/model.ts';

const collection = '/v2.0/security-groups';

/** Translates Network's error for an unknown id. */
export const notFoundErrors = (call: ComputeCall): ErrorTranslations => ({
  404: (error) => notFound(networkErrorMessage(call, error)),
});

/** The id in the path. @throws 400 if it is not a UUID */
export function groupIdOf({ params }: ComputeCall): string {
  if (!isUuidLike(params['id']!)) throw badRequest('Security group id should be uuid');
  return params['id']!;
}

/** A security group. @throws 404 if the caller cannot see it */
export async function groupOf(call: ComputeCall, id: string): Promise<NeutronSecurityGroup> {
  const request = { method: 'GET', path: `${collection}/${encodeURIComponent(id)}` };
  return (
    await callNetwork<{ security_group: NeutronSecurityGroup }>(call, request, notFoundErrors(call))
  ).security_group;
}

/** The remote groups of the groups' rules, without those that are invisible to the caller. */
export async function remoteGroupsOf(
  call: ComputeCall,
  groups: readonly NeutronSecurityGroup[],
): Promise<RemoteGroups> {
  const remoteGroups = new Map(groups.map((group) => [group.id, group]));
  const ids = new Set(groups.flatMap(ingressRules).flatMap(({ remote_group_id: id }) => id ?? []));
  const others = [...ids].filter((id) => !remoteGroups.has(id));
  if (others.length)
    for (const group of await groupsWith(call, [['id', others]])) remoteGroups.set(group.id, group);
  return remoteGroups;
}

/** The groups that match all filters. A filter matches any of its values. */
export async function groupsWith(
  call: ComputeCall,
  filters: readonly (readonly [name: string, values: readonly string[]])[],
): Promise<NeutronSecurityGroup[]> {
  const query = filters.flatMap(([name, values]) => values.map((value) => [name, value] as const));
  const request = { method: 'GET', path: collection, query };
  return (await callNetwork<{ security_groups: NeutronSecurityGroup[] }>(call, request))
    .security_groups;
}

/** GET /os-security-groups */
export async function list(call: ComputeCall): Promise<Reply> {
  const all = call.actor.isAdmin && call.query.has('all_tenants');
  const groups = await pageAtOffset(
    call,
    await groupsWith(call, all ? [] : [['tenant_id', [call.caller.projectId ?? '']]]),
  );
  return ok({ security_groups: groupsView(groups, await remoteGroupsOf(call, groups)) });
}

const showGroup = async (call: ComputeCall, group: NeutronSecurityGroup): Promise<Reply> =>
  ok({ security_group: groupView(group, await remoteGroupsOf(call, [group])) });

/** GET /os-security-groups/{id} */
export const show = async (call: ComputeCall): Promise<Reply> =>
  showGroup(call, await groupOf(call, groupIdOf(call)));

/** The body of the request to Network, with the fields of the received body. */
function fieldsOf({ body }: ComputeCall): object {
  const { name, description } = (body as { security_group: { name: string; description: string } })
    .security_group;
  return { security_group: { name, description } };
}

/** POST /os-security-groups */
export async function create(call: ComputeCall): Promise<Reply> {
  const { security_group: group } = await callNetwork<{ security_group: NeutronSecurityGroup }>(
    call,
    { method: 'POST', path: collection, body: fieldsOf(call) },
    {
      400: (error) => badRequest(networkErrorMessage(call, error)),
      409: (error) => forbidden(networkErrorMessage(call, error)),
    },
  );
  return showGroup(call, group);
}

/** PUT /os-security-groups/{id} */
export async function update(call: ComputeCall): Promise<Reply> {
  const { id } = await groupOf(call, groupIdOf(call));
  const request = { method: 'PUT', path: `${collection}/${id}`, body: fieldsOf(call) };
  const { security_group: group } = await callNetwork<{ security_group: NeutronSecurityGroup }>(
    call,
    request,
    clientErrors(call),
  );
  return showGroup(call, group);
}

/** Errors with Network's status, and with the message that its client library has for them. */
const clientErrors = (call: ComputeCall): ErrorTranslations =>
  Object.fromEntries(
    [400, 403, 409].map((status) => [
      status,
      (error: ApiError) => new ApiError(status, networkErrorMessage(call, error)),
    ]),
  );

/** DELETE /os-security-groups/{id} */
export async function remove(call: ComputeCall): Promise<Reply> {
  const { id } = await groupOf(call, groupIdOf(call));
  const deleteErrors = {
    ...notFoundErrors(call),
    409: (error: ApiError) => badRequest(networkErrorMessage(call, error)),
  };
  await callNetwork(call, { method: 'DELETE', path: `${collection}/${id}` }, deleteErrors);
  return reply(202);
}
