// The quotas of volumes and snapshots at the gateway.
import type { GatewayCall } from '../call.ts';
import type { ServiceRequest } from '../clients/message.ts';
import {
  checkAboveUsage,
  checkQuota,
  quotaLimitsOf,
  type VolumeDemand,
} from '../clients/volume.ts';
import { callerOf, readUsage, withinQuota, type Amounts, type UsageOf } from './quotas.ts';

/** Names the service, because a server may make volumes: the request is then to Compute. */
const usageRequest = (projectId: string): ServiceRequest => ({
  service: 'volumev3',
  method: 'GET',
  path: `/os-quota-sets/${encodeURIComponent(projectId)}`,
  query: 'usage=true',
  version: 'volume 3.0',
  asAdmin: true,
});

/**
 * Runs a request that adds to a project's volumes or snapshots, if the quotas allow it.
 * @throws 413
 */
export async function withinVolumeQuota<Result>(
  call: GatewayCall,
  demand: VolumeDemand,
  run: () => Promise<Result>,
): Promise<Result> {
  const owner = { ...callerOf(call), projectId: demand.projectId };
  const limits = await quotaLimitsOf(call, demand.projectId);
  const check = async (usageOf: UsageOf): Promise<void> =>
    checkQuota(limits, new Map(Object.entries(await usageOf())), demand);
  const amounts = amountsOf(demand);
  return withinQuota(call, { owner, service: 'volume', amounts, usageRequest, check }, run);
}

/** Checks that new limits of a project are not below the usage in all pods. @throws 400 */
export async function checkNewVolumeLimits(
  call: GatewayCall,
  projectId: string,
  limits: readonly (readonly [string, number])[],
): Promise<void> {
  const usage = await readUsage(call, projectId, usageRequest(projectId));
  checkAboveUsage(limits, new Map(Object.entries(usage)));
}

/** The amounts of a demand: those of its volume type, and mostly those of all types. */
function amountsOf({
  typeName,
  volumes = 0,
  snapshots = 0,
  gigabytes,
  typeOnly = false,
}: VolumeDemand): Amounts {
  const suffixes = typeOnly ? [`_${typeName}`] : ['', `_${typeName}`];
  return Object.fromEntries(
    suffixes.flatMap((suffix) => [
      [`volumes${suffix}`, volumes],
      [`snapshots${suffix}`, snapshots],
      [`gigabytes${suffix}`, gigabytes],
    ]),
  );
}
