// Carries out plans in a pod.
import type { GatewayCall, Json } from '../call.ts';
import { successBody, type ServiceReply, type ServiceRequest } from './message.ts';
import { requestFromPod } from './pods.ts';
import type { Pod } from './tricircle.ts';

/** A step of a plan: brings one resource of the central region to a pod. */
export interface LookupStep {
  /** The request that finds the resource in the pod. */
  readonly lookup: ServiceRequest;
  /**
   * The writes that follow from the body of the pod's reply, which is undefined for an error.
   * @throws ApiError if the pod must not use what it has
   */
  writesAfter(found: Json | undefined): readonly ServiceRequest[];
}

/** A step of a plan that needs more than a lookup and writes. */
export interface CarryStep {
  carry(call: GatewayCall, pod: Pod): Promise<void>;
}

export type Step = LookupStep | CarryStep;

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
  for (const step of steps)
    if ('carry' in step) await step.carry(call, pod);
    else {
      const found = successBody(await requestFromPod(call, pod, step.lookup));
      for (const write of step.writesAfter(found)) await requestFromPod(call, pod, write);
    }
}
