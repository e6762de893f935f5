// The quotas of servers: instances, cores, ram and metadata items. Upstream: compute/utils.py,
// compute/api.py.
import { acquireLock } from '../../../../kernel/db/transaction.ts';
import { forbidden, type ApiError } from '../../../../kernel/errors.ts';
import { sumServers } from '../../store/servers/servers.ts';
import { bothLimitsOf, exceeds, limitsOf, type BothLimits, type Limits } from '../quotas.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { ServerFlavor } from '../../model.ts';

type Taken = Readonly<Record<'instances' | 'cores' | 'ram', number>>;

const resources = ['cores', 'instances', 'ram'] as const; // in the order of the message

/**
 * Lets one transaction at a time count and then use a project's quotas. It must be the first
 * statement of the transaction.
 */
export const acquireQuotaLock = ({ db, actor }: Context): Promise<void> =>
  acquireLock(db, `compute.quota.${actor.projectId}`.slice(0, 100));

interface Frame {
  readonly limits: Taken;
  readonly used: Taken;
}

/**
 * The limits of the project, and those of the user where they are narrower, each with what is used
 * of them. What has no limit is not counted.
 */
async function framesOf(
  db: Db,
  { project, user }: BothLimits,
  projectId: string,
  userId: string,
): Promise<Frame[]> {
  const frames: Frame[] = [];
  const isLimited = (limits: Limits): boolean => resources.some((name) => limits[name] >= 0);
  if (isLimited(project)) frames.push({ limits: project, used: await sumServers(db, projectId) });
  if (isLimited(user) && resources.some((name) => user[name] !== project[name]))
    frames.push({ limits: user, used: await sumServers(db, projectId, userId) });
  return frames;
}

const over = ({ limits, used }: Frame, more: Taken): readonly (typeof resources)[number][] =>
  resources.filter((name) => more[name] > 0 && exceeds(limits[name], used[name], more[name]));

function refusal(
  { limits, used }: Frame,
  over: readonly (typeof resources)[number][],
  requested: Readonly<Record<string, string | number>>,
): ApiError {
  const list = (of: (name: (typeof resources)[number]) => string | number): string =>
    over.map(of).join(', ');
  return forbidden(
    `Quota exceeded for ${list((name) => name)}: Requested ${list((name) => requested[name]!)},` +
      ` but already used ${list((name) => used[name])} of ${list((name) => limits[name])} ${list((name) => name)}`,
  );
}

export interface Wanted {
  readonly projectId: string;
  readonly userId: string;
  readonly flavor: ServerFlavor;
  readonly least: number;
  readonly most: number;
}

const times = (count: number, { vcpus, ram }: ServerFlavor): Taken => ({
  instances: count,
  cores: count * vcpus,
  ram: count * ram,
});

/** How many more servers that each take so much fit into a limit. */
function room({ limits, used }: Frame, each: Taken): number {
  const rooms = resources
    .filter((name) => each[name] > 0 && limits[name] >= 0)
    .map((name) => Math.floor((limits[name] - used[name]) / each[name]));
  return Math.min(...rooms);
}

/** How many servers may be made, at most `most`. @throws 403 where it is fewer than `least` */
export async function countAllowed(
  db: Db,
  limits: BothLimits,
  { projectId, userId, flavor, least, most }: Wanted,
): Promise<number> {
  const frames = await framesOf(db, limits, projectId, userId);
  const allowed = Math.min(most, ...frames.map((frame) => room(frame, times(1, flavor))));
  if (allowed >= least) return allowed;
  const frame = frames.find((one) => over(one, times(least, flavor)).length)!;
  const requested = {
    ...times(most, flavor),
    instances: least === most ? least : `${least}-${most}`,
  };
  throw refusal(frame, over(frame, times(least, flavor)), requested);
}

/** Whether a server may grow into another flavor. @throws 403 */
export async function checkGrowth(
  db: Db,
  { projectId, userId }: { projectId: string; userId: string },
  from: ServerFlavor,
  to: ServerFlavor,
): Promise<void> {
  const more = {
    instances: 0,
    cores: Math.max(0, to.vcpus - from.vcpus),
    ram: Math.max(0, to.ram - from.ram),
  };
  for (const frame of await framesOf(
    db,
    await bothLimitsOf(db, projectId, userId),
    projectId,
    userId,
  )) {
    const exceeded = over(frame, more);
    if (exceeded.length) throw refusal(frame, exceeded, more);
  }
}

/** @throws 403 where an image of a server would have too many properties of its own */
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
 * A file to inject into a server; the contents are in base64, and count so. Nothing is injected:
 * there is no disk.
 */
export interface InjectedFile {
  readonly path: string;
  readonly contents: string;
}

/**
 * @throws 403 where there are more or larger files than a server may get. Upstream:
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

/** @throws 403 where a server would have too many items of metadata */
export function checkMetadata(
  { metadata_items: limit }: Limits,
  metadata: Readonly<Record<string, string>>,
): void {
  if (exceeds(limit, 0, Object.keys(metadata).length))
    throw forbidden(`Maximum number of metadata items exceeds ${limit}`);
}
