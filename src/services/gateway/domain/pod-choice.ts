// Chooses the pod of a new resource.
import { badRequest, forbidden, notFound, type ApiError } from '../../../kernel/errors.ts';
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
  /** The name of the new resource. */
  readonly name?: unknown;
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
 * @throws 400 for references to unknown resources, or to resources in different pods; 404 for an
 *   unknown source of a volume; 403 without a project; 409 if the pod is under maintenance; 500 if
 *   no pod matches
 */
export async function choosePodFor(
  call: GatewayCall,
  { name, zone, specs = {}, references = {}, serversOfVolume, demand = {} }: PodCriteria,
): Promise<Pod> {
  const projectId = call.caller?.projectId;
  if (projectId === undefined)
    throw forbidden('A token of a project is needed to create something in a pod.');
  return choosePod(call, {
    projectId,
    ...(typeof name === 'string' ? { name } : {}),
    azName: zoneNameOf(zone),
    requestTag: await requestTag(call, specs),
    referencedPodIds: await podIdsOf(call, references, serversOfVolume && unknownSource),
    serverPodIds: await podIdsOf(call, { server: serversOfVolume ?? [] }),
    isVolume: serversOfVolume !== undefined,
    demand,
  });
}

/** The refusal of an unknown resource. */
type Refusal = (type: ResourceType, id: string) => ApiError;

/** Cinder's refusal of an unknown source of a volume. */
const unknownSource: Refusal = (type, id) => notFound(unknownMessage(type, id));

/** Nova's refusals of an unknown volume, snapshot or group. */
const unknownReference: Refusal = (type, id) =>
  badRequest(
    type === 'volume' || type === 'snapshot'
      ? `Block Device Mapping is Invalid: failed to get ${type} ${id}.`
      : unknownMessage(type, id),
  );

/** The ids of the pods that resources are in. @throws what `refusal` returns */
async function podIdsOf(
  call: GatewayCall,
  references: References,
  refusal: Refusal = unknownReference,
): Promise<string[]> {
  const podIds: string[] = [];
  for (const [type, ids] of Object.entries(references) as [ResourceType, readonly string[]][])
    for (const id of ids) {
      const pod = await findPodOf(call, type, id);
      if (!pod) throw refusal(type, id);
      podIds.push(pod.id);
    }
  return podIds;
}

/** The zone in `zone:host:node`, which Nova accepts from administrators. */
const zoneNameOf = (zone: unknown): string => (typeof zone === 'string' ? zone.split(':')[0]! : '');
