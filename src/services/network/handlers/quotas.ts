// Quotas of projects. Upstream: neutron/extensions/quotasv2.py and quotasv2_detail.py.
import { noContent, ok } from '../../../kernel/http/reply.ts';
import { range, type Check } from '../domain/attributes/checks.ts';
import { toBoolean, toInteger } from '../domain/attributes/convert.ts';
import {
  changeQuota,
  defaultQuota,
  deleteQuota,
  hasQuota,
  quotaDetails,
  quotaOf,
} from '../domain/quotas.ts';
import { bad, badInput, denied } from '../domain/refusals.ts';
import { allQuotas } from '../store/quotas.ts';
import { enforce } from './requests.ts';
import type { Call, Reply } from '../../../kernel/model.ts';

/** A project may see its own quota; seeing another's requires the policy rule. @throws 403 */
function mayRead(call: Call, id: string): void {
  if (id !== call.actor.projectId) enforce(call, ['get_quota'], { project_id: id, tenant_id: id });
}

/** GET /v2.0/quotas: the quotas of projects that differ from the defaults */
export async function list(call: Call): Promise<Reply> {
  enforce(call, ['get_quota'], {});
  const own = await allQuotas(call.db);
  const defaults = await defaultQuota(call);
  const quotas = [...own].map(([id, limits]) => ({
    ...defaults,
    ...Object.fromEntries(limits),
    project_id: id,
    tenant_id: id,
  }));
  return ok({ quotas });
}

/** GET /v2.0/quotas/{project_id} */
export async function show(call: Call): Promise<Reply> {
  const id = call.params['project_id']!;
  mayRead(call, id);
  return ok({ quota: await quotaOf(call, id) });
}

/** GET /v2.0/quotas/{project_id}/default */
export async function showDefault(call: Call): Promise<Reply> {
  mayRead(call, call.params['project_id']!);
  return ok({ quota: await defaultQuota(call) });
}

/** GET /v2.0/quotas/{project_id}/details */
export async function showDetails(call: Call): Promise<Reply> {
  const id = call.params['project_id']!;
  if (id !== call.actor.projectId && !call.actor.isAdmin) {
    throw denied(
      'AdminRequired',
      'User does not have admin privileges: Only admin is authorized to access quotas for ' +
        'another project.',
    );
  }
  return ok({ quota: await quotaDetails(call, id) });
}

/** GET /v2.0/quotas/tenant and /v2.0/quotas/project: the project of the token */
const projectOf =
  (name: 'tenant' | 'project') =>
  (call: Call): Reply => {
    const id = call.actor.projectId;
    if (id === undefined)
      throw bad('QuotaMissingTenant', 'Tenant-id was missing from quota request.');
    return ok({ [name]: { [`${name}_id`]: id } });
  };

export const showTenant = projectOf('tenant');
export const showProject = projectOf('project');

const limit: Check = range(-1, 2147483647);

/** PUT /v2.0/quotas/{project_id} */
export async function update(call: Call): Promise<Reply> {
  const id = call.params['project_id']!;
  enforce(call, ['update_quota'], { project_id: id, tenant_id: id });
  const { force, limits } = sentQuota(call.body);
  await changeQuota(call, id, limits, force);
  return ok({ quota: await quotaOf(call, id) });
}

/** The keys that a body may contain besides limits. */
const besides = ['force', 'check_limit', 'project_id', 'tenant_id'];

/** Reads the limits in a body. @throws 400 */
function sentQuota(body: unknown): {
  force: boolean;
  limits: readonly (readonly [string, number])[];
} {
  const isMap = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const sent = isMap(body) ? body['quota'] : undefined;
  if (!isMap(body)) throw badInput('Body contains invalid data');
  if (sent === undefined || sent === null) throw badInput("Unable to find 'quota' in request body");
  if (!isMap(sent)) throw badInput("Object 'quota' contains invalid data");
  const rest = Object.fromEntries(Object.entries(sent).filter(([name]) => !besides.includes(name)));
  const unknown = Object.keys(rest).filter((name) => !hasQuota(name));
  if (unknown.length) throw badInput(`Unrecognized attribute(s) '${unknown.join(', ')}'`);
  const limits = Object.entries(rest).map(([name, value]) => {
    const number = toInteger(value);
    const problem = limit(number);
    if (problem !== undefined) throw badInput(`Invalid input for ${name}. Reason: ${problem}.`);
    return [name, number] as const;
  });
  return { force: toBoolean(sent['force'] ?? false), limits };
}

/** DELETE /v2.0/quotas/{project_id}: resets a project to the default quotas */
export async function remove(call: Call): Promise<Reply> {
  const id = call.params['project_id']!;
  enforce(call, ['delete_quota'], { project_id: id, tenant_id: id });
  await deleteQuota(call, id);
  return noContent();
}
