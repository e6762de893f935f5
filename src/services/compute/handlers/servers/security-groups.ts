// Security groups of a server: those of its ports. Upstream: network/security_group_api.py.
import { accepted, ok } from '../../../../kernel/http/reply.ts';
import { badRequest, conflict, notFound } from '../../../../kernel/errors.ts';
import { isUuidLike } from '../../../../kernel/ids.ts';
import { callNetwork, networkErrorMessage, type NeutronPort } from '../../clients/network.ts';
import type { ComputeCall } from '../../call.ts';
import { groupsView } from '../../views/proxies/security-groups.ts';
import { groupsWith, sourcesOf } from '../proxies/security-groups.ts';
import { serverOf } from './subject.ts';
import type { Reply } from '../../../../kernel/model.ts';

/** The ports of a server that the caller sees. */
async function portsOf(call: ComputeCall, server: string): Promise<readonly NeutronPort[]> {
  const request = { method: 'GET', path: '/v2.0/ports', query: [['device_id', server] as const] };
  return (await callNetwork<{ ports: NeutronPort[] }>(call, request)).ports;
}

/**
 * GET /servers/{server_id}/os-security-groups: a group that several ports are in is shown for each
 * of them.
 */
export async function list(call: ComputeCall): Promise<Reply> {
  const { uuid } = await serverOf(call, 'os-security-groups:list');
  const ids = (await portsOf(call, uuid)).flatMap((port) => port.security_groups);
  const visible = ids.length ? await groupsWith(call, [['id', [...new Set(ids)]]]) : [];
  const groups = ids.flatMap((id) => visible.find((group) => group.id === id) ?? []);
  return ok({ security_groups: groupsView(groups, await sourcesOf(call, groups)) });
}

/** The id of the caller's group of that name or id. @throws 404, 409 */
async function groupNamed(call: ComputeCall, name: string): Promise<string> {
  const project = call.caller!.projectId ?? '';
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
async function regroup(
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
 * The ports of the server that an action is about, and the group that its body names.
 * @throws 400, 404, 409
 */
async function subjectOf(call: ComputeCall, key: string, verb: string) {
  const { uuid } = await serverOf(call, `os-security-groups:${verb}`);
  const { name } = (call.body as Record<string, { name: string }>)[key]!;
  if (!name.trim()) throw badRequest('Security group name cannot be empty');
  const group = await groupNamed(call, name);
  const ports = await portsOf(call, uuid);
  if (!ports.length)
    throw notFound(`instance_id ${uuid} could not be found as device id on any ports`);
  return { uuid, name, group, ports };
}

/** Adds a group to all ports of a server. */
export async function addSecurityGroup(call: ComputeCall): Promise<Reply> {
  const { group, ports } = await subjectOf(call, 'addSecurityGroup', 'add');
  for (const port of ports) {
    if (!port.port_security_enabled || !port.fixed_ips.length)
      throw badRequest(
        'Network requires port_security_enabled and subnet associated in order to apply security groups.',
      );
    await regroup(call, port, [...port.security_groups, group]);
  }
  return accepted();
}

/** Removes a group from all ports of a server. */
export async function removeSecurityGroup(call: ComputeCall): Promise<Reply> {
  const { uuid, name, group, ports } = await subjectOf(call, 'removeSecurityGroup', 'remove');
  const inIt = ports.filter((port) => port.security_groups.includes(group));
  if (!inIt.length)
    throw notFound(`Security group ${name} not associated with the instance ${uuid}`);
  for (const port of inIt)
    await regroup(
      call,
      port,
      port.security_groups.filter((id) => id !== group),
    );
  return accepted();
}
