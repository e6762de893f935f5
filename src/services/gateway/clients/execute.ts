// Carries out plans in a pod.
import type { GatewayCall, Json } from '../call.ts';
import { readImageData } from './centre.ts';
import { isSuccess, successBody, type ServiceReply, type ServiceRequest } from './message.ts';
import { requestFromPod } from './pods.ts';
import type { Pod } from './tricircle.ts';

/** A step of a plan: brings one resource of the central region to a pod. */
export interface Step {
  /** The request that finds the resource in the pod. */
  readonly lookup: ServiceRequest;
  /**
   * The writes that follow from the body of the pod's reply, which is undefined for an error.
   * @throws ApiError if the pod must not use what it has
   */
  writesAfter(found: Json | undefined): readonly Write[];
  /**
   * Whether the resource is looked up again after the writes, because a tenant of the pod may have
   * created one with the same id in between.
   */
  readonly isVerified?: boolean;
}

/** A write to a pod. */
export interface Write extends ServiceRequest {
  /** The image of the central region whose data is the body. */
  readonly imageId?: string;
  /** Whether the rest of the step is skipped if the pod refused the previous write. */
  readonly requiresPrevious?: boolean;
}

/** What a pod gets before a request, and the request. */
export interface Plan {
  readonly steps: readonly Step[];
  readonly request: ServiceRequest;
}

/** Carries out a plan. @returns the reply to its request */
export async function execute(call: GatewayCall, pod: Pod, plan: Plan): Promise<ServiceReply> {
  await carryOut(call, pod, plan.steps);
  return requestFromPod(call, pod, plan.request);
}

/**
 * Carries out steps. Refusals of the pod are ignored: it refuses the request that follows.
 * @throws ApiError if a step finds something in the pod that must not be used
 */
export async function carryOut(call: GatewayCall, pod: Pod, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    const lookUp = async (): Promise<Json | undefined> =>
      successBody(await requestFromPod(call, pod, step.lookup));
    const writes = step.writesAfter(await lookUp());
    await send(call, pod, writes);
    if (step.isVerified && writes.length) step.writesAfter(await lookUp());
  }
}

async function send(call: GatewayCall, pod: Pod, writes: readonly Write[]): Promise<void> {
  let previous: ServiceReply | undefined;
  for (const { imageId, requiresPrevious = false, ...request } of writes) {
    if (requiresPrevious && previous && !isSuccess(previous)) break;
    const data = imageId === undefined ? {} : { bytes: await readImageData(call, imageId) };
    previous = await requestFromPod(call, pod, { ...request, ...data });
  }
}
