// The images that servers and volumes make. The pod creates them in its Glance; the central region
// gets an image with the same id, and its data as soon as the pod has it. A job compares the images
// until nothing is under way, so it does not matter where a process dies.
import { SECOND } from '../../../../kernel/clock.ts';
import { ApiError } from '../../../../kernel/errors.ts';
import { inRegionTransaction } from '../../../../kernel/context.ts';
import { cancel } from '../../../../kernel/jobs/queue.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import type { Context, Job, Reply } from '../../../../kernel/model.ts';
import {
  createImage,
  createMember,
  deleteImage,
  imagesWith,
  isBlankDisk,
  storeBlank,
  storeData,
  type Image,
} from '../../clients/image.ts';
import {
  findPod,
  podImages,
  podDown,
  PodFailure,
  routingOf,
  routingsOf,
  type ImageInPod,
  type Pod,
} from '../../clients/tricircle.ts';
import { findCentral, routeImage } from './copies.ts';
import { newImageOf } from './fields.ts';
import { delayAfter, scheduleJob } from './jobs.ts';

export const carryImagesKind = 'gateway.carry_images';

/** A server, and the project for which it makes images. */
interface Server {
  readonly projectId: string;
  readonly serverId: string;
}

/** A request that makes an image of a volume. */
interface Upload {
  readonly projectId: string;
  readonly imageName: string;
  /** The images of the project that had the name before. */
  readonly before: readonly string[];
}

/** What makes images. Nova notes the server in its images, Cinder notes nothing. */
export type ImageSource = Server | Upload;

const isServer = (source: ImageSource): source is Server => 'serverId' in source;

/** The payload of the job that carries images. */
type Carriage = ImageSource & {
  readonly podId: string;
  /** The image to carry; by default all images of the source. */
  readonly imageId?: string;
  /** How often the job has run for what is under way. */
  readonly rounds?: number;
};

/** How long after a request the job checks the pod, if the process that served it has died. */
const recoveryDelay = 60 * SECOND;

/** The request of a project that makes an image of a volume. @throws 503 */
export async function uploadBy(
  context: Context,
  pod: Pod,
  { projectId, imageName }: Pick<Upload, 'projectId' | 'imageName'>,
): Promise<Upload> {
  const query = { name: imageName, owner: projectId };
  const images = await podImages.listImages(context, pod, query).catch((error: unknown) => {
    throw error instanceof PodFailure ? podDown(pod) : error;
  });
  return { projectId, imageName, before: images.map(({ id }) => id) };
}

/**
 * Lets a pod make an image, and carries it to the central region. The job is scheduled before,
 * because this process may die.
 * @throws ApiError if the central region refuses the image: then the pod has none, either
 */
export async function carryingImage(
  context: Context,
  pod: Pod,
  source: ImageSource,
  make: () => Promise<Reply>,
): Promise<Reply> {
  const subject = newUuid();
  const carriage = { ...source, podId: pod.id };
  const job = { kind: carryImagesKind, subject, payload: carriage };
  await scheduleJob(context, job, recoveryDelay);
  const reply = await make();
  const imageId = madeImage(reply);
  if (reply.status < 300)
    await carry(context, imageId === undefined ? carriage : { ...carriage, imageId });
  await inRegionTransaction(context, context.region, ({ db }) =>
    cancel(db, carryImagesKind, subject),
  );
  return reply;
}

/** The id of the image that a reply tells: in its body, or before 2.45 in its Location header. */
export function madeImage({ body, headers = {} }: Reply): string | undefined {
  interface Made {
    readonly image_id?: string;
  }
  const fields = (body ?? {}) as Made & { readonly 'os-volume_upload_image'?: Made };
  const { image_id: id = fields.image_id } = fields['os-volume_upload_image'] ?? {};
  return id ?? (headers['location'] as string | undefined)?.split('/').at(-1);
}

/** The job that carries images. */
export async function carryImages(context: Context, { payload }: Required<Job>): Promise<void> {
  await carry(context, payload as Carriage).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    context.cloud.log.warn({ err: error }, 'the central region refused an image');
  });
}

async function carry(context: Context, carriage: Carriage): Promise<void> {
  const pod = await findPod(context, carriage.podId);
  if (!pod) return;
  try {
    if (await isCarried(context, pod, carriage)) return;
  } catch (error) {
    if (!(error instanceof PodFailure)) throw error;
    const { regionName } = pod;
    context.cloud.log.warn({ err: error, pod: regionName }, 'the images of a pod have to wait');
  }
  const { rounds = 0 } = carriage;
  const payload = { ...carriage, rounds: rounds + 1 };
  const job = { kind: carryImagesKind, subject: newUuid(), payload };
  await scheduleJob(context, job, delayAfter(rounds));
}

/**
 * Compares the images of a source in the pod with those of the central region.
 * @returns whether nothing is under way any more
 */
async function isCarried(context: Context, pod: Pod, carriage: Carriage): Promise<boolean> {
  const { projectId, imageId } = carriage;
  // Any tenant of the pod can give its images this server's id: only the project's own ones count.
  const inPod = (await imagesInPod(context, pod, carriage)).filter(
    ({ owner }) => owner === projectId,
  );
  let isDone = true;
  for (const image of inPod) {
    if (imageId === undefined ? !isMadeBy(carriage, image) : image.id !== imageId) continue;
    if (!(await isCarriedImage(context, pod, carriage, image))) isDone = false;
  }
  await removeVanished(context, pod, carriage, new Set(inPod.map(({ id }) => id)));
  return isDone;
}

/** The images of a pod that may belong to a source. */
async function imagesInPod(context: Context, pod: Pod, carriage: Carriage): Promise<ImageInPod[]> {
  const { projectId: owner, imageId } = carriage;
  if (isServer(carriage))
    return podImages.listImages(context, pod, { owner, instance_uuid: carriage.serverId });
  if (imageId === undefined)
    return podImages.listImages(context, pod, { owner, name: carriage.imageName });
  const image = await podImages.readImage(context, pod, imageId);
  return image ? [image] : [];
}

/** Whether an image of a query belongs to the central region, too. */
const isMadeBy = (source: ImageSource, image: ImageInPod): boolean =>
  // Nova makes an image to shelve a server, and deletes that when it unshelves it.
  isServer(source)
    ? !String(image['name']).endsWith('-shelved')
    : !source.before.includes(image.id);

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
    await podImages.deleteImage(context, pod, image.id);
    // An image with data was there before, or is complete.
    const central = await findCentral(context, image.id);
    if (central?.status === 'queued') await removeCentral(context, source, image.id);
    throw error;
  }
}

/** Deletes the central image of a source, if it is there. Pods follow. */
const removeCentral = (context: Context, { projectId }: ImageSource, id: string): Promise<void> =>
  inRegionTransaction(context, context.region, async (inner) => {
    const found = await findCentral(inner, id);
    if (found?.owner === projectId && !found.isProtected) await deleteImage(inner, found);
  });

/**
 * Creates the central image of a pod's image, and routes it. If the central one has been deleted,
 * a job deletes the pod's.
 * @returns whether there is a central image
 */
async function isKnown(
  context: Context,
  pod: Pod,
  source: ImageSource,
  image: ImageInPod,
): Promise<boolean> {
  const { id } = image;
  const { projectId } = source;
  const isRouted = (await routingOf(context, { topId: id, resourceType: 'image' })) !== undefined;
  const server = isServer(source)
    ? await routingOf(context, { topId: source.serverId, resourceType: 'server' })
    : undefined;
  const central = await inRegionTransaction(context, context.region, async (inner) => {
    const found = await findCentral(inner, id);
    if (found ?? isRouted) return found;
    const created = await createImage(inner, newImageOf(image));
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
  if (central?.owner !== projectId) return false;
  await routeImage(context, pod, { id, projectId });
  return true;
}

/** Gives a central image the data of the pod's image. That of a blank disk is not downloaded. */
async function copyData(context: Context, pod: Pod, image: ImageInPod): Promise<void> {
  const { id, checksum } = image;
  const size = image.size ?? 0;
  const isBlank = isBlankDisk({ size, checksum });
  const before = await findCentral(context, id);
  if (before?.status !== 'queued') return;
  const bytes = isBlank ? undefined : await podImages.readImageBytes(context, pod, id);
  if (!isBlank && !bytes) return;
  await inRegionTransaction(context, context.region, async (inner) => {
    const queued = await findCentral(inner, id);
    if (queued?.status !== 'queued') return;
    await (bytes ? storeData(inner, queued, bytes) : storeBlank(inner, queued, size));
  });
}

/**
 * Deletes the central images whose images the pod has deleted before they were complete, or because
 * they were backups beyond the rotation.
 */
async function removeVanished(
  context: Context,
  pod: Pod,
  carriage: Carriage,
  inPod: ReadonlySet<string>,
): Promise<void> {
  for (const { id, owner, status, properties } of await centralImages(context, carriage)) {
    if (inPod.has(id) || owner !== carriage.projectId) continue;
    const isBackup = isServer(carriage) && properties['image_type'] === 'backup';
    if (status !== 'queued' && !isBackup) continue;
    // The pod that has made an image is the first that has it.
    const [routing] = await routingsOf(context, { topId: id, resourceType: 'image' });
    if (routing?.podId !== pod.id) continue;
    // The pod may have made it after its images were listed.
    if (!(await podImages.readImage(context, pod, id))) await removeCentral(context, carriage, id);
  }
}

/** The images of a source in the central region. */
async function centralImages(context: Context, carriage: Carriage): Promise<readonly Image[]> {
  if (isServer(carriage)) return imagesWith(context, { instance_uuid: carriage.serverId });
  const { imageId } = carriage;
  const image = imageId === undefined ? undefined : await findCentral(context, imageId);
  return image ? [image] : [];
}
