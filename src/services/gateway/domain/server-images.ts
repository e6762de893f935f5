// The images that servers make. Nova of the pod creates them in the pod's Glance; the central
// region gets an image with the same id, and its data as soon as the pod has it. A job compares the
// images of a server until nothing is under way, so it does not matter where a process dies.
import { emulatedNow, SECOND } from '../../../kernel/clock.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { elevated, inRegionTransaction, systemActor } from '../../../kernel/context.ts';
import { cancel, schedule } from '../../../kernel/jobs/queue.ts';
import { newUuid } from '../../../kernel/ids.ts';
import type { Context, Job } from '../../../kernel/model.ts';
import {
  createImage,
  createMember,
  deleteImage,
  findImages,
  imagesWith,
  storeBlank,
  storeData,
  type Image,
  type NewImage,
} from '../clients/image.ts';
import {
  deleteImageInPod,
  findPod,
  listServerImagesInPod as listServerImages,
  PodFailure,
  readImageBytesInPod,
  removeRouting,
  route,
  routingOf,
  type ImageInPod,
  type Pod,
} from '../clients/tricircle.ts';

export const carryImagesKind = 'gateway.carry_images';

/** Image schedules this job in the transaction that deletes an image of the central region. */
export const imageDeletedKind = 'gateway.image_deleted';

/** A server, and the project that has made images of it. */
export interface ImageSource {
  readonly serverId: string;
  readonly projectId: string;
}

/** The payload of the job that carries the images of a server. */
interface Carriage extends ImageSource {
  readonly podId: string;
  /** The image to carry; by default all that Nova has made of the server for the project. */
  readonly imageId?: string;
  /** How often the job has run for what is under way. */
  readonly rounds?: number;
}

/** The payload of the job that Image schedules for a deleted image, which is its subject. */
interface Deletion {
  readonly failures?: number;
}

/** How long after a request the job checks the pod, if the process that served it has died. */
const recoveryDelay = 60 * SECOND;

/** The longest time between two rounds, in seconds. */
const maxDelay = 24 * 60 * 60;

/** The delay before the next round, after some rounds. */
const delayAfter = (rounds: number): number => Math.min(2 ** rounds, maxDelay) * SECOND;

/**
 * Schedules the job before a pod is asked for an image, because this process may die.
 * @returns the job's subject
 */
export async function expectImages(
  context: Context,
  pod: Pod,
  source: ImageSource,
): Promise<string> {
  const subject = newUuid();
  await scheduleJob(context, carryImagesKind, subject, { ...source, podId: pod.id }, recoveryDelay);
  return subject;
}

/** Cancels the job of a request that the process has served. */
export const forgetImages = (context: Context, subject: string): Promise<void> =>
  inRegionTransaction(context, context.region, ({ db }) => cancel(db, carryImagesKind, subject));

/**
 * Carries an image of a server now, and schedules the job if it is not complete.
 * @param imageId its id, if the pod has told it
 * @throws ApiError if the central region refuses the image: then the pod has none, either
 */
export const carryNow = (
  context: Context,
  pod: Pod,
  source: ImageSource,
  imageId: string | undefined,
): Promise<void> =>
  carry(context, { ...source, podId: pod.id, ...(imageId === undefined ? {} : { imageId }) });

/** The job that carries the images of a server. */
export async function carryImages(context: Context, { payload }: Required<Job>): Promise<void> {
  const carriage = payload as Carriage;
  await carry(context, carriage).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    const { serverId: server } = carriage;
    context.cloud.log.warn({ err: error, server }, 'the central region refused an image');
  });
}

async function carry(context: Context, carriage: Carriage): Promise<void> {
  const pod = await findPod(context, carriage.podId);
  if (!pod) return;
  try {
    if (await isCarried(context, pod, carriage)) return;
  } catch (error) {
    if (!(error instanceof PodFailure)) throw error;
    const { serverId: server } = carriage;
    context.cloud.log.warn({ err: error, server }, 'the images of a server have to wait');
  }
  const { rounds = 0 } = carriage;
  const next = { ...carriage, rounds: rounds + 1 };
  await scheduleJob(context, carryImagesKind, newUuid(), next, delayAfter(rounds));
}

/** Whether a job asks, and not a request. Its time is its due time, also if the clock has moved. */
const isJob = ({ actor }: Context): boolean => actor === systemActor;

/** Schedules a job. A request's is due after what the pod has begun, whose clock was read later. */
const scheduleJob = (
  context: Context,
  kind: string,
  subject: string,
  payload: Carriage | Deletion,
  delay: number,
): Promise<void> =>
  inRegionTransaction(context, context.region, async ({ cloud, db, now }) => {
    const from = isJob(context) ? now : Math.max(now, emulatedNow(cloud.sharedState.cached.clock));
    await schedule(db, { dueAt: from + delay, kind, subject, payload });
  });

/** The job that deletes the pod's image of a server after the central one. */
export async function followDeletion(
  context: Context,
  { subject: id, payload }: Required<Job>,
): Promise<void> {
  const routing = await routingOf(context, { topId: id, resourceType: 'image' });
  if (!routing || (await findCentral(context, id))) return;
  const pod = await findPod(context, routing.podId);
  try {
    if (pod) await deleteImageInPod(context, pod, id);
    await removeRouting(context, routing);
  } catch (error) {
    if (!(error instanceof PodFailure)) throw error;
    context.cloud.log.warn({ err: error, image: id }, 'a pod has not deleted an image yet');
    const { failures = 0 } = payload as Deletion;
    const next = { failures: failures + 1 };
    await scheduleJob(context, imageDeletedKind, id, next, delayAfter(failures));
  }
}

const findCentral = async (context: Context, id: string): Promise<Image | undefined> =>
  (await findImages(elevated(context), { id }))[0];

/**
 * Compares the images of a server in the pod with those of the central region.
 * @returns whether nothing is under way any more
 */
async function isCarried(context: Context, pod: Pod, carriage: Carriage): Promise<boolean> {
  const { projectId, imageId } = carriage;
  // Any tenant of the pod can give its images this server's id: only the project's own ones count.
  const inPod = (await listServerImages(context, pod, carriage)).filter(
    ({ owner }) => owner === projectId,
  );
  let isDone = true;
  for (const image of inPod) {
    if (imageId === undefined ? isShelved(image) : image.id !== imageId) continue;
    if (!(await isCarriedImage(context, pod, carriage, image))) isDone = false;
  }
  await removeVanished(context, pod, carriage, new Set(inPod.map(({ id }) => id)));
  return isDone;
}

/** Whether Nova has made an image to shelve a server. It deletes that when it unshelves it. */
const isShelved = ({ name }: ImageInPod): boolean => String(name).endsWith('-shelved');

/**
 * Creates the central image and copies its data, if the pod has it.
 * @returns whether nothing is under way any more
 * @throws ApiError if the central region refuses the image, after deleting both
 */
async function isCarriedImage(
  context: Context,
  pod: Pod,
  source: ImageSource,
  image: ImageInPod,
): Promise<boolean> {
  try {
    if (!(await isKnown(context, pod, source, image))) return true;
    if (image.status === 'active') await copyData(context, pod, image);
    return !['queued', 'saving', 'importing'].includes(image.status);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    await deleteImageInPod(context, pod, image.id);
    // An image with data was there before, or is complete.
    const central = await findCentral(context, image.id);
    if (central?.status === 'queued') await removeCentral(context, source, image.id);
    throw error;
  }
}

/** Deletes the central image of a source, if it is there. */
async function removeCentral(
  context: Context,
  { projectId }: ImageSource,
  id: string,
): Promise<void> {
  await inRegionTransaction(context, context.region, async (inner) => {
    const found = await findCentral(inner, id);
    if (found?.owner === projectId && !found.isProtected) await deleteImage(inner, found);
  });
  const routing = await routingOf(context, { topId: id, resourceType: 'image' });
  if (routing) await removeRouting(context, routing);
}

/**
 * Creates the central image of a pod's image, and routes it. If the central one has been deleted,
 * so is the pod's.
 * @returns whether there is a central image
 */
async function isKnown(
  context: Context,
  pod: Pod,
  { serverId, projectId }: ImageSource,
  image: ImageInPod,
): Promise<boolean> {
  const { id } = image;
  const routing = await routingOf(context, { topId: id, resourceType: 'image' });
  const server = await routingOf(context, { topId: serverId, resourceType: 'server' });
  const central = await inRegionTransaction(context, context.region, async (inner) => {
    const found = await findCentral(inner, id);
    if (found ?? routing) return found;
    const created = await createImage(inner, fieldsOf(image));
    // An administrator's image of a tenant's server is shared with the tenant, as in the pod.
    if (created.visibility === 'shared' && server && server.projectId !== projectId)
      await createMember(inner, created, server.projectId);
    return created;
  }).catch(async (error: unknown) => {
    // Another process may have created it meanwhile.
    const found = await findCentral(context, id);
    if (found) return found;
    throw error;
  });
  if (!central) {
    await deleteImageInPod(context, pod, id);
    await removeRouting(context, routing!);
    return false;
  }
  if (central.owner !== projectId) return false;
  await route(context, { topId: id, podId: pod.id, projectId, resourceType: 'image' });
  return true;
}

/** The fields of a pod's image that are not copied, because the central region gives its own. */
const uncopied = new Set([
  'status',
  'size',
  'virtual_size',
  'checksum',
  'os_hash_algo',
  'os_hash_value',
  'created_at',
  'updated_at',
  'self',
  'file',
  'schema',
  'locations',
  'stores',
  'direct_url',
  'id',
  'owner',
  'name',
  'container_format',
  'disk_format',
  'min_disk',
  'min_ram',
  'protected',
  'visibility',
  'os_hidden',
  'tags',
]);

/** The central image of a pod's image. */
const fieldsOf = (image: ImageInPod): NewImage => ({
  id: image.id,
  owner: image.owner,
  name: image['name'] as string | null,
  containerFormat: image['container_format'] as string | null,
  diskFormat: image['disk_format'] as string | null,
  minDisk: Number(image['min_disk']),
  minRam: Number(image['min_ram']),
  visibility: image['visibility'] === 'shared' ? 'shared' : 'private',
  tags: (image['tags'] ?? []) as string[],
  properties: Object.fromEntries(
    Object.entries(image).filter(
      (entry): entry is [string, string] => !uncopied.has(entry[0]) && typeof entry[1] === 'string',
    ),
  ),
});

/** Gives a central image the data of the pod's image. A blank disk has a size, and no checksum. */
async function copyData(context: Context, pod: Pod, image: ImageInPod): Promise<void> {
  const { id, size, checksum } = image;
  const before = await findCentral(context, id);
  if (before?.status !== 'queued') return;
  const bytes = checksum === null ? undefined : await readImageBytesInPod(context, pod, id);
  if (checksum !== null && !bytes) return;
  await inRegionTransaction(context, context.region, async (inner) => {
    const queued = await findCentral(inner, id);
    if (queued?.status !== 'queued') return;
    await (bytes ? storeData(inner, queued, bytes) : storeBlank(inner, queued, size ?? 0));
  });
}

/**
 * Deletes the central images whose images the pod has deleted before they were complete, or because
 * they were backups beyond the rotation.
 */
async function removeVanished(
  context: Context,
  pod: Pod,
  { serverId, projectId }: ImageSource,
  inPod: ReadonlySet<string>,
): Promise<void> {
  const images = await imagesWith(context, { instance_uuid: serverId });
  for (const { id, owner, status, properties } of images) {
    if (inPod.has(id) || owner !== projectId) continue;
    if (status !== 'queued' && properties['image_type'] !== 'backup') continue;
    const routing = await routingOf(context, { topId: id, resourceType: 'image' });
    if (routing?.podId !== pod.id) continue;
    await removeCentral(context, { serverId, projectId }, id);
  }
}
