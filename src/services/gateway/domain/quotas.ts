// Enforces the quotas of a project over all pods. The limits are the central region's; the usage is
// the sum over the pods, and what concurrent requests are about to create.
import { machineNow, pause, SECOND } from '../../../kernel/clock.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { GatewayCall, Json } from '../call.ts';
import { successBody, type ServiceRequest } from '../clients/message.ts';
import { leaveOutUnreachable, requestFromPod } from '../clients/pods.ts';
import {
  earlierReservations,
  podsOfProject,
  releaseQuota,
  reserveQuota,
} from '../clients/tricircle.ts';

/** Amounts by resource, such as `instances`. */
export type Amounts = Readonly<Record<string, number>>;

/** The usage of a project, or of a user in it. */
export type UsageOf = (userId?: string) => Promise<Amounts>;

/** Whose quotas a request uses. */
export interface QuotaOwner {
  readonly projectId: string;
  readonly userId: string;
}

/** The caller as the owner of what a request creates. */
export const callerOf = ({ caller }: GatewayCall): QuotaOwner => ({
  projectId: caller?.projectId ?? '',
  userId: caller?.userId ?? '',
});

/** What a request is about to use. */
export interface Demand<T> {
  readonly owner: QuotaOwner;
  readonly service: 'compute' | 'volume';
  readonly amounts: Amounts;
  /** The request that reads the usage of the project, or of a user in it, from a pod. */
  readonly usageRequest: (projectId: string, userId?: string) => ServiceRequest;
  /**
   * Checks the usage. The result is passed on.
   * @throws the service's error if the request would exceed a quota
   */
  readonly check: (usageOf: UsageOf) => Promise<T>;
  /** Whether a result allows all amounts. */
  readonly isComplete?: (result: T) => boolean;
}

/**
 * How long a request that would exceed a quota waits for earlier ones, which may still fail or
 * already count in the usage of their pod, in the machine's time.
 */
const longestWait = 10 * SECOND;
const pollInterval = 50;

/**
 * Runs a request within the quotas of its project. A request counts the usage that pods report, and
 * the reservations of earlier requests: so two that run at the same time cannot both take the last
 * part of a quota.
 * @throws ApiError if it would exceed a quota
 */
export async function withinQuota<T, Result>(
  call: GatewayCall,
  demand: Demand<T>,
  run: (checked: T) => Promise<Result>,
): Promise<Result> {
  const { owner, service, amounts } = demand;
  const { projectId } = owner;
  const reservation = await reserveQuota(call, { ...owner, service, amounts });
  try {
    return await run(await checkWithOthers());
  } finally {
    await releaseQuota(call, reservation);
  }

  async function checkWithOthers(): Promise<T> {
    const start = machineNow();
    for (;;) {
      // The reservations are read before the usage: a resource whose reservation has ended in
      // between counts in the usage.
      const earlier = await earlierReservations(call, reservation);
      const isLast = !earlier.length || machineNow() - start > longestWait;
      const usageOf: UsageOf = async (user) =>
        sumOf([
          await readUsage(call, projectId, demand.usageRequest(projectId, user)),
          ...earlier
            .filter((other) => user === undefined || other.userId === user)
            .map((other) => other.amounts),
        ]);
      try {
        const result = await demand.check(usageOf);
        if (isLast || (demand.isComplete?.(result) ?? true)) return result;
      } catch (error) {
        if (isLast || !(error instanceof ApiError)) throw error;
      }
      await pause(pollInterval);
    }
  }
}

/**
 * The usage in all pods of the project. The usage of a pod that does not answer is unknown, and
 * does not count.
 */
export async function readUsage(
  call: GatewayCall,
  projectId: string,
  request: ServiceRequest,
): Promise<Amounts> {
  const pods = await podsOfProject(call, projectId);
  const usages = await Promise.all(
    pods.map(async (pod) => {
      const body = await requestFromPod(call, pod, request).then(successBody, leaveOutUnreachable);
      const set = Object.entries((body?.['quota_set'] ?? {}) as Record<string, Json | string>);
      return Object.fromEntries(
        set.flatMap(([name, quota]) =>
          typeof quota === 'object' ? [[name, usedBy(quota)] as const] : [],
        ),
      );
    }),
  );
  return sumOf(usages);
}

const usedBy = ({ in_use: used, reserved }: Json): number =>
  Number(used ?? 0) + Number(reserved ?? 0);

function sumOf(all: readonly Amounts[]): Amounts {
  const sums: Record<string, number> = {};
  for (const [name, amount] of all.flatMap((amounts) => Object.entries(amounts)))
    sums[name] = (sums[name] ?? 0) + amount;
  return sums;
}
