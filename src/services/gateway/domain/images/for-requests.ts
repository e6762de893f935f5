// Decides which images of a pod a request may use: copies of images that the caller sees in the
// central region, and the images of the caller's own project in the pod.
import { badRequest, conflict, type ApiError } from '../../../../kernel/errors.ts';
import { isUuidLike } from '../../../../kernel/ids.ts';
import type { GatewayCall, Json } from '../../call.ts';
import { readImageIds } from '../../clients/centre.ts';
import type { Step } from '../../clients/execute.ts';
import { findImages, type Image } from '../../clients/image.ts';
import { routingOf } from '../../clients/tricircle.ts';
import { bringCopy, findCentral } from './copies.ts';

/**
 * The steps that bring a pod the images of a request.
 * @param refusalOf the service's error for an image that the caller may not use; the status of one
 *   that is not active
 */
export async function imageSteps(
  call: GatewayCall,
  ids: readonly string[],
  refusalOf: (id: string, status?: string) => ApiError,
): Promise<Step[]> {
  const steps: Step[] = [];
  for (const id of new Set(ids)) {
    const [image] = await findImages(call, { id });
    if (image?.status === 'active') {
      steps.push(copyStep(image));
      continue;
    }
    // What the pod has may be a copy of an image that has been deleted in the central region.
    const isCentral = image ?? (await findCentral(call, id));
    if (isCentral ?? (await routingOf(call, { topId: id, resourceType: 'image' })))
      throw refusalOf(id, image?.status);
    steps.push(ownImageStep(id, call.caller?.projectId, refusalOf(id)));
  }
  return steps;
}

/** Brings a pod a copy of an image, which the caller sees in the central region. */
const copyStep = (image: Image): Step => ({
  carry: (call, pod) => {
    const isOwner = call.caller?.projectId === image.owner;
    return bringCopy(call, pod, image, { withMembers: !isOwner });
  },
});

/** Checks that an image which the central region does not offer is the caller's own in the pod. */
const ownImageStep = (id: string, projectId: string | undefined, refusal: ApiError): Step => ({
  lookup: { method: 'GET', path: `/v2/images/${encodeURIComponent(id)}`, service: 'image' },
  writesAfter: (found: Json | undefined) => {
    if (!found || found['owner'] !== projectId) throw refusal;
    return [];
  },
});

/**
 * The id of the image for a new volume, which Cinder accepts as an id, a name or a URL. The central
 * region resolves names: in a pod, another tenant may have an image of that name.
 * @throws 400, 409
 */
export async function imageIdFor(call: GatewayCall, reference: string): Promise<string> {
  const id = reference.split('/').at(-1)!;
  if (isUuidLike(id)) return id;
  const [first, second] = await readImageIds(call, reference);
  if (second !== undefined)
    throw conflict(`Multiple matches found for '${reference}', use an ID to be more specific.`);
  if (first === undefined) throw unknownVolumeImage();
  return first;
}

/** Cinder's error for an image that the caller may not use. */
export const unknownVolumeImage = (id?: string, status?: string): ApiError =>
  badRequest(
    status === undefined
      ? 'Invalid image identifier or unable to access requested image.'
      : `Invalid input received: Image ${id} is not active.`,
  );
