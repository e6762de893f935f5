// Reads and sets the limits of projects, users and quota classes, and computes usage.
import type { Version } from '../../../kernel/microversion.ts';
import * as store from '../store/quotas.ts';
import { countGroups } from '../store/servers/groups.ts';
import { sumServers } from '../store/servers/servers.ts';
import type { ComputeVersion } from '../versions.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { badRequest } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';

/** The limits of a new cloud; -1 means unlimited. Upstream: conf/quota.py. */
export const defaultLimits = {
  instances: 10,
  cores: 20,
  ram: 51_200,
  metadata_items: 128,
  injected_files: 5,
  injected_file_content_bytes: 10_240,
  injected_file_path_bytes: 255,
  key_pairs: 100,
  server_groups: 10,
  server_group_members: 10,
  fixed_ips: -1,
  floating_ips: -1,
  security_groups: -1,
  security_group_rules: -1,
} as const;

export type Resource = keyof typeof defaultLimits;
export type Limits = Record<Resource, number>;

const network: readonly Resource[] = [
  'fixed_ips',
  'floating_ips',
  'security_groups',
  'security_group_rules',
];
const files: readonly Resource[] = [
  'injected_files',
  'injected_file_content_bytes',
  'injected_file_path_bytes',
];
const groups: readonly Resource[] = ['server_groups', 'server_group_members'];

const all = Object.keys(defaultLimits) as Resource[];

/** The resources in the quota sets of a version. */
export function resourcesAt(version: Version<ComputeVersion>): Resource[] {
  return all.filter(
    (name) =>
      !(version.has('2.36') && network.includes(name)) &&
      !(version.has('2.57') && files.includes(name)),
  );
}

/** The resources in the quota classes of a version. */
export function classResourcesAt(version: Version<ComputeVersion>): Resource[] {
  return all.filter(
    (name) =>
      (version.has('2.50') || !groups.includes(name)) &&
      !(version.has('2.50') && network.includes(name)) &&
      !(version.has('2.57') && files.includes(name)),
  );
}

/**
 * The limits of projects that have none of their own: those of the class `default`, or else of the
 * configuration.
 */
export async function defaultsOf(db: Db): Promise<Limits> {
  return classLimitsOf(db, 'default');
}

/** The limits of a class. */
export async function classLimitsOf(db: Db, className: string): Promise<Limits> {
  return { ...defaultLimits, ...(await store.readClassQuotas(db, className)) };
}

/** The limits that apply to a project, or to a user in it. */
export async function limitsOf(db: Db, projectId: string, userId?: string): Promise<Limits> {
  return (await bothLimitsOf(db, projectId, userId)).user;
}

export interface BothLimits {
  readonly project: Limits;
  /** The limits of a user in the project. */
  readonly user: Limits;
}

/** The limits that apply to a project, and those that apply to a user in it. */
export async function bothLimitsOf(
  db: Db,
  projectId: string,
  userId?: string,
): Promise<BothLimits> {
  const set = await store.readQuotas(db, projectId, userId);
  const project = { ...defaultLimits, ...set.defaults, ...set.project };
  return { project, user: { ...project, ...set.user } };
}

/** The usage of each resource; 0 for resources that are limited for each user or group. */
export async function usageOf(db: Db, projectId: string, userId?: string): Promise<Limits> {
  const none = Object.fromEntries(all.map((name) => [name, 0])) as Limits;
  return {
    ...none,
    ...(await sumServers(db, projectId, userId)),
    server_groups: await countGroups(db, projectId, userId),
  };
}

/** Whether `more` in addition to `used` exceeds a limit. */
export const exceeds = (limit: number, used: number, more: number): boolean =>
  limit >= 0 && used + more > limit;

/** The lowest and the highest valid limit; -1 means no bound. */
interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** The bounds of the limits of a project, or of a user in it. */
async function boundsOf(
  db: Db,
  projectId: string,
  userId?: string,
): Promise<Record<Resource, Bounds>> {
  const project = await limitsOf(db, projectId);
  const users = await store.sumUserQuotas(db, projectId);
  const { user: own } = await store.readQuotas(db, projectId, userId);
  const used = await usageOf(db, projectId, userId);
  const bounds = (name: Resource): Bounds => {
    const usersTotal = users[name] ?? 0;
    if (userId === undefined) return { least: Math.max(usersTotal, used[name]), most: -1 };
    return {
      least: used[name],
      most: project[name] < 0 ? -1 : project[name] - usersTotal + (own[name] ?? 0),
    };
  };
  return Object.fromEntries(all.map((name) => [name, bounds(name)])) as Record<Resource, Bounds>;
}

/** The owner of limits: a project, or a user in it. */
export interface QuotaOwner {
  readonly projectId: string;
  readonly userId?: string | undefined;
}

/**
 * Sets limits.
 * @throws 400 if a limit is below the usage or above the project's limit, unless `force` is set
 */
export async function updateQuotas(
  { db }: Context,
  { projectId, userId }: QuotaOwner,
  limits: Readonly<Partial<Limits>>,
  force: boolean,
): Promise<void> {
  if (!force) {
    const bounds = await boundsOf(db, projectId, userId);
    for (const [name, limit] of Object.entries(limits))
      checkBounds(name, limit, bounds[name as Resource]);
  }
  await store.putQuotas(db, projectId, userId ?? '', limits);
}

const unlimited = (value: number): number => (value < 0 ? Infinity : value);

/** @throws 400 if a limit is out of bounds */
export function checkBounds(name: string, value: number, { least, most }: Bounds): void {
  const refuse = (bound: string) =>
    badRequest(`Quota limit ${value} for ${name} must be ${bound}.`);
  if (unlimited(value) < unlimited(least))
    throw refuse(`greater than or equal to already used and reserved ${least}`);
  if (unlimited(value) > unlimited(most)) throw refuse(`less than or equal to ${most}`);
}

/** Resets limits to the defaults: those of a user, or of a project with all its users. */
export const deleteQuotas = ({ db }: Context, { projectId, userId }: QuotaOwner): Promise<void> =>
  store.deleteQuotas(db, projectId, userId);

/** Sets limits of a class. */
export const updateClassQuotas = (
  { db }: Context,
  className: string,
  limits: Readonly<Partial<Limits>>,
): Promise<void> => store.putClassQuotas(db, className, limits);
