// Quotas of projects and of users in them: show, detail, defaults, update, delete.
import { accepted, ok } from '../../../kernel/http/reply.ts';
import { badRequest } from '../../../kernel/fault.ts';
import { authorize } from '../../../kernel/http/steps.ts';
import type { ComputeCall } from '../call.ts';
import { atLeast } from '../domain/numbers.ts';
import {
  boundsOf,
  defaultsOf,
  limitsOf,
  resourcesAt,
  usageOf,
  type Bounds,
  type Limits,
  type Resource,
} from '../domain/quotas.ts';
import { deleteQuotas, putQuotas } from '../store/quotas.ts';
import { boolOf } from './words.ts';
import type { Reply } from '../../../kernel/model.ts';

/** The project of the path. Upstream also asks Keystone whether there is one. @throws 403 */
function projectOf(call: ComputeCall, verb: string): string {
  const project = call.params['id']!;
  authorize(call, `os_compute_api:os-quota-sets:${verb}`, { project_id: project });
  return project;
}

const userOf = ({ query }: ComputeCall): string | undefined => query.first('user_id') || undefined;

const view = ({ at }: ComputeCall, limits: Limits): object =>
  Object.fromEntries(resourcesAt(at).map((name) => [name, limits[name]]));

export async function show(call: ComputeCall): Promise<Reply> {
  const project = projectOf(call, 'show');
  return ok({ quota_set: { id: project, ...view(call, await limitsOf(call.db, project, userOf(call))) } });
}

export async function detail(call: ComputeCall): Promise<Reply> {
  const project = projectOf(call, 'detail');
  const limits = await limitsOf(call.db, project, userOf(call));
  const used = await usageOf(call.db, project, userOf(call));
  const entries = resourcesAt(call.at).map((name) => [name, { limit: limits[name], in_use: used[name], reserved: 0 }]);
  return ok({ quota_set: { id: project, ...Object.fromEntries(entries) } });
}

export async function defaults(call: ComputeCall): Promise<Reply> {
  const project = projectOf(call, 'defaults');
  return ok({ quota_set: { id: project, ...view(call, await defaultsOf(call.db)) } });
}

type Body = { quota_set: Partial<Record<Resource, number | string>> & { force?: boolean | string } };

export async function update(call: ComputeCall): Promise<Reply> {
  const project = projectOf(call, 'update');
  const user = userOf(call);
  const { force = false, ...given } = (call.body as Body).quota_set;
  const values = Object.entries(given).map(([name, value]) => [name as Resource, atLeast(-1, name, value)] as const);
  if (boolOf(String(force)) !== true) {
    const bounds = await boundsOf(call.db, project, user);
    for (const [name, value] of values) check(name, value, bounds[name]);
  }
  await putQuotas(call.db, project, user ?? '', Object.fromEntries(values));
  return ok({ quota_set: view(call, await limitsOf(call.db, project, user)) });
}

const unlimited = (value: number): number => (value < 0 ? Infinity : value);

/** @throws 400 */
function check(name: Resource, value: number, { least, most }: Bounds): void {
  const refuse = (bound: string) => badRequest(`Quota limit ${value} for ${name} must be ${bound}.`);
  if (unlimited(value) < unlimited(least)) throw refuse(`greater than or equal to already used and reserved ${least}`);
  if (unlimited(value) > unlimited(most)) throw refuse(`less than or equal to ${most}`);
}

export async function remove(call: ComputeCall): Promise<Reply> {
  await deleteQuotas(call.db, projectOf(call, 'delete'), userOf(call));
  return accepted();
}
