// What an empty Image has: one public image to start servers from.
import { idFor, uuidFor } from '../../kernel/ids.ts';
import { digestsOf, virtualSizeOf } from './domain/data.ts';
import { blankImage, type Image } from './domain/records.ts';
import { writeData } from './store/data.ts';
import { hasImages, insertImage } from './store/images.ts';
import type { Work } from '../../kernel/model.ts';

/** The same in every cloud, so that what a client has noted down is still right after a reset. */
export const cirrosId = uuidFor('image.cirros');

const megabyte = 1024 * 1024;

/** The header of an empty qcow2 disk of 112 MB: as much of CirrOS as anything here looks at. */
function cirrosData(): Buffer {
  const data = Buffer.alloc(512);
  data.write('QFI\xfb', 0, 'latin1');
  data.writeUInt32BE(3, 4);
  data.writeUInt32BE(16, 20);
  data.writeBigUInt64BE(BigInt(112 * megabyte), 24);
  return data;
}

/** Adds the image where there is none at all. */
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
