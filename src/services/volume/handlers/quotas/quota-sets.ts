// The handlers of quota sets: show, update, delete. Upstream: cinder/api/contrib/quotas.py.
import { badRequest } from '../../../../kernel/errors.ts';
import { ok, reply } from '../../../../kernel/http/reply.ts';
import type { Reply } from '../../../../kernel/model.ts';
import { isTrue } from '../../../../kernel/oslo/booleans.ts';
import type { VolumeCall } from '../../call.ts';
import {
  changeLimits,
  defaultLimits,
  limitsOf,
  removeLimits,
  usageOf,
} from '../../domain/quotas.ts';
import { authorize } from '../../policy.ts';
import { bodyOf } from '../requests/body.ts';

const rule = (name: string): string => `volume_extension:quotas:${name}`;

/** GET /v3/os-quota-sets/{target_project_id} */
export async function show(call: VolumeCall): Promise<Reply> {
  const id = call.params['target_project_id']!;
  authorize(call, rule('show'), id);
  const limits = await limitsOf(call, id);
  if (!isTrue(call.query.last('usage')))
    return ok({ quota_set: { ...Object.fromEntries(limits), id } });
  const usage = await usageOf(call, id);
  const full = [...limits].map(
    ([name, limit]) => [name, { limit, in_use: usage.get(name) ?? 0, reserved: 0 }] as const,
  );
  return ok({ quota_set: { ...Object.fromEntries(full), id } });
}

/** GET /v3/os-quota-sets/{target_project_id}/defaults */
export async function showDefaults(call: VolumeCall): Promise<Reply> {
  const id = call.params['target_project_id']!;
  authorize(call, rule('show'), id);
  return ok({ quota_set: { ...Object.fromEntries(await defaultLimits(call)), id } });
}

const notLimits = ['id', 'tenant_id', 'project_id', 'force', 'skip_validation'];

/** PUT /v3/os-quota-sets/{target_project_id} */
export async function update(call: VolumeCall): Promise<Reply> {
  const id = call.params['target_project_id']!;
  const entries = Object.entries(bodyOf(call, 'quota_set')).filter(
    ([name]) => !notLimits.includes(name),
  );
  const defaults = await defaultLimits(call);
  const limits = entries.map(([name, value]) => [name, limitFrom(name, value, defaults)] as const);
  authorize(call, rule('update'), id);
  await changeLimits(call, id, limits);
  return ok({ quota_set: Object.fromEntries(await limitsOf(call, id)) });
}

/** Reads a limit. @throws 400 for an unknown resource or an invalid value */
function limitFrom(name: string, value: unknown, defaults: ReadonlyMap<string, number>): number {
  if (!defaults.has(name)) throw badRequest(`Bad key(s) in quota set: ${name}`);
  const text = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : '';
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`${name} must be an integer.`);
  const limit = Number(text);
  if (limit < -1) throw badRequest(`${name} must be >= -1`);
  if (limit > 2_147_483_647) throw badRequest(`${name} must be <= 2147483647`);
  return limit;
}

/** DELETE /v3/os-quota-sets/{target_project_id} */
export async function remove(call: VolumeCall): Promise<Reply> {
  const id = call.params['target_project_id']!;
  authorize(call, rule('delete'), id);
  await removeLimits(call, id);
  return reply(200);
}
