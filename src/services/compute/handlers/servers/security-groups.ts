// The security groups of a server, which are those of its ports. Upstream:
// network/security_group_api.py.
import { accepted, ok } from '../../../../kernel/http/reply.ts';
import { badRequest, conflict, notFound } from '../../../../kernel/errors.ts';
import { isUuidLike } from '../../../../kernel/ids.ts';
import { callNetwork, networkErrorMessage, type NeutronPort } from '../../clients/network.ts';
import type { ComputeCall } from '../../call.ts';
import { groupsView } from '../../views/proxies/security-groups.ts';
import { groupsWith, remoteGroupsOf } from '../proxies/security-groups.ts';
import { argumentsOf } from '../action-body.ts';
import { serverOf } from './subject.ts';
import type { Reply } from '../../../../kernel/model.ts';

/** The server's ports that are visible to the caller. */
async function portsOf(call: ComputeCall, server: string): Promise<readonly NeutronPort[]> {
  const request = { method: 'GET', path: '/v2.0/ports', query: [['device_id', server] as const] };
  return (await callNetwork<{ ports: NeutronPort[] }>(call, request)).ports;
}

/**
 * GET /servers/{server_id}/os-security-groups. The list contains a group once for each port that is
 * in it.
 */
export async function list(call: ComputeCall): Promise<Reply> {
  const { uuid } = await serverOf(call, 'os-security-groups:list');
  const ids = (await portsOf(call, uuid)).flatMap((port) => port.security_groups);
  const found = ids.length ? await groupsWith(call, [['id', [...new Set(ids)]]]) : [];
  const visible = new Map(found.map((group) => [group.id, group]));
  const groups = ids.flatMap((id) => visible.get(id) ?? []);
  return ok({ security_groups: groupsView(groups, await remoteGroupsOf(call, groups)) });
}

/** The id of the security group with this name or id. @throws 404, 409 */
async function groupNamed(call: ComputeCall, name: string): Promise<string> {
  const project = call.caller.projectId ?? '';
  const [byId] = isUuidLike(name) ? await groupsWith(call, [['id', [name]]]) : [];
  if (byId) return byId.id;
  const [only, ...more] = await groupsWith(call, [
    ['name', [name]],
    ['tenant_id', [project]],
  ]);
  if (!only) throw notFound(`Security group ${name} is not found for project ${project}`);
  if (more.length)
    throw conflict(
      `Multiple security_group matches found for name '${name}', use an ID to be more specific.`,
    );
  return only.id;
}

/** Updates the security groups of a port. @throws 400, 409 */
async function updatePortGroups(
  call: ComputeCall,
  { id }: NeutronPort,
  groups: readonly string[],
): Promise<void> {
  const request = {
    method: 'PUT',
    path: `/v2.0/ports/${id}`,
    body: { port: { security_groups: groups } },
  };
  await callNetwork(call, request, {
    400: (error) => badRequest(networkErrorMessage(call, error)),
    409: (error) => conflict(networkErrorMessage(call, error)),
  });
}

/**
 * Reads the action's body: the server's ports, and the id of the named security group.
 * @throws 400, 404, 409
 */
async function readAction(call: ComputeCall, action: string, verb: string) {
  const { uuid } = await serverOf(call, `os-security-groups:${verb}`);
  const { name } = argumentsOf<{ name: string }>(call, action);
  if (!name.trim()) throw badRequest('Security group name cannot be empty');
  const group = await groupNamed(call, name);
  const ports = await portsOf(call, uuid);
  if (!ports.length)
    throw notFound(`instance_id ${uuid} could not be found as device id on any ports`);
  return { uuid, name, group, ports };
}

/** Adds a group to all ports of a server. */
export async function addSecurityGroup(call: ComputeCall): Promise<Reply> {
  const { group, ports } = await readAction(call, 'addSecurityGroup', 'add');
  for (const port of ports) {
    if (!port.port_security_enabled || !port.fixed_ips.length)
      throw badRequest(
        'Network requires port_security_enabled and subnet associated in order to apply security ' +
          'groups.',
      );
    await updatePortGroups(call, port, [...port.security_groups, group]);
  }
  return accepted();
}

/** Removes a group from all ports of a server. */
export async function removeSecurityGroup(call: ComputeCall): Promise<Reply> {
  const { uuid, name, group, ports } = await readAction(call, 'removeSecurityGroup', 'remove');
  const members = ports.filter((port) => port.security_groups.includes(group));
  if (!members.length)
    throw notFound(`Security group ${name} not associated with the instance ${uuid}`);
  for (const port of members)
    await updatePortGroups(
      call,
      port,
      port.security_groups.filter((id) => id !== group),
    );
  return accepted();
}
