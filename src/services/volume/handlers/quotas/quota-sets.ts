// Quota sets, limits and availability zones. Upstream: cinder/api/contrib/quotas.py,
// cinder/api/v3/limits.py.
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
import { zone } from '../../model.ts';
import { isDisabled, volumeService } from '../../domain/backend/services.ts';
import { authorize, may } from '../../policy.ts';
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
  const given = Object.entries(bodyOf(call, 'quota_set')).filter(
    ([name]) => !notLimits.includes(name),
  );
  const known = await defaultLimits(call);
  const limits = given.map(([name, value]) => [name, limitFrom(name, value, known)] as const);
  authorize(call, rule('update'), id);
  await changeLimits(call, id, limits);
  return ok({ quota_set: Object.fromEntries(await limitsOf(call, id)) });
}

/** @throws 400 for an unknown resource, or a value that is not a limit */
function limitFrom(name: string, value: unknown, known: ReadonlyMap<string, number>): number {
  if (!known.has(name)) throw badRequest(`Bad key(s) in quota set: ${name}`);
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

/** GET /v3/limits */
export async function showLimits(call: VolumeCall): Promise<Reply> {
  const { query, version, actor } = call;
  const named =
    version.has('3.39') && actor.isAdmin
      ? (query.last('project_id') ?? query.last('tenant_id'))
      : undefined;
  const id = named ?? actor.projectId ?? '';
  const limits = await limitsOf(call, id);
  const absolute = {
    maxTotalVolumeGigabytes: limits.get('gigabytes'),
    maxTotalBackupGigabytes: limits.get('backup_gigabytes'),
    maxTotalVolumes: limits.get('volumes'),
    maxTotalSnapshots: limits.get('snapshots'),
    maxTotalBackups: limits.get('backups'),
  };
  const usage = await usageOf(call, id);
  const used = {
    totalVolumesUsed: usage.get('volumes') ?? 0,
    totalGigabytesUsed: usage.get('gigabytes') ?? 0,
    totalSnapshotsUsed: usage.get('snapshots') ?? 0,
    totalBackupsUsed: 0,
    totalBackupGigabytesUsed: 0,
  };
  return ok({
    limits: {
      rate: [],
      absolute: { ...absolute, ...(may(call, 'limits_extension:used_limits') ? used : {}) },
    },
  });
}

/** GET /v3/os-availability-zone */
export async function listZones(call: VolumeCall): Promise<Reply> {
  const available = !(await isDisabled(call, volumeService));
  return ok({ availabilityZoneInfo: [{ zoneName: zone, zoneState: { available } }] });
}
