// Quotas: the limits of projects, and their enforcement. Upstream: neutron/db/quota/driver.py.
import { pipelined } from '../../../kernel/db/pipelined.ts';
import { once } from '../../../kernel/db/transaction.ts';
import {
  countOf,
  deleteQuotas,
  quotasOf,
  setQuota,
  acquireLock,
  lockRevisionOf,
} from '../store/quotas.ts';
import type { Context } from '../../../kernel/model.ts';
import type { Fields } from './attributes/definitions.ts';
import { absent, badInput, inConflict } from './refusals.ts';
import { networkSettings, type NetworkSettings } from './settings.ts';

/** The tables of the resources that have a quota. Upstream: neutron/conf/quota.py. */
const tables: Readonly<Record<string, string>> = {
  network: 'network_networks',
  subnet: 'network_subnets',
  subnetpool: 'network_subnetpools',
  port: 'network_ports',
  router: 'network_routers',
  floatingip: 'network_floatingips',
  security_group: 'network_security_groups',
  security_group_rule: 'network_security_group_rules',
  rbac_policy: 'network_rbac_policies',
  trunk: 'network_trunks',
};

export const hasQuota = (resource: string): boolean => Object.hasOwn(tables, resource);

/** The default quotas by resource; -1 means unlimited. */
export const defaultQuota = async ({ db }: Pick<Context, 'db'>): Promise<Record<string, number>> =>
  quotaIn(await networkSettings.load(db));

function quotaIn(settings: NetworkSettings): Record<string, number> {
  return {
    network: settings.quotaNetwork,
    subnet: settings.quotaSubnet,
    subnetpool: settings.defaultQuota,
    port: settings.quotaPort,
    router: settings.quotaRouter,
    floatingip: settings.quotaFloatingip,
    security_group: settings.quotaSecurityGroup,
    security_group_rule: settings.quotaSecurityGroupRule,
    rbac_policy: settings.quotaRbacPolicy,
    trunk: settings.defaultQuota,
  };
}

/** Returns the quotas of a project by resource; -1 means unlimited. */
export async function quotaOf(
  context: Context,
  projectId: string,
): Promise<Record<string, number>> {
  const own = await quotasOf(context.db, projectId);
  return { ...(await defaultQuota(context)), ...Object.fromEntries(own) };
}

/** The quota of a resource, and how much of it is used and reserved. */
export interface QuotaDetails {
  readonly limit: number;
  readonly used: number;
  readonly reserved: number;
}

/**
 * Returns the quotas and the usage of a project by resource. Nothing is ever reserved, because a
 * request is one transaction.
 */
export async function quotaDetails(
  context: Context,
  projectId: string,
): Promise<Record<string, QuotaDetails>> {
  const details: Record<string, QuotaDetails> = {};
  for (const [name, limit] of Object.entries(await quotaOf(context, projectId)))
    details[name] = { limit, used: await usedOf(context, projectId, name), reserved: 0 };
  return details;
}

async function usedOf({ db }: Context, projectId: string, resource: string): Promise<number> {
  return countOf(db, tables[resource]!, projectId);
}

/** Sets quotas of a project. @throws 400 if its usage is higher, unless `force` is given */
export async function changeQuota(
  context: Context,
  projectId: string,
  limits: readonly (readonly [resource: string, limit: number])[],
  force: boolean,
): Promise<void> {
  for (const [name, limit] of limits) {
    if (force || limit < 0) continue;
    const used = await usedOf(context, projectId, name);
    if (used > limit)
      throw badInput(
        `Quota limit ${limit} for ${name} must be greater than or equal to already used ${used}`,
      );
  }
  for (const [name, limit] of limits) await setQuota(context.db, projectId, name, limit);
}

/** Resets the quotas of a project to the defaults. @throws 404 if it has no others */
export async function deleteQuota({ db }: Context, projectId: string): Promise<void> {
  if (!(await deleteQuotas(db, projectId)))
    throw absent('TenantQuotaNotFound', `Quota for project ${projectId} could not be found.`);
}

/**
 * Checks the quotas of the projects for which a request creates resources. What Network creates for
 * itself, such as the ports of routers, counts as usage but is not refused. Upstream:
 * neutron/pecan_wsgi/hooks/quota_enforcement.py.
 * @throws as `checkQuota`
 */
export async function checkQuotas(
  context: Context,
  resource: string,
  items: readonly Fields[],
  settings: NetworkSettings,
): Promise<void> {
  if (!hasQuota(resource)) return;
  const limit = quotaIn(settings)[resource]!;
  const added = new Map<string, number>();
  for (const { project_id: project } of items)
    added.set(project as string, (added.get(project as string) ?? 0) + 1);
  for (const [project, count] of added)
    await checkProject(context, project, resource, count, limit);
}

/**
 * Once a project has fewer free resources than this, its writers acquire a lock. Fewer transactions
 * than this run at the same time, so that without the lock they cannot exceed a quota together.
 */
const lockThreshold = 64;

/**
 * @throws 409 OverQuota if the project would exceed its quota; SerializationFailure if another
 *   transaction has acquired the lock at the same revision
 */
export const checkQuota = async (
  context: Context,
  projectId: string,
  resource: string,
  added: number,
): Promise<void> =>
  checkProject(context, projectId, resource, added, (await defaultQuota(context))[resource]!);

async function checkProject(
  context: Context,
  projectId: string,
  resource: string,
  added: number,
  defaultLimit: number,
): Promise<void> {
  const { db } = context;
  if (!projectId || added < 1) return;
  const quotas = once(db, `network.quotas.${projectId}`, () => quotasOf(db, projectId));
  const limit = (await quotas).get(resource) ?? defaultLimit;
  if (limit < 0) return;
  const [revision, used] = await pipelined([
    lockRevisionOf(db, projectId),
    usedOf(context, projectId, resource),
  ]);
  if (used + added > limit)
    throw inConflict('OverQuota', `Quota exceeded for resources: ['${resource}'].`);
  if (limit - used - added < lockThreshold) await acquireLock(db, projectId, revision);
}
