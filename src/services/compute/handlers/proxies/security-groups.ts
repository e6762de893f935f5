// Security groups, which Compute passed on to the Network until 2.35. Upstream:
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
  incoming,
  type Sources,
} from '../../views/proxies/security-groups.ts';
import { limited } from '../paging.ts';
import type { ErrorTranslations } from '../../clients/client.ts';
import type { Reply } from '../../../../kernel/model.ts';

const collection = '/v2.0/security-groups';

/** The refusal of an id that Network does not know. */
export const missing = (call: ComputeCall): ErrorTranslations => ({
  404: (error) => notFound(networkErrorMessage(call, error)),
});

/** The id of the path. @throws 400 where it is none */
export function idOf({ params }: ComputeCall): string {
  if (!isUuidLike(params['id']!)) throw badRequest('Security group id should be uuid');
  return params['id']!;
}

/** A group that the caller sees. @throws 404 */
export async function groupOf(call: ComputeCall, id: string): Promise<NeutronSecurityGroup> {
  const request = { method: 'GET', path: `${collection}/${encodeURIComponent(id)}` };
  return (await callNetwork<{ security_group: NeutronSecurityGroup }>(call, request, missing(call)))
    .security_group;
}

/** The remote groups of the rules of groups, as far as the caller sees them. */
export async function sourcesOf(
  call: ComputeCall,
  groups: readonly NeutronSecurityGroup[],
): Promise<Sources> {
  const sources = new Map(groups.map((group) => [group.id, group]));
  const ids = new Set(groups.flatMap(incoming).flatMap(({ remote_group_id: id }) => id ?? []));
  const others = [...ids].filter((id) => !sources.has(id));
  if (others.length)
    for (const group of await groupsWith(call, [['id', others]])) sources.set(group.id, group);
  return sources;
}

/** The groups that have, of each name, one of the values. */
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
  const groups = limited(
    call,
    await groupsWith(call, all ? [] : [['tenant_id', [call.caller!.projectId ?? '']]]),
  );
  return ok({ security_groups: groupsView(groups, await sourcesOf(call, groups)) });
}

const shown = async (call: ComputeCall, group: NeutronSecurityGroup): Promise<Reply> =>
  ok({ security_group: groupView(group, await sourcesOf(call, [group])) });

/** GET /os-security-groups/{id} */
export const show = async (call: ComputeCall): Promise<Reply> =>
  shown(call, await groupOf(call, idOf(call)));

/** The fields of a group in the body, in Network's envelope. */
function fieldsOf({ body }: ComputeCall): object {
  const { name, description } = (body as { security_group: { name: string; description: string } })
    .security_group;
  return { security_group: { name, description } };
}

/** POST /os-security-groups */
export async function create(call: ComputeCall): Promise<Reply> {
  const made = await callNetwork<{ security_group: NeutronSecurityGroup }>(
    call,
    { method: 'POST', path: collection, body: fieldsOf(call) },
    {
      400: (error) => badRequest(networkErrorMessage(call, error)),
      409: (error) => forbidden(networkErrorMessage(call, error)),
    },
  );
  return shown(call, made.security_group);
}

/** PUT /os-security-groups/{id} */
export async function update(call: ComputeCall): Promise<Reply> {
  const { id } = await groupOf(call, idOf(call));
  const request = { method: 'PUT', path: `${collection}/${id}`, body: fieldsOf(call) };
  const { security_group: group } = await callNetwork<{ security_group: NeutronSecurityGroup }>(
    call,
    request,
    inClientWords(call),
  );
  return shown(call, group);
}

/** The same refusals in the words of the Network's client. */
const inClientWords = (call: ComputeCall): ErrorTranslations =>
  Object.fromEntries(
    [400, 403, 409].map((status) => [
      status,
      (error: ApiError) => new ApiError(status, networkErrorMessage(call, error)),
    ]),
  );

/** DELETE /os-security-groups/{id} */
export async function remove(call: ComputeCall): Promise<Reply> {
  const { id } = await groupOf(call, idOf(call));
  const refused = {
    ...missing(call),
    409: (error: ApiError) => badRequest(networkErrorMessage(call, error)),
  };
  await callNetwork(call, { method: 'DELETE', path: `${collection}/${id}` }, refused);
  return reply(202);
}
