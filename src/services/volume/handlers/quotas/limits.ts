// The handler of limits, which also shows the usage. Upstream: cinder/api/v3/limits.py.
import { ok } from '../../../../kernel/http/reply.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { VolumeCall } from '../../call.ts';
import { limitsOf, usageOf } from '../../domain/quotas.ts';
import { may } from '../../policy.ts';

/** GET /v3/limits */
export async function show(call: VolumeCall): Promise<Reply> {
  const { query, version, actor } = call;
  const projectInQuery =
    version.has('3.39') && actor.isAdmin
      ? (query.last('project_id') ?? query.last('tenant_id'))
      : undefined;
  const id = projectInQuery ?? actor.projectId ?? '';
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
    totalBackupsUsed: usage.get('backups') ?? 0,
    totalBackupGigabytesUsed: usage.get('backup_gigabytes') ?? 0,
  };
  return ok({
    limits: {
      rate: [],
      absolute: { ...absolute, ...(may(call, 'limits_extension:used_limits') ? used : {}) },
    },
  });
}
