// What an empty Image has: one public image to boot servers from.
import { idFor, uuidFor } from '../../kernel/ids.ts';
import { digestsOf } from './domain/data.ts';
import { emptyQcow2 } from './domain/formats.ts';
import { blankImage, type Image } from './model.ts';
import { writeData } from './store/data.ts';
import { hasImages, insertImage } from './store/images.ts';
import type { Context } from '../../kernel/model.ts';

/**
 * The id of the image, the same in every cloud and after every reset, so that clients may store it.
 */
export const cirrosId = uuidFor('image.cirros');

/** The size of the disk of CirrOS in bytes. There is no more of it than its header. */
const diskSize = 112 * 1024 * 1024;

/** Adds the image to a database that has no images. */
export async function seedImage({ db, now }: Context): Promise<void> {
  if (await hasImages(db)) return;
  const data = emptyQcow2(diskSize);
  const image: Image = {
    ...blankImage,
    id: cirrosId,
    name: 'cirros',
    status: 'active',
    visibility: 'public',
    owner: idFor('identity.project.admin'), // as Identity names the project of a new cloud
    containerFormat: 'bare',
    diskFormat: 'qcow2',
    size: data.length,
    virtualSize: diskSize,
    ...digestsOf(data),
    createdAt: now,
    updatedAt: now,
  };
  await insertImage(db, image);
  await writeData(db, image.id, data);
}
