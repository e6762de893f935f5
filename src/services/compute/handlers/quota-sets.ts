// The quotas of projects and of their users: show, detail, defaults, update and delete.
import { accepted, ok } from '../../../kernel/http/reply.ts';
import { authorize } from '../../../kernel/http/steps.ts';
import type { ComputeCall } from '../call.ts';
import { atLeast } from '../domain/numbers.ts';
import {
  defaultsOf,
  deleteQuotas,
  limitsOf,
  resourcesAt,
  updateQuotas,
  usageOf,
  type Limits,
  type Resource,
} from '../domain/quotas.ts';
import { boolFromString } from '../../../kernel/oslo/booleans.ts';
import type { Reply } from '../../../kernel/model.ts';

/** The project in the path, which upstream also verifies with Keystone. @throws 403 */
function projectOf(call: ComputeCall, verb: string): string {
  const project = call.params['id']!;
  authorize(call, `os_compute_api:os-quota-sets:${verb}`, { project_id: project });
  return project;
}

const userOf = ({ query }: ComputeCall): string | undefined => query.first('user_id') || undefined;

const view = ({ version }: ComputeCall, limits: Limits): object =>
  Object.fromEntries(resourcesAt(version).map((name) => [name, limits[name]]));

export async function show(call: ComputeCall): Promise<Reply> {
  const project = projectOf(call, 'show');
  return ok({
    quota_set: { id: project, ...view(call, await limitsOf(call.db, project, userOf(call))) },
  });
}

export async function detail(call: ComputeCall): Promise<Reply> {
  const project = projectOf(call, 'detail');
  const limits = await limitsOf(call.db, project, userOf(call));
  const used = await usageOf(call.db, project, userOf(call));
  const entries = resourcesAt(call.version).map((name) => [
    name,
    { limit: limits[name], in_use: used[name], reserved: 0 },
  ]);
  return ok({ quota_set: { id: project, ...Object.fromEntries(entries) } });
}

export async function defaults(call: ComputeCall): Promise<Reply> {
  const project = projectOf(call, 'defaults');
  return ok({ quota_set: { id: project, ...view(call, await defaultsOf(call.db)) } });
}

type Body = {
  quota_set: Partial<Record<Resource, number | string>> & { force?: boolean | string };
};

export async function update(call: ComputeCall): Promise<Reply> {
  const project = projectOf(call, 'update');
  const user = userOf(call);
  const { force = false, ...fields } = (call.body as Body).quota_set;
  const limits = Object.entries(fields).map(([name, value]) => [name, atLeast(-1, name, value)]);
  const forced = boolFromString(String(force)) === true;
  await updateQuotas(
    call,
    { projectId: project, userId: user },
    Object.fromEntries(limits),
    forced,
  );
  return ok({ quota_set: view(call, await limitsOf(call.db, project, user)) });
}

export async function remove(call: ComputeCall): Promise<Reply> {
  await deleteQuotas(call, { projectId: projectOf(call, 'delete'), userId: userOf(call) });
  return accepted();
}
