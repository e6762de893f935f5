// Quota sets, limits, and the zone: what a project may have, and where.
import { ok, reply } from '../../../kernel/http/reply.ts';
import { badRequest } from '../../../kernel/fault.ts';
import { isTrue } from '../domain/list-query.ts';
import { defaultLimits, limitsOf, usageOf } from '../domain/quotas.ts';
import { zone } from '../domain/records.ts';
import { isDisabled, volumeService } from '../domain/services.ts';
import { deleteLimits, writeLimit } from '../store/quotas.ts';
import { allow, allows, bodyOf, isAdmin } from './requests.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { VolumeCall } from '../call.ts';

const rule = (name: string): string => `volume_extension:quotas:${name}`;

/** GET /v3/os-quota-sets/{target_project_id} */
export async function show(call: VolumeCall): Promise<Reply> {
  const id = call.params['target_project_id']!;
  allow(call, rule('show'), id);
  const limits = await limitsOf(call.db, id);
  if (!isTrue(call.query.last('usage'))) return ok({ quota_set: { ...Object.fromEntries(limits), id } });
  const usage = await usageOf(call.db, id);
  const full = [...limits].map(([name, limit]) => [name, { limit, in_use: usage.get(name) ?? 0, reserved: 0 }] as const);
  return ok({ quota_set: { ...Object.fromEntries(full), id } });
}

/** GET /v3/os-quota-sets/{target_project_id}/defaults */
export async function showDefaults(call: VolumeCall): Promise<Reply> {
  const id = call.params['target_project_id']!;
  allow(call, rule('show'), id);
  return ok({ quota_set: { ...Object.fromEntries(await defaultLimits(call.db)), id } });
}

const notLimits = ['id', 'tenant_id', 'project_id', 'force', 'skip_validation'];

/** PUT /v3/os-quota-sets/{target_project_id} */
export async function update(call: VolumeCall): Promise<Reply> {
  const id = call.params['target_project_id']!;
  const given = Object.entries(bodyOf(call, 'quota_set')).filter(([name]) => !notLimits.includes(name));
  const known = await defaultLimits(call.db);
  const limits = given.map(([name, value]) => [name, limitFrom(name, value, known)] as const);
  allow(call, rule('update'), id);
  if (id.length > 255) throw badRequest('quota_set_name has more than 255 characters.');
  const usage = await usageOf(call.db, id);
  for (const [name, limit] of limits) {
    const used = usage.get(name) ?? 0;
    if (limit !== -1 && limit < used)
      throw badRequest(
        `Quota ${name} limit must be equal or greater than existing resources. Current usage is ${used} and the requested limit is ${limit}.`,
      );
  }
  for (const [name, limit] of limits) await writeLimit(call.db, id, name, limit);
  return ok({ quota_set: Object.fromEntries(await limitsOf(call.db, id)) });
}

/** @throws 400 for a resource that nobody knows, or a limit that is none */
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
  allow(call, rule('delete'), id);
  await deleteLimits(call.db, id);
  return reply(200);
}

/** GET /v3/limits */
export async function showLimits(call: VolumeCall): Promise<Reply> {
  const { query, at } = call;
  const asked = at.has('3.39') && isAdmin(call) ? (query.last('project_id') ?? query.last('tenant_id')) : undefined;
  const id = asked ?? call.caller?.projectId ?? '';
  const limits = await limitsOf(call.db, id);
  const absolute = {
    maxTotalVolumeGigabytes: limits.get('gigabytes'),
    maxTotalBackupGigabytes: limits.get('backup_gigabytes'),
    maxTotalVolumes: limits.get('volumes'),
    maxTotalSnapshots: limits.get('snapshots'),
    maxTotalBackups: limits.get('backups'),
  };
  const usage = await usageOf(call.db, id);
  const used = {
    totalVolumesUsed: usage.get('volumes') ?? 0,
    totalGigabytesUsed: usage.get('gigabytes') ?? 0,
    totalSnapshotsUsed: usage.get('snapshots') ?? 0,
    totalBackupsUsed: 0,
    totalBackupGigabytesUsed: 0,
  };
  return ok({ limits: { rate: [], absolute: { ...absolute, ...(allows(call, 'limits_extension:used_limits') ? used : {}) } } });
}

/** GET /v3/os-availability-zone */
export async function listZones(call: VolumeCall): Promise<Reply> {
  const available = !(await isDisabled(call.db, volumeService));
  return ok({ availabilityZoneInfo: [{ zoneName: zone, zoneState: { available } }] });
}
