// Checks the quotas of servers: instances, cores, ram, metadata items and injected files. Upstream:
// compute/utils.py, compute/api.py.
import { SerializationFailure } from '../../../../kernel/db/errors.ts';
import { Hints } from '../../../../kernel/db/kept/hints.ts';
import { acquireLock, acquireWithNext } from '../../../../kernel/db/transaction.ts';
import { conflict, forbidden, type ApiError } from '../../../../kernel/errors.ts';
import { sumServers } from '../../store/servers/servers.ts';
import { exceeds, limitsOf, type BothLimits, type Limits } from '../quotas.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { ServerFlavor } from '../../model.ts';

const resources = ['cores', 'instances', 'ram'] as const; // in the order of the error message

type Resource = (typeof resources)[number];
export type Amounts = Readonly<Record<Resource, number>>;

/** Sums what the servers of a project use, or those of a user in it. */
export type CountUsage = (userId?: string) => Promise<Amounts>;

/** The usage of a project in this region. */
export const usageIn =
  (db: Db, projectId: string): CountUsage =>
  (userId) =>
    sumServers(db, projectId, userId);

const lockOf = ({ actor }: Context): string => `compute.quota.${actor.projectId}`.slice(0, 100);

const contended = (): ApiError =>
  conflict('Others create servers of the project at the same time. Please try again.');

/**
 * Acquires the lock on a project's quotas, so that only one transaction at a time counts usage and
 * adds to it. It must be the first statement of the transaction.
 */
export const acquireQuotaLock = (context: Context): Promise<void> =>
  acquireWithNext(context.db, lockOf(context), contended);

/** The limits whose usage a new server adds to. */
const limitsOfServers = [...resources, 'server_group_members'] as const;

/** The projects and users without such limits. */
const unlimited = new Hints();

/**
 * Acquires the lock as `acquireQuotaLock`, unless the actor had no limits when this process read
 * them last: then concurrent requests need not wait for each other.
 * @returns a function to call with the limits that the transaction reads. It throws a
 *   SerializationFailure if they need the lock after all: the next attempt begins with it
 */
export async function acquireQuotaLockIfLimited(
  context: Context,
): Promise<(limits: BothLimits) => void> {
  const { db, attempt, actor } = context;
  const key = `${actor.projectId} ${actor.userId}`;
  const isLocked = attempt > 1 || !unlimited.has(db, key);
  if (isLocked) await acquireQuotaLock(context);
  return ({ project, user }) => {
    const isLimited = limitsOfServers.some((name) => project[name] >= 0 || user[name] >= 0);
    unlimited.note(db, key, !isLimited);
    if (isLimited && !isLocked)
      throw new SerializationFailure(contended(), (retried) =>
        acquireLock(retried, lockOf(context)),
      );
  };
}

/** The limits of a project or a user, with the current usage. */
interface Quota {
  readonly limits: Amounts;
  readonly used: Amounts;
}

/**
 * The quotas of the project, and those of the user if they differ. Quotas without any limit are
 * left out, and their usage is not counted.
 */
async function quotasOf(
  { project, user }: BothLimits,
  count: CountUsage,
  userId: string,
): Promise<Quota[]> {
  const quotas: Quota[] = [];
  const isLimited = (limits: Limits): boolean => resources.some((name) => limits[name] >= 0);
  if (isLimited(project)) quotas.push({ limits: project, used: await count() });
  if (isLimited(user) && resources.some((name) => user[name] !== project[name]))
    quotas.push({ limits: user, used: await count(userId) });
  return quotas;
}

/** The resources whose quota would be exceeded. */
const exceededBy = ({ limits, used }: Quota, more: Amounts): readonly Resource[] =>
  resources.filter((name) => more[name] > 0 && exceeds(limits[name], used[name], more[name]));

function quotaExceeded(
  { limits, used }: Quota,
  exceeded: readonly Resource[],
  requested: Readonly<Record<Resource, string | number>>,
): ApiError {
  const list = (of: (name: Resource) => string | number): string => exceeded.map(of).join(', ');
  const [names, usages] = [list((name) => name), list((name) => used[name])];
  return forbidden(
    `Quota exceeded for ${names}: Requested ${list((name) => requested[name])},` +
      ` but already used ${usages} of ${list((name) => limits[name])} ${names}`,
  );
}

export interface CountRequest {
  readonly userId: string;
  readonly flavor: Pick<ServerFlavor, 'vcpus' | 'ram'>;
  readonly least: number;
  readonly most: number;
}

/** The amounts that a number of servers use. */
export const amountsOf = (
  count: number,
  { vcpus, ram }: Pick<ServerFlavor, 'vcpus' | 'ram'>,
): Amounts => ({
  instances: count,
  cores: count * vcpus,
  ram: count * ram,
});

/** The number of further servers, each with the same amounts, that a quota allows. */
function countWithin({ limits, used }: Quota, each: Amounts): number {
  const counts = resources
    .filter((name) => each[name] > 0 && limits[name] >= 0)
    .map((name) => Math.floor((limits[name] - used[name]) / each[name]));
  return Math.min(...counts);
}

/**
 * The number of servers that the quotas allow, at most `most`.
 * @throws 403 if it is less than `least`
 */
export async function countAllowed(
  limits: BothLimits,
  count: CountUsage,
  { userId, flavor, least, most }: CountRequest,
): Promise<number> {
  const quotas = await quotasOf(limits, count, userId);
  const allowed = Math.min(
    most,
    ...quotas.map((quota) => countWithin(quota, amountsOf(1, flavor))),
  );
  if (allowed >= least) return allowed;
  const needed = amountsOf(least, flavor);
  const quota = quotas.find((candidate) => exceededBy(candidate, needed).length)!;
  const requested = {
    ...amountsOf(most, flavor),
    instances: least === most ? least : `${least}-${most}`,
  };
  throw quotaExceeded(quota, exceededBy(quota, needed), requested);
}

/** What a server needs in addition to grow into another flavor. */
export const growthOf = (
  from: Pick<ServerFlavor, 'vcpus' | 'ram'>,
  to: Pick<ServerFlavor, 'vcpus' | 'ram'>,
): Amounts => ({
  instances: 0,
  cores: Math.max(0, to.vcpus - from.vcpus),
  ram: Math.max(0, to.ram - from.ram),
});

/** Checks whether the quotas allow a server to grow. @throws 403 */
export async function checkGrowth(
  limits: BothLimits,
  count: CountUsage,
  userId: string,
  more: Amounts,
): Promise<void> {
  for (const quota of await quotasOf(limits, count, userId)) {
    const exceeded = exceededBy(quota, more);
    if (exceeded.length) throw quotaExceeded(quota, exceeded, more);
  }
}

/** @throws 403 if a request gives an image of a server too many properties */
export async function checkImageMetadata(
  db: Db,
  projectId: string,
  metadata: Readonly<Record<string, string>>,
): Promise<void> {
  const limit = (await limitsOf(db, projectId)).metadata_items;
  if (exceeds(limit, 0, Object.keys(metadata).length))
    throw forbidden('Image metadata limit exceeded');
}

/**
 * A file to inject into a server. The contents are in base64, and the quota limits their encoded
 * length. The emulator injects nothing, because its servers have no disks.
 */
export interface InjectedFile {
  readonly path: string;
  readonly contents: string;
}

/**
 * @throws 403 if there are too many files, or one is too large. Upstream:
 *   _check_injected_file_quota in compute/api.py
 */
export function checkFiles(limits: Limits, files: readonly InjectedFile[]): void {
  if (!files.length) return;
  if (exceeds(limits.injected_files, 0, files.length))
    throw forbidden('Personality file limit exceeded');
  const longest = (of: keyof InjectedFile): number =>
    Math.max(...files.map((file) => file[of].length));
  const { injected_file_path_bytes: paths, injected_file_content_bytes: contents } = limits;
  if (exceeds(paths, 0, longest('path')))
    throw forbidden(`Personality file path exceeds maximum ${paths}`);
  if (exceeds(contents, 0, longest('contents')))
    throw forbidden(`Personality file content exceeds maximum ${contents}`);
}

/** @throws 403 if a server would have too many items of metadata */
export function checkMetadata(
  { metadata_items: limit }: Limits,
  metadata: Readonly<Record<string, string>>,
): void {
  if (exceeds(limit, 0, Object.keys(metadata).length))
    throw forbidden(`Maximum number of metadata items exceeds ${limit}`);
}
