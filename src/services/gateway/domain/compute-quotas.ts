// The quotas of servers and server groups at the gateway.
import type { GatewayCall } from '../call.ts';
import {
  amountsOf,
  bothLimitsOf,
  checkBounds,
  checkGroupQuota,
  checkGrowth,
  countAllowed,
  growthOf,
} from '../clients/compute.ts';
import type { ServiceRequest } from '../clients/message.ts';
import { callerOf, readUsage, withinQuota, type QuotaOwner, type UsageOf } from './quotas.ts';

/** What one server with a flavor uses. */
export interface ServerSize {
  readonly vcpus: number;
  readonly ram: number;
}

const service = 'compute';

function usageRequest(projectId: string, userId?: string): ServiceRequest {
  const path = `/os-quota-sets/${encodeURIComponent(projectId)}/detail`;
  const query = userId === undefined ? '' : new URLSearchParams({ user_id: userId }).toString();
  return { method: 'GET', path, query, version: 'compute 2.1', asAdmin: true };
}

/**
 * Checks that new limits of a project, or of a user in it, are not below the usage in all pods.
 * @throws 400
 */
export async function checkNewServerLimits(
  call: GatewayCall,
  { projectId, userId }: { readonly projectId: string; readonly userId?: string | undefined },
  limits: readonly (readonly [string, number])[],
): Promise<void> {
  const usage = await readUsage(call, projectId, usageRequest(projectId, userId));
  for (const [name, limit] of limits)
    checkBounds(name, limit, { least: usage[name] ?? 0, most: -1 });
}

/** Counts the instances, cores and ram of a usage. */
const serversIn = (usageOf: UsageOf) => async (userId?: string) => {
  const { instances = 0, cores = 0, ram = 0 } = await usageOf(userId);
  return { instances, cores, ram };
};

/**
 * Runs the creation of `least` to `most` servers with the number that the quotas allow.
 * @throws 403
 */
export async function withinServerQuota<Result>(
  call: GatewayCall,
  { flavor, least, most }: { flavor: ServerSize; least: number; most: number },
  run: (count: number) => Promise<Result>,
): Promise<Result> {
  const owner = callerOf(call);
  const limits = await bothLimitsOf(call.db, owner.projectId, owner.userId);
  const request = { userId: owner.userId, flavor, least, most };
  const demand = {
    owner,
    service,
    amounts: { ...amountsOf(most, flavor) },
    usageRequest,
    check: (usageOf: UsageOf) => countAllowed(limits, serversIn(usageOf), request),
    isComplete: (count: number) => count === most,
  } as const;
  return withinQuota(call, demand, run);
}

/** A resize: the server's owner, and its sizes before and after. */
export interface Growth {
  readonly owner: QuotaOwner;
  readonly from: ServerSize;
  readonly to: ServerSize;
}

/** Runs the resize of a server if the quotas allow it to grow. @throws 403 */
export async function withinGrowthQuota<Result>(
  call: GatewayCall,
  { owner, from, to }: Growth,
  run: () => Promise<Result>,
): Promise<Result> {
  const limits = await bothLimitsOf(call.db, owner.projectId, owner.userId);
  const amounts = { ...growthOf(from, to) };
  const check = (usageOf: UsageOf): Promise<void> =>
    checkGrowth(limits, serversIn(usageOf), owner.userId, growthOf(from, to));
  return withinQuota(call, { owner, service, amounts, usageRequest, check }, run);
}

/** Runs the creation of a server group if the quotas allow it. @throws 403 */
export async function withinGroupQuota<Result>(
  call: GatewayCall,
  run: () => Promise<Result>,
): Promise<Result> {
  const owner = callerOf(call);
  const limits = await bothLimitsOf(call.db, owner.projectId, owner.userId);
  const count = (usageOf: UsageOf) => async (userId?: string) =>
    (await usageOf(userId))['server_groups'] ?? 0;
  const check = (usageOf: UsageOf): Promise<void> =>
    checkGroupQuota(limits, owner.userId, count(usageOf));
  const amounts = { server_groups: 1 };
  return withinQuota(call, { owner, service, amounts, usageRequest, check }, run);
}
