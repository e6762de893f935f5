// Chooses the pod of a new resource.
import { badRequest, forbidden } from '../../../kernel/errors.ts';
import type { GatewayCall } from '../call.ts';
import {
  choosePod,
  requestTag,
  type Demand,
  type Pod,
  type ResourceType,
} from '../clients/tricircle.ts';
import type { References } from './references.ts';
import { findPodOf, unknownMessage } from '../clients/routed-resources.ts';

/** What the pod of a new resource depends on. */
export interface PodCriteria {
  /** The availability zone in the request; undefined for any. */
  readonly zone?: unknown;
  /** The extra specs of the flavor or volume type. */
  readonly specs?: Readonly<Record<string, unknown>>;
  readonly references?: References;
  /** The servers that a new volume belongs to. Undefined if the resource is not a volume. */
  readonly serversOfVolume?: readonly string[];
  /** How much of each resource the new one needs. */
  readonly demand?: Demand;
}

/**
 * Chooses the pod for a new resource, and binds the caller's project to it.
 * @throws 400 for references to unknown resources, or to resources in different pods; 403 without a
 *   project; 409 if the pod is under maintenance; 500 if no pod matches
 */
export async function choosePodFor(
  call: GatewayCall,
  { zone, specs = {}, references = {}, serversOfVolume, demand = {} }: PodCriteria,
): Promise<Pod> {
  const projectId = call.caller?.projectId;
  if (projectId === undefined)
    throw forbidden('A token of a project is needed to create something in a pod.');
  return choosePod(call, {
    projectId,
    azName: zoneNameOf(zone),
    requestTag: await requestTag(call, specs),
    referencedPodIds: await podIdsOf(call, references),
    serverPodIds: await podIdsOf(call, { server: serversOfVolume ?? [] }),
    isVolume: serversOfVolume !== undefined,
    demand,
  });
}

/** The ids of the pods that resources are in. @throws 400 for an unknown resource */
async function podIdsOf(call: GatewayCall, references: References): Promise<string[]> {
  const podIds: string[] = [];
  for (const [type, ids] of Object.entries(references) as [ResourceType, readonly string[]][])
    for (const id of ids) {
      const pod = await findPodOf(call, type, id);
      if (!pod) throw badRequest(unknownMessage(type, id));
      podIds.push(pod.id);
    }
  return podIds;
}

/** The zone in `zone:host:node`, which Nova accepts from administrators. */
const zoneNameOf = (zone: unknown): string => (typeof zone === 'string' ? zone.split(':')[0]! : '');
