// Quotas: how much a project may have, and whether it still may.
import { takeTurn } from '../../../kernel/db/transaction.ts';
import { classLimits, setLimits, sumsByType } from '../store/quotas.ts';
import { typeNames } from '../store/types.ts';
import { overQuota } from './refusals.ts';
import type { Db } from '../../../kernel/db/database.ts';

const usual: Readonly<Record<string, number>> = {
  volumes: 10,
  per_volume_gigabytes: -1,
  snapshots: 10,
  gigabytes: 1000,
  backups: 10,
  backup_gigabytes: 1000,
  groups: 10,
};

/** The limits of a project that nobody has set any for; each type has three of its own. */
export async function defaultLimits(db: Db): Promise<Map<string, number>> {
  const ofTypes = (await typeNames(db)).flatMap((name) =>
    ['volumes', 'gigabytes', 'snapshots'].map((what) => [`${what}_${name}`, -1] as const),
  );
  const limits = new Map([...Object.entries(usual), ...ofTypes]);
  for (const [resource, limit] of await classLimits(db, 'default')) if (limits.has(resource)) limits.set(resource, limit);
  return limits;
}

/** The limits of a project. */
export async function limitsOf(db: Db, projectId: string): Promise<Map<string, number>> {
  const limits = await defaultLimits(db);
  for (const [resource, limit] of await setLimits(db, projectId)) if (limits.has(resource)) limits.set(resource, limit);
  return limits;
}

/** How much a project has of each resource. */
export async function usageOf(db: Db, projectId: string): Promise<Map<string, number>> {
  const usage = new Map<string, number>(['volumes', 'snapshots', 'gigabytes'].map((name) => [name, 0]));
  const add = (name: string, amount: number): unknown => usage.set(name, (usage.get(name) ?? 0) + amount);
  const sums = [
    ['volumes', await sumsByType(db, 'volume_volumes', projectId)],
    ['snapshots', await sumsByType(db, 'volume_snapshots', projectId)],
  ] as const;
  for (const [name, rows] of sums) {
    for (const { typeName, count, size } of rows) {
      for (const suffix of ['', `_${typeName}`]) {
        add(name + suffix, count);
        add(`gigabytes${suffix}`, size);
      }
    }
  }
  return usage;
}

/** What is to be added to what a project has. */
export interface Wanted {
  readonly projectId: string;
  readonly typeName: string;
  readonly volumes?: number;
  readonly snapshots?: number;
  readonly gigabytes: number;
  /** The size that the volume will have, where there is a limit to that. */
  readonly volumeSize?: number;
  /** Whether the project has it already, and only of another type. */
  readonly ofTypeOnly?: boolean;
}

/** Lets the claims of a project happen one after the other: first thing in the transaction. */
export const takeQuotaTurn = (db: Db): Promise<void> => takeTurn(db, 'volume.quota');

/** @throws 413 where the project may not have so much more */
export async function claim(db: Db, wanted: Wanted): Promise<void> {
  const { projectId, typeName, volumes = 0, snapshots = 0, gigabytes, volumeSize = 0, ofTypeOnly = false } = wanted;
  const limits = await limitsOf(db, projectId);
  const largest = limits.get('per_volume_gigabytes')!;
  if (largest >= 0 && volumeSize > largest)
    throw overQuota(`Requested volume size ${volumeSize}G is larger than maximum allowed limit ${largest}G.`);
  const usage = await usageOf(db, projectId);
  for (const suffix of ofTypeOnly ? [`_${typeName}`] : ['', `_${typeName}`]) {
    const over = (name: string, more: number): boolean => {
      const limit = limits.get(name + suffix) ?? -1;
      return more > 0 && limit >= 0 && (usage.get(name + suffix) ?? 0) + more > limit;
    };
    const limit = (name: string): number => limits.get(name + suffix)!;
    if (over('gigabytes', gigabytes))
      throw overQuota(
        `Requested volume or snapshot exceeds allowed gigabytes${suffix} quota. Requested ${gigabytes}G, quota is ${limit('gigabytes')}G and ${usage.get(`gigabytes${suffix}`) ?? 0}G has been consumed.`,
      );
    if (over('volumes', volumes))
      throw overQuota(`Maximum number of volumes allowed (${limit('volumes')}) exceeded for quota 'volumes${suffix}'.`);
    if (over('snapshots', snapshots)) throw overQuota(`Maximum number of snapshots allowed (${limit('snapshots')}) exceeded`);
  }
}
