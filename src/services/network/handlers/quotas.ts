// Quotas of projects. Upstream: neutron/extensions/quotasv2.py and quotasv2_detail.py.
import { noContent, ok } from '../../../kernel/http/reply.ts';
import { range, type Check } from '../domain/attributes/checks.ts';
import { toBoolean, toInteger } from '../domain/attributes/convert.ts';
import { counted, quotaOf, usualQuotas } from '../domain/quotas.ts';
import { absent, bad, badInput, denied } from '../domain/refusals.ts';
import { allQuotas, countOf, dropQuotas, setQuota } from '../store/quotas.ts';
import { actorOf, enforce } from './requests.ts';
import type { Call, Reply } from '../../../kernel/model.ts';

/** A project's own quota is its own to see; others' are a matter of rules. */
function mayRead(call: Call, id: string): void {
  if (id !== call.caller?.projectId) enforce(call, ['get_quota'], { project_id: id, tenant_id: id });
}

/** GET /v2.0/quotas: of the projects that have quotas of their own */
export async function list(call: Call): Promise<Reply> {
  enforce(call, ['get_quota'], {});
  const own = await allQuotas(call.db);
  const quotas = [...own].map(([id, amounts]) => ({
    ...usualQuotas(),
    ...Object.fromEntries(amounts),
    project_id: id,
    tenant_id: id,
  }));
  return ok({ quotas });
}

/** GET /v2.0/quotas/{project_id} */
export async function show(call: Call): Promise<Reply> {
  const id = call.params['project_id']!;
  mayRead(call, id);
  return ok({ quota: await quotaOf(call.db, id) });
}

/** GET /v2.0/quotas/{project_id}/default */
export function showDefault(call: Call): Reply {
  mayRead(call, call.params['project_id']!);
  return ok({ quota: usualQuotas() });
}

/** GET /v2.0/quotas/{project_id}/details */
export async function showDetails(call: Call): Promise<Reply> {
  const id = call.params['project_id']!;
  if (id !== call.caller?.projectId && !actorOf(call).isAdmin) {
    throw denied(
      'AdminRequired',
      'User does not have admin privileges: Only admin is authorized to access quotas for another project.',
    );
  }
  const details: Record<string, object> = {};
  for (const [name, limit] of Object.entries(await quotaOf(call.db, id))) {
    details[name] = { limit, used: await countOf(call.db, counted[name]!.table, id), reserved: 0 };
  }
  return ok({ quota: details });
}

/** GET /v2.0/quotas/tenant and /v2.0/quotas/project: the project of the token */
const projectOf =
  (name: 'tenant' | 'project') =>
  (call: Call): Reply => {
    const id = call.caller?.projectId;
    if (id === undefined) throw bad('QuotaMissingTenant', 'Tenant-id was missing from quota request.');
    return ok({ [name]: { [`${name}_id`]: id } });
  };

export const showTenant = projectOf('tenant');
export const showProject = projectOf('project');

const amount: Check = range(-1, 2147483647);

/** PUT /v2.0/quotas/{project_id} */
export async function update(call: Call): Promise<Reply> {
  const id = call.params['project_id']!;
  enforce(call, ['update_quota'], { project_id: id, tenant_id: id });
  const { force, amounts } = sentQuota(call.body);
  for (const [name, limit] of amounts) {
    if (force || limit < 0) continue;
    const used = await countOf(call.db, counted[name]!.table, id);
    if (used > limit) throw badInput(`Quota limit ${limit} for ${name} must be greater than or equal to already used ${used}`);
  }
  for (const [name, limit] of amounts) await setQuota(call.db, id, name, limit);
  return ok({ quota: await quotaOf(call.db, id) });
}

/** What a body may have that is no amount. */
const besides = ['force', 'check_limit', 'project_id', 'tenant_id'];

/** @throws 400 */
function sentQuota(body: unknown): { force: boolean; amounts: readonly (readonly [string, number])[] } {
  const isMap = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const sent = isMap(body) ? body['quota'] : undefined;
  if (!isMap(body)) throw badInput('Body contains invalid data');
  if (sent === undefined || sent === null) throw badInput("Unable to find 'quota' in request body");
  if (!isMap(sent)) throw badInput("Object 'quota' contains invalid data");
  const rest = Object.fromEntries(Object.entries(sent).filter(([name]) => !besides.includes(name)));
  const unknown = Object.keys(rest).filter((name) => !Object.hasOwn(counted, name));
  if (unknown.length) throw badInput(`Unrecognized attribute(s) '${unknown.join(', ')}'`);
  const amounts = Object.entries(rest).map(([name, value]) => {
    const number = toInteger(value);
    const wrong = amount(number);
    if (wrong !== undefined) throw badInput(`Invalid input for ${name}. Reason: ${wrong}.`);
    return [name, number] as const;
  });
  return { force: toBoolean(sent['force'] ?? false), amounts };
}

/** DELETE /v2.0/quotas/{project_id}: back to the usual */
export async function remove(call: Call): Promise<Reply> {
  const id = call.params['project_id']!;
  enforce(call, ['delete_quota'], { project_id: id, tenant_id: id });
  if (!(await dropQuotas(call.db, id))) throw absent('TenantQuotaNotFound', `Quota for project ${id} could not be found.`);
  return noContent();
}
