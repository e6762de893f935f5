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
  /** The names of the networks in the request, by their ids in the central region. */
  readonly networkNames: ReadonlyMap<string, string>;
  /** The request, with the ids of the pod's networks by those in the central region. */
  requestWith(networks: ReadonlyMap<string, string>): ServiceRequest;
}

/** Carries out a plan. @returns the reply to its request */
export async function execute(call: GatewayCall, pod: Pod, plan: Plan): Promise<ServiceReply> {
  await carryOut(call, pod, plan.steps);
  const networks = await findNetworks(call, pod, plan.networkNames);
  return requestFromPod(call, pod, plan.requestWith(networks));
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

interface PodNetwork {
  readonly id: string;
  readonly project_id: string;
  readonly shared: boolean;
  readonly 'router:external': boolean;
}

/**
 * Finds the pod's networks for networks of the central region: the one with the same id, else the
 * only one with the same name among those of the caller's project and those for all projects. An
 * administrator sees other tenants' networks too, which may have any name. The result contains the
 * networks whose ids differ.
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
      const networks = ((listed?.['networks'] ?? []) as PodNetwork[]).filter(
        (network) =>
          network.shared ||
          network['router:external'] ||
          network.project_id === call.caller?.projectId,
      );
      return networks.length === 1 ? [[id, networks[0]!.id]] : [];
    }),
  );
  return new Map(found.flat());
}
