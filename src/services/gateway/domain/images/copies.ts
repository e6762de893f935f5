// The images of pods that belong to central images: copies for servers and volumes, and the images
// that servers and volumes there have made. A routing records each of them. They follow the changes
// of the central image.
import { ApiError, conflict } from '../../../../kernel/errors.ts';
import { elevated } from '../../../../kernel/context.ts';
import type { Context, Job } from '../../../../kernel/model.ts';
import { findImages, imageView, listMembers, type Image } from '../../clients/image.ts';
import {
  addRouting,
  findPod,
  podDown,
  podImages,
  PodFailure,
  removeRouting,
  routingsOf,
  type ImageInPod,
  type Pod,
} from '../../clients/tricircle.ts';
import { digestsOfCopy, formatOfCopy, sendData } from './data.ts';
import { changesBetween, copyOf } from './fields.ts';
import { delayAfter, scheduleJob } from './jobs.ts';

/** Image schedules this job in the transaction of each change of an image of the central region. */
export const followImageKind = 'gateway.follow_image';

/** An image of the central region, regardless of who asks. */
export const findCentral = async (context: Context, id: string): Promise<Image | undefined> =>
  (await findImages(elevated(context), { id }))[0];

/** Records that a pod has an image of the central region. */
export async function routeImage(
  context: Context,
  pod: Pod,
  { id, projectId }: { readonly id: string; readonly projectId: string },
): Promise<void> {
  const key = { topId: id, podId: pod.id, resourceType: 'image' } as const;
  if ((await routingsOf(context, key)).length) return;
  await addRouting(context, { ...key, bottomId: id, projectId }).catch((error: unknown) => {
    // Another process may have just recorded it.
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
  });
}

/**
 * Brings a pod a copy of an active image of the central region, or brings its copy up to date. What
 * the pod refuses is left to the request that follows.
 * @param withMembers whether the projects that share the image are compared, too
 * @throws ApiError for a foreign image with the id: 409; if the pod does not answer: 503
 */
export async function bringCopy(
  context: Context,
  pod: Pod,
  image: Image,
  { withMembers }: { readonly withMembers: boolean },
): Promise<void> {
  const { id } = image;
  try {
    const found = await podImages.readImage(context, pod, id);
    if (found) await checkCopy(context, pod, found, image);
    const isNew = !found || found.status === 'queued';
    if (isNew) await create(context, pod, image, found);
    const copy = isNew ? await podImages.readImage(context, pod, id) : found;
    if (!copy) return;
    if (isNew) await checkCopy(context, pod, copy, image);
    await update(context, pod, copy, image, { withMembers: withMembers || isNew });
  } catch (error) {
    if (!(error instanceof PodFailure)) throw error;
    const { regionName } = pod;
    context.cloud.log.warn({ err: error, image: id, pod: regionName }, 'an image was not carried');
    if (error instanceof podImages.ImageRefusal) return;
    throw podDown(pod);
  }
}

/**
 * Creates a copy with its data. The routing precedes it, so that the copy is deleted with its image
 * wherever this process dies. Of several processes, one creates the copy and one uploads the data.
 */
async function create(
  context: Context,
  pod: Pod,
  image: Image,
  found: ImageInPod | undefined,
): Promise<void> {
  const { id, owner } = image;
  if (!found) {
    await routeImage(context, pod, { id, projectId: owner ?? '' });
    const disk_format = await formatOfCopy(context, pod, image);
    const fields = { ...copyOf(imageView(image)), disk_format };
    await unlessRefused(podImages.createImage(context, pod, fields));
    const created = await podImages.readImage(context, pod, id);
    if (!created) return;
    await checkCopy(context, pod, created, image);
  }
  await unlessRefused(sendData(context, pod, image));
  if (await findCentral(context, id)) return;
  // The job of the deletion may have run before the copy existed, and removed the routing.
  await podImages.deleteImage(context, pod, id);
  await followChanges(context, id);
}

/** Ignores a refusal: another process may have been faster, or else the copy is not complete. */
const unlessRefused = (written: Promise<void>): Promise<void> =>
  written.catch((error: unknown) => {
    if (!(error instanceof podImages.ImageRefusal || error instanceof ApiError)) throw error;
  });

/**
 * Checks that the image of a pod belongs to the central one. Any tenant of the pod can create an
 * image with the id of a central one, so it must have the owner and the data of that.
 * @throws 409
 */
async function checkCopy(
  context: Context,
  pod: Pod,
  found: ImageInPod,
  image: Image,
): Promise<void> {
  const { checksum, hashValue } = await digestsOfCopy(context, pod, image);
  const isWaiting = found.status === 'queued';
  const hasData = found.checksum === checksum && found['os_hash_value'] === hashValue;
  if ((hasData || isWaiting) && found.owner === image.owner) return;
  // An administrator may have changed the owner of the central image.
  const key = { topId: image.id, podId: pod.id, resourceType: 'image' };
  if (hasData && (await routingsOf(context, key)).length) return;
  throw conflict(
    `The pod has an image ${image.id} that is not a copy of the central region's image. ` +
      'Delete it there, or use another image.',
    { code: 'gateway.foreign_image' },
  );
}

/** Makes the fields, the status and the members of a pod's image like those of the central one. */
async function update(
  context: Context,
  pod: Pod,
  found: ImageInPod,
  image: Image,
  { withMembers }: { readonly withMembers: boolean },
): Promise<void> {
  const { id, status } = image;
  const changes = changesBetween(found, imageView(image));
  if (changes.length) await podImages.changeImage(context, pod, id, changes);
  if (status === 'deactivated' && found.status === 'active')
    await podImages.actOnImage(context, pod, id, 'deactivate');
  if (status === 'active' && found.status === 'deactivated')
    await podImages.actOnImage(context, pod, id, 'reactivate');
  if (!withMembers || image.visibility !== 'shared') return;
  const expected = (await listMembers(context, image)).map(({ member }) => member);
  const current = await podImages.listMembers(context, pod, id);
  for (const member of expected)
    if (!current.includes(member)) await podImages.addMember(context, pod, id, member);
  for (const member of current)
    if (!expected.includes(member)) await podImages.removeMember(context, pod, id, member);
}

/** The job that brings the images of pods up to date with a central one, or deletes them. */
export async function followImage(
  context: Context,
  { subject, payload }: Required<Job>,
): Promise<void> {
  if (await followChanges(context, subject)) return;
  const { failures = 0 } = payload as { readonly failures?: number };
  const next = { kind: followImageKind, subject, payload: { failures: failures + 1 } };
  await scheduleJob(context, next, delayAfter(failures));
}

/** Follows the changes of an image in all pods that have it. @returns whether all did so */
async function followChanges(context: Context, id: string): Promise<boolean> {
  let isDone = true;
  const image = await findCentral(context, id);
  for (const routing of await routingsOf(context, { topId: id, resourceType: 'image' })) {
    const pod = await findPod(context, routing.podId);
    try {
      if (pod && image) await followIn(context, pod, image);
      else if (pod) await podImages.deleteImage(context, pod, id);
      if (!pod || !image) await removeRouting(context, routing);
    } catch (error) {
      const isForeign = error instanceof ApiError && error.status === 409;
      if (!isForeign && !(error instanceof PodFailure)) throw error;
      const { regionName } = pod!;
      context.cloud.log.warn({ err: error, image: id, pod: regionName }, 'an image has to wait');
      if (!isForeign) isDone = false;
    }
  }
  return isDone;
}

/** Brings the image of a pod up to date, if the pod has it. @throws 409, PodFailure */
async function followIn(context: Context, pod: Pod, image: Image): Promise<void> {
  const found = await podImages.readImage(context, pod, image.id);
  if (!found) return;
  // The pod still makes the data of a queued image.
  if (image.status !== 'queued') await checkCopy(context, pod, found, image);
  await update(context, pod, found, image, { withMembers: true });
}
