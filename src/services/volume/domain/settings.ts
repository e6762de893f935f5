// The settings of Volume, which an operator can change at runtime. Upstream reads them from
// cinder.conf.
import type { Db } from '../../../kernel/db/database.ts';
import {
  booleanSetting,
  integerSetting,
  ServiceSettings,
  type SettingDeclaration,
} from '../../../kernel/contract/service-settings.ts';
import type { PageLimits } from '../../../kernel/oslo/paging.ts';

/** Declares a default quota. -1 is unlimited. */
const quota = (upstream: string, limit: number, help: string): SettingDeclaration<number> =>
  integerSetting({ default: limit, minimum: -1, upstream: `[DEFAULT] ${upstream}`, help });

const ofProject = 'of a project without a quota of its own; -1 for unlimited.';

export const volumeSettings = new ServiceSettings('volume', {
  osapiMaxLimit: integerSetting({
    default: 1000,
    minimum: 1,
    upstream: '[DEFAULT] osapi_max_limit',
    help: 'The largest page of a list, and the page of a request without a limit.',
  }),
  allowAvailabilityZoneFallback: booleanSetting({
    default: false,
    upstream: '[DEFAULT] allow_availability_zone_fallback',
    help: 'Whether a volume in an unknown zone is created in the default zone, instead of 400.',
  }),
  noSnapshotGbQuota: booleanSetting({
    default: false,
    upstream: '[DEFAULT] no_snapshot_gb_quota',
    help: 'Whether snapshots do not count towards the quota of gigabytes.',
  }),
  quotaVolumes: quota('quota_volumes', 10, `The most volumes ${ofProject}`),
  quotaSnapshots: quota('quota_snapshots', 10, `The most snapshots ${ofProject}`),
  quotaGigabytes: quota(
    'quota_gigabytes',
    1000,
    `The most GiB of volumes and snapshots ${ofProject}`,
  ),
  perVolumeSizeLimit: quota('per_volume_size_limit', -1, `The largest volume in GiB ${ofProject}`),
  quotaBackups: quota('quota_backups', 10, `The most backups ${ofProject}`),
  quotaBackupGigabytes: quota(
    'quota_backup_gigabytes',
    1000,
    `The most GiB of backups ${ofProject}`,
  ),
  quotaGroups: quota('quota_groups', 10, `The most groups ${ofProject}`),
});

interface InDatabase {
  readonly db: Db;
}

/** The limits by resource of a project for which none were set. */
export async function configuredLimits({ db }: InDatabase): Promise<Record<string, number>> {
  const settings = await volumeSettings.load(db);
  return {
    volumes: settings.quotaVolumes,
    per_volume_gigabytes: settings.perVolumeSizeLimit,
    snapshots: settings.quotaSnapshots,
    gigabytes: settings.quotaGigabytes,
    backups: settings.quotaBackups,
    backup_gigabytes: settings.quotaBackupGigabytes,
    groups: settings.quotaGroups,
  };
}

/** The number of rows in a page. Upstream: cinder/api/common.py. */
export async function pageLimitsOf({ db }: InDatabase): Promise<PageLimits> {
  const { osapiMaxLimit: max } = await volumeSettings.load(db);
  return { default: max, max };
}
