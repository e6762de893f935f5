// The data of the copies of central images. A blank disk, such as that of a volume, has a size, and
// no data. A pod in another cloud gets it as an empty qcow2 disk, because Glance's API has no blank
// disks.
import { elevated, inRegionTransaction } from '../../../../kernel/context.ts';
import type { Context } from '../../../../kernel/model.ts';
import {
  digestsOf,
  emptyQcow2,
  findImages,
  isBlankDisk,
  readData,
  storeBlank,
  type Image,
} from '../../clients/image.ts';
import { regionOf } from '../../clients/pods.ts';
import { podImages, type Pod } from '../../clients/tricircle.ts';

const emptyDisk = ({ size }: Image): Buffer => emptyQcow2(size ?? 0);

/** Whether a pod gets an empty disk with data in the place of a blank one. */
const getsDisk = async (context: Context, pod: Pod, image: Image): Promise<boolean> =>
  isBlankDisk(image) && !(await regionOf(context, pod, 'image'));

/** The digests of the data of a copy. */
export const digestsOfCopy = async (
  context: Context,
  pod: Pod,
  image: Image,
): Promise<Pick<Image, 'checksum' | 'hashValue'>> =>
  (await getsDisk(context, pod, image)) ? digestsOf(emptyDisk(image)) : image;

/** The disk format of a copy. */
export const formatOfCopy = async (
  context: Context,
  pod: Pod,
  image: Image,
): Promise<string | null> => ((await getsDisk(context, pod, image)) ? 'qcow2' : image.diskFormat);

/** Gives a copy its data. @throws ApiError, PodFailure */
export async function sendData(context: Context, pod: Pod, image: Image): Promise<void> {
  const { id, size } = image;
  const region = isBlankDisk(image) ? await regionOf(context, pod, 'image') : undefined;
  if (!region) {
    const bytes = isBlankDisk(image) ? emptyDisk(image) : await readData(context.db, id);
    return podImages.uploadData(context, pod, id, bytes);
  }
  await inRegionTransaction(context, region, async (inner) => {
    const [copy] = await findImages(elevated(inner), { id });
    if (copy?.status === 'queued') await storeBlank(inner, copy, size ?? 0);
  });
}
