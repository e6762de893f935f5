// Decides which images of a pod a request may use: copies of images that the caller sees in the
// central region, and the images of the caller's own project in the pod.
import { ApiError, badRequest, conflict } from '../../../kernel/errors.ts';
import { isUuidLike } from '../../../kernel/ids.ts';
import type { GatewayCall, Json } from '../call.ts';
import { readImageIds, readImages, type CentralImage } from '../clients/centre.ts';
import type { Step } from '../clients/execute.ts';
import { routingOf } from '../clients/tricircle.ts';

/** The fields of a new copy of an image. Its members stay in the central region. */
const copiedFields = [
  'id',
  'name',
  'disk_format',
  'container_format',
  'min_disk',
  'min_ram',
  'protected',
  'tags',
  'owner',
  'visibility',
];

/**
 * The steps that bring a pod the images of a request.
 * @param refusalOf the service's error for an image that the caller may not use
 */
export async function imageSteps(
  call: GatewayCall,
  ids: readonly string[],
  refusalOf: (id: string) => ApiError,
): Promise<Step[]> {
  const images = await readImages(call, ids);
  const steps: Step[] = [];
  for (const { id, central } of images) {
    // An image that a server has made is the central region's, also if it has been deleted there.
    if (!central && (await routingOf(call, { topId: id, resourceType: 'image' })))
      throw refusalOf(id);
    steps.push(
      central ? copyStep(central) : ownImageStep(id, call.caller?.projectId, refusalOf(id)),
    );
  }
  return steps;
}

const pathOf = (id: string): string => `/v2/images/${encodeURIComponent(id)}`;

/**
 * Brings an image to a pod, with the same id and its data. Any tenant of the pod can create an
 * image with the id of a central one, so the pod's image must have the owner and the data of the
 * central one. Its visibility follows the central one.
 */
function copyStep(image: CentralImage): Step {
  const path = pathOf(image.id);
  const admin = { service: 'image', asAdmin: true };
  const body = Object.fromEntries(copiedFields.map((name) => [name, image[name]]));
  const create = { method: 'POST', path: '/v2/images', body, ...admin };
  const upload = {
    method: 'PUT',
    path: `${path}/file`,
    imageId: image.id,
    mediaType: 'application/octet-stream',
    requiresPrevious: true,
    ...admin,
  };
  const { visibility } = image;
  const changeVisibility = {
    method: 'PATCH',
    path,
    body: [{ op: 'replace', path: '/visibility', value: visibility }],
    mediaType: 'application/openstack-images-v2.1-json-patch',
    ...admin,
  };
  return {
    lookup: { method: 'GET', path, ...admin },
    isVerified: true,
    writesAfter: (found) => {
      if (!found) return [create, upload];
      const isWaiting = found['status'] === 'queued';
      const hasData = ['os_hash_value', 'checksum'].every((name) => found[name] === image[name]);
      if (found['owner'] !== image['owner'] || !(hasData || isWaiting))
        throw conflict(
          `The pod has an image ${image.id} that is not a copy of the central region's image. ` +
            'Delete it there, or use another image.',
          { code: 'gateway.foreign_image' },
        );
      return [
        ...(isWaiting ? [upload] : []),
        ...(found['visibility'] === visibility ? [] : [changeVisibility]),
      ];
    },
  };
}

/** Checks that an image which the central region does not offer is the caller's own in the pod. */
const ownImageStep = (id: string, projectId: string | undefined, refusal: ApiError): Step => ({
  lookup: { method: 'GET', path: pathOf(id), service: 'image' },
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
export const unknownVolumeImage = (): ApiError =>
  badRequest('Invalid image identifier or unable to access requested image.');
