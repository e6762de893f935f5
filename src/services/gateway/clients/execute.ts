// Carries out plans in a pod, and finds the pod's networks.
import type { GatewayCall, Json } from '../call.ts';
import { readImageData } from './centre.ts';
import { isSuccess, successBody, type ServiceReply, type ServiceRequest } from './message.ts';
import { requestFromPod } from './pods.ts';
import type { Pod } from './tricircle.ts';

/** A step of a plan: brings one resource of the central region to a pod. */
export interface Step {
  /** The request that finds the resource in the pod. */
  readonly lookup: ServiceRequest;
  /** The writes that follow from the body of the pod's reply, which is undefined for an error. */
  writesAfter(found: Json | undefined): readonly Write[];
}

/** A write to a pod. */
export interface Write extends ServiceRequest {
  /** The image of the central region whose data is the body. */
  readonly imageId?: string;
  /** Whether the rest of the step is skipped if the pod refused the previous write. */
  readonly requiresPrevious?: boolean;
}

/** Carries out a plan. Refusals are ignored: the pod refuses the request that follows the plan. */
export async function carryOut(call: GatewayCall, pod: Pod, plan: readonly Step[]): Promise<void> {
  for (const step of plan) {
    const found = successBody(await requestFromPod(call, pod, step.lookup));
    let previous: ServiceReply | undefined;
    for (const { imageId, requiresPrevious = false, ...request } of step.writesAfter(found)) {
      if (requiresPrevious && previous && !isSuccess(previous)) break;
      const data = imageId === undefined ? {} : { bytes: await readImageData(call, imageId) };
      previous = await requestFromPod(call, pod, { ...request, ...data });
    }
  }
}

/**
 * Finds the pod's networks for networks of the central region: the one with the same id, else the
 * only one with the same name. Other networks are absent from the result.
 * @param names the names of the networks in the central region, by id
 */
export async function findNetworks(
  call: GatewayCall,
  pod: Pod,
  names: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const found = await Promise.all(
    [...names].map(async ([id, name]): Promise<[string, string][]> => {
      const request = { method: 'GET', path: '/v2.0/networks', service: 'network' };
      const path = `${request.path}/${encodeURIComponent(id)}`;
      if (isSuccess(await requestFromPod(call, pod, { ...request, path }))) return [];
      const query = new URLSearchParams({ name }).toString();
      const listed = successBody(await requestFromPod(call, pod, { ...request, query }));
      const networks = (listed?.['networks'] ?? []) as { id: string }[];
      return networks.length === 1 ? [[id, networks[0]!.id]] : [];
    }),
  );
  return new Map(found.flat());
}
