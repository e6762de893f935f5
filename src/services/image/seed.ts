// Seeds an empty Image with one public image to boot servers from, and with metadata definitions.
import { idFor, uuidFor } from '../../kernel/ids.ts';
import { digestsOf } from './domain/data.ts';
import { emptyQcow2 } from './domain/formats.ts';
import { addDefaultNamespaces } from './domain/metadefs/default-namespaces.ts';
import { newLocations } from './domain/stores.ts';
import { blankImage, type Image } from './model.ts';
import { writeData } from './store/data.ts';
import { images, insertImage } from './store/images.ts';
import { recordSeed } from './store/seeds.ts';
import type { Context } from '../../kernel/model.ts';

/** The id of the image: the same in every cloud and after every reset, so clients can store it. */
export const cirrosId = uuidFor('image.cirros');

/** The size of the CirrOS disk in bytes. The data holds only its header. */
const diskSize = 112 * 1024 * 1024;

/** Seeds a region, once: what is deleted stays deleted. */
export async function seedImage(context: Context): Promise<void> {
  await seedCirros(context);
  if (await recordSeed(context.db, 'metadefs')) await addDefaultNamespaces(context);
}

/** Adds the image to a database without images. */
async function seedCirros(context: Context): Promise<void> {
  const { db, now } = context;
  if (!(await recordSeed(db, 'cirros')) || (await images.exists(db, {}))) return;
  const data = emptyQcow2(diskSize);
  const image: Image = {
    ...blankImage,
    id: cirrosId,
    name: 'cirros',
    status: 'active',
    visibility: 'public',
    owner: idFor('identity.project.admin'), // Identity derives the project's id from the same name
    containerFormat: 'bare',
    diskFormat: 'qcow2',
    size: data.length,
    virtualSize: diskSize,
    locations: await newLocations(context),
    ...digestsOf(data),
    createdAt: now,
    updatedAt: now,
  };
  await insertImage(db, image);
  await writeData(db, image.id, data);
}
