// Server groups: list, show, create and delete. There is no update.
import { importContext, readImport } from '../../../kernel/http/imports.ts';
import { noContent, ok } from '../../../kernel/http/reply.ts';
import { authorize } from '../../../kernel/http/steps.ts';
import type { ComputeCall } from '../call.ts';
import { atLeast } from '../domain/numbers.ts';
import { createGroup, deleteGroup, groupOf } from '../domain/server-groups.ts';
import { ownTarget } from '../steps.ts';
import { listGroups } from '../store/servers/groups.ts';
import { groupView } from '../views/server-groups.ts';
import { maxItemsOf } from './paging.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { GroupPolicy, ServerGroup } from '../model.ts';

export async function list(call: ComputeCall): Promise<Reply> {
  const { query } = call;
  const allProjects = query.has('all_projects') && call.actor.isAdmin;
  if (allProjects)
    authorize(call, 'os_compute_api:os-server-groups:index:all_projects', ownTarget(call));
  const maxItems = await maxItemsOf(call);
  const limit = Math.min(Number(query.last('limit') ?? 0) || maxItems, maxItems);
  const offset = Math.min(Number(query.last('offset') ?? 0), Number.MAX_SAFE_INTEGER);
  const groups = await listGroups(call.db, {
    projectId: allProjects ? undefined : call.caller.projectId!,
    offset,
    limit,
  });
  return ok({ server_groups: groups.map((group) => groupView(call, group)) });
}

export async function show(call: ComputeCall): Promise<Reply> {
  return ok({ server_group: groupView(call, await groupOfPath(call, 'show')) });
}

/** The group in the path. @throws 404 if it is not visible to the actor, 403 */
async function groupOfPath(call: ComputeCall, verb: 'show' | 'delete'): Promise<ServerGroup> {
  const group = await groupOf(call, call.params['id']!);
  authorize(call, `os_compute_api:os-server-groups:${verb}`, { project_id: group.projectId });
  return group;
}

interface CreateBody {
  server_group: {
    name: string;
    policies?: [GroupPolicy];
    policy?: GroupPolicy;
    rules?: { max_server_per_host?: number | string };
  };
}

export async function create(call: ComputeCall): Promise<Reply> {
  const { name, policies, policy, rules = {} } = (call.body as CreateBody).server_group;
  if (rules.max_server_per_host !== undefined)
    atLeast(1, 'max_server_per_host', rules.max_server_per_host);
  const origin = readImport(call) ?? null;
  const group = await createGroup(importContext(call, origin), {
    name,
    policy: policy ?? policies![0],
    rules,
    uuid: origin?.id,
  });
  return ok({ server_group: groupView(call, group) });
}

export async function remove(call: ComputeCall): Promise<Reply> {
  await deleteGroup(call, await groupOfPath(call, 'delete'));
  return noContent();
}
