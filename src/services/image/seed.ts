// What an empty Image has: one public image to boot servers from.
import { idFor, uuidFor } from '../../kernel/ids.ts';
import { digestsOf, virtualSizeOf } from './domain/data.ts';
import { blankImage, type Image } from './domain/records.ts';
import { writeData } from './store/data.ts';
import { hasImages, insertImage } from './store/images.ts';
import type { Work } from '../../kernel/model.ts';

/** The id of the image, the same in every cloud and after every reset, so that clients may store it. */
export const cirrosId = uuidFor('image.cirros');

const megabyte = 1024 * 1024;

/** The header of an empty qcow2 disk of 112 MB. Nothing in the emulator reads more of CirrOS than that. */
function cirrosData(): Buffer {
  const data = Buffer.alloc(512);
  data.write('QFI\xfb', 0, 'latin1');
  data.writeUInt32BE(3, 4);
  data.writeUInt32BE(16, 20);
  data.writeBigUInt64BE(BigInt(112 * megabyte), 24);
  return data;
}

/** Adds the image to a database that has no images. */
export async function seedImage({ db, now }: Work): Promise<void> {
  if (await hasImages(db)) return;
  const data = cirrosData();
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
    virtualSize: virtualSizeOf('qcow2', data),
    ...digestsOf(data),
    createdAt: now,
    updatedAt: now,
  };
  await insertImage(db, image);
  await writeData(db, image.id, data);
}
