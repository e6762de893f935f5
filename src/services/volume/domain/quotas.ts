// The rules of quotas: the limits of projects, their usage, and the check of a request.
import { tryAcquireLock, acquireLock } from '../../../kernel/db/transaction.ts';
import { badRequest, conflict } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import {
  classLimits,
  deleteLimits,
  projectLimits,
  sumsByType,
  writeClassLimit,
  writeLimit,
} from '../store/quotas.ts';
import { countBackups } from '../store/backups.ts';
import { countGroups } from '../store/groups.ts';
import type { CountAndSize } from '../store/lists.ts';
import { listTypeNames } from '../store/types.ts';
import { invalidInput, overQuota } from './errors.ts';
import { configuredLimits, volumeSettings } from './settings.ts';

/** Limits by resource. -1 means unlimited. */
export type Limits = Map<string, number>;

/**
 * Returns the limits of a project for which no limits were set: those of the class `default`, or
 * else of the settings. Each volume type has three resources.
 */
export async function defaultLimits({ db }: Context): Promise<Limits> {
  const ofTypes = (await listTypeNames(db)).flatMap((name) =>
    ['volumes', 'gigabytes', 'snapshots'].map((resource) => [`${resource}_${name}`, -1] as const),
  );
  return overridden(
    new Map([...Object.entries(await configuredLimits({ db })), ...ofTypes]),
    await classLimits(db, 'default'),
  );
}

/** Overrides limits by others, and ignores those of unknown resources, such as deleted types. */
function overridden(limits: Limits, others: Limits): Limits {
  return new Map([...limits].map(([resource, limit]) => [resource, others.get(resource) ?? limit]));
}

/** Returns the limits of a project. */
export const limitsOf = async (context: Context, projectId: string): Promise<Limits> =>
  overridden(await defaultLimits(context), await projectLimits(context.db, projectId));

/** Returns the limits of a quota class. */
export const limitsOfClass = async (context: Context, name: string): Promise<Limits> =>
  overridden(await defaultLimits(context), await classLimits(context.db, name));

/** Returns the usage of a project by resource, including the resources of volume types. */
export async function usageOf(context: Context, projectId: string): Promise<Map<string, number>> {
  const usage = await volumeUsageOf(context, projectId);
  const backups = await backupUsageOf(context, projectId);
  return usage
    .set('backups', backups.count)
    .set('backup_gigabytes', backups.size)
    .set('groups', await countGroups(context.db, projectId));
}

/** The number and the total size of the backups of a project. */
const backupUsageOf = ({ db }: Context, projectId: string): Promise<CountAndSize> =>
  countBackups(db, { projectId, conditions: [], metadata: {} });

/** Returns what a new volume or snapshot adds to: the volumes, snapshots and gigabytes. */
async function volumeUsageOf({ db }: Context, projectId: string): Promise<Map<string, number>> {
  const usage = new Map<string, number>(
    ['volumes', 'snapshots', 'gigabytes'].map((name) => [name, 0]),
  );
  const add = (name: string, amount: number): unknown =>
    usage.set(name, (usage.get(name) ?? 0) + amount);
  const sums = [
    ['volumes', await sumsByType(db, 'volume_volumes', projectId)],
    ['snapshots', await sumsByType(db, 'volume_snapshots', projectId)],
  ] as const;
  for (const [name, rows] of sums) {
    const isFree =
      name === 'snapshots' && rows.length > 0 && (await volumeSettings.load(db)).noSnapshotGbQuota;
    for (const { typeName, count, size } of rows) {
      for (const suffix of ['', `_${typeName}`]) {
        add(name + suffix, count);
        if (!isFree) add(`gigabytes${suffix}`, size);
      }
    }
  }
  return usage;
}

/** Sets limits of a project. @throws 400 if its name is too long, or a limit is below the usage */
export async function changeLimits(
  context: Context,
  projectId: string,
  limits: readonly (readonly [string, number])[],
): Promise<void> {
  if (projectId.length > 255) throw badRequest('quota_set_name has more than 255 characters.');
  checkAboveUsage(limits, await usageOf(context, projectId));
  for (const [name, limit] of limits) await writeLimit(context.db, projectId, name, limit);
}

/** @throws 400 if a limit is below the usage */
export function checkAboveUsage(
  limits: readonly (readonly [string, number])[],
  usage: ReadonlyMap<string, number>,
): void {
  for (const [name, limit] of limits) {
    const used = usage.get(name) ?? 0;
    if (limit !== -1 && limit < used)
      throw badRequest(
        `Quota ${name} limit must be equal or greater than existing resources. Current usage ` +
          `is ${used} and the requested limit is ${limit}.`,
      );
  }
}

/** Deletes the limits of a project, which then has the default limits. */
export const removeLimits = ({ db }: Context, projectId: string): Promise<void> =>
  deleteLimits(db, projectId);

/** Sets limits of a quota class. @throws 400 if its name is too long */
export async function changeClassLimits(
  { db }: Context,
  name: string,
  limits: readonly (readonly [string, number])[],
): Promise<void> {
  if (name.length > 255) throw invalidInput('quota_class_name has more than 255 characters.');
  for (const [resource, limit] of limits) await writeClassLimit(db, name, resource, limit);
}

/** Resources that a request adds to the usage of a project. */
export interface Reservation {
  readonly projectId: string;
  readonly typeName: string;
  readonly volumes?: number;
  readonly snapshots?: number;
  /** GiB. */
  readonly gigabytes: number;
  /** The size of the volume in GiB, for the limit `per_volume_gigabytes`. */
  readonly volumeSize?: number;
  /** Checks only the resources of the volume type, for a volume that the project already has. */
  readonly typeOnly?: boolean;
}

/** The database lock of transactions that reserve quota, and of all requests that write. */
export const quotaLock = 'volume.quota';

/**
 * Makes transactions that reserve quota run one at a time. It must be the first statement of a
 * transaction.
 */
export const acquireQuotaLock = ({ db }: Pick<Context, 'db'>): Promise<void> =>
  acquireLock(db, quotaLock);

/**
 * Acquires the same lock later in a transaction, for a volume that a server needs.
 * @throws SerializationFailure if a transaction that this one cannot see has held the lock
 */
export const tryAcquireQuotaLock = ({ db }: Pick<Context, 'db'>): Promise<void> =>
  tryAcquireLock(db, quotaLock, () =>
    conflict('The quota is being used by others at the same time. Please try again.'),
  );

/**
 * Checks that a project stays within its limits. It counts the usage from the resources, so it
 * writes nothing.
 * @throws 413
 */
export async function reserveQuota(context: Context, reservation: Reservation): Promise<void> {
  const { projectId } = reservation;
  const limits = await limitsOf(context, projectId);
  checkQuota(limits, await volumeUsageOf(context, projectId), reservation);
}

/** Checks that a project may have another backup of a size in GiB. @throws 413 */
export async function reserveBackup(
  context: Context,
  projectId: string,
  size: number,
): Promise<void> {
  const limits = await limitsOf(context, projectId);
  const used = await backupUsageOf(context, projectId);
  const [most, gigabytes] = [limits.get('backups')!, limits.get('backup_gigabytes')!];
  if (gigabytes >= 0 && used.size + size > gigabytes)
    throw overQuota(
      `Requested backup exceeds allowed Backup gigabytes quota. Requested ${size}G, quota is ` +
        `${gigabytes}G and ${used.size}G has been consumed.`,
    );
  if (most >= 0 && used.count >= most)
    throw overQuota(`Maximum number of backups allowed (${most}) exceeded`);
}

/** Checks that a project may have another group. @throws 413 */
export async function reserveGroup(context: Context, projectId: string): Promise<void> {
  const limit = (await limitsOf(context, projectId)).get('groups')!;
  if (limit >= 0 && (await countGroups(context.db, projectId)) >= limit)
    throw overQuota(`Maximum number of groups allowed (${limit}) exceeded`);
}

/** Checks that a project with this usage stays within these limits. @throws 413 */
export function checkQuota(
  limits: ReadonlyMap<string, number>,
  usage: ReadonlyMap<string, number>,
  reservation: Omit<Reservation, 'projectId'>,
): void {
  const {
    typeName,
    volumes = 0,
    snapshots = 0,
    gigabytes,
    volumeSize = 0,
    typeOnly = false,
  } = reservation;
  const largest = limits.get('per_volume_gigabytes')!;
  if (largest >= 0 && volumeSize > largest)
    throw overQuota(
      `Requested volume size ${volumeSize}G is larger than maximum allowed limit ${largest}G.`,
    );
  for (const suffix of typeOnly ? [`_${typeName}`] : ['', `_${typeName}`]) {
    const exceeds = (name: string, more: number): boolean => {
      const limit = limits.get(name + suffix) ?? -1;
      return more > 0 && limit >= 0 && (usage.get(name + suffix) ?? 0) + more > limit;
    };
    const limit = (name: string): number => limits.get(name + suffix)!;
    if (exceeds('gigabytes', gigabytes))
      throw overQuota(
        `Requested volume or snapshot exceeds allowed gigabytes${suffix} quota. Requested ` +
          `${gigabytes}G, quota is ${limit('gigabytes')}G and ` +
          `${usage.get(`gigabytes${suffix}`) ?? 0}G has been consumed.`,
      );
    if (exceeds('volumes', volumes))
      throw overQuota(
        `Maximum number of volumes allowed (${limit('volumes')}) exceeded for quota ` +
          `'volumes${suffix}'.`,
      );
    if (exceeds('snapshots', snapshots))
      throw overQuota(`Maximum number of snapshots allowed (${limit('snapshots')}) exceeded`);
  }
}
