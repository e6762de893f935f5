// Security groups of a server: those of its ports. Upstream: network/security_group_api.py.
import { accepted, ok, type Reply } from '../../../kernel/http/call.ts';
import { badRequest, Fault, notFound } from '../../../kernel/http/fault.ts';
import type { ComputeCall } from '../call.ts';
import { changeSecurityGroup, findSecurityGroups, portsOfServers } from '../domain/server-neighbours.ts';
import { network } from '../../network/index.ts';
import { groupsView } from '../views/security-groups.ts';
import { pass } from './proxy.ts';
import { groupsWith, sourcesOf } from './security-groups.ts';
import { serverOf } from './server-subject.ts';

/** GET /servers/{server_id}/os-security-groups: a group that several ports are in is shown for each of them. */
export async function list(call: ComputeCall): Promise<Reply> {
  const { uuid } = await serverOf(call, 'os-security-groups:list');
  const query = [['device_id', uuid]] as const;
  const { ports } = await pass<{ ports: { security_groups: string[] }[] }>(call, network, {
    method: 'GET',
    path: '/v2.0/ports',
    query,
  });
  const ids = ports.flatMap((port) => port.security_groups);
  const seen = ids.length ? await groupsWith(call, 'id', [...new Set(ids)]) : [];
  const groups = ids.flatMap((id) => seen.find((group) => group.id === id) ?? []);
  return ok({ security_groups: groupsView(groups, await sourcesOf(call, groups)) });
}

/** Puts the ports of a server into the group that the body names, or takes them out. @throws 400, 404, 409 */
async function change(call: ComputeCall, key: string, verb: 'add' | 'remove'): Promise<Reply> {
  const { uuid, projectId } = await serverOf(call, `os-security-groups:${verb}`);
  const { db, now } = call;
  const { name } = (call.body as Record<string, { name: string }>)[key]!;
  if (!name.trim()) throw badRequest('Security group name cannot be empty');
  const [group] = await findSecurityGroups(db, projectId, [name], now).catch((error: unknown) => {
    throw error instanceof Fault && error.status === 400 ? notFound(error.message) : error;
  });
  if (!(await portsOfServers(db, [uuid])).length)
    throw notFound(`Security group instance_id ${uuid} could not be found as device id on any ports not found.`);
  const changed = await changeSecurityGroup(db, uuid, group!, verb === 'add', now);
  if (!changed && verb === 'remove') throw notFound(`Security group ${name} not associated with the instance ${uuid}`);
  return accepted();
}

/** Adds a group to all ports of a server. */
export const addSecurityGroup = (call: ComputeCall): Promise<Reply> => change(call, 'addSecurityGroup', 'add');

/** Takes a group from all ports of a server. */
export const removeSecurityGroup = (call: ComputeCall): Promise<Reply> => change(call, 'removeSecurityGroup', 'remove');
