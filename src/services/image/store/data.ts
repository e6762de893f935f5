// The table of image data, in parts of 1 MiB.
import type { Db } from '../../../kernel/db/database.ts';

const partSize = 1024 * 1024;

/** Writes the data of an image without data. */
export async function writeData(db: Db, imageId: string, data: Buffer): Promise<void> {
  for (let at = 0, part = 0; at < data.length; at += partSize, part++)
    await db('image_data').insert({
      image_id: imageId,
      part,
      bytes: data.subarray(at, at + partSize),
    });
}

/** Reads the bytes of an image from `start` up to `end`, which is excluded. */
export async function readData(
  db: Db,
  imageId: string,
  start = 0,
  end = Infinity,
): Promise<Buffer> {
  const first = Math.floor(start / partSize);
  const query = db('image_data')
    .where({ image_id: imageId })
    .where('part', '>=', first)
    .orderBy('part')
    .select('bytes');
  if (Number.isFinite(end)) void query.where('part', '<', Math.ceil(end / partSize));
  const rows = (await query) as { bytes: Uint8Array }[];
  const offset = first * partSize;
  return Buffer.concat(rows.map(({ bytes }) => bytes)).subarray(start - offset, end - offset);
}

/** Deletes the data of an image. */
export async function deleteData(db: Db, imageId: string): Promise<void> {
  await db('image_data').where({ image_id: imageId }).delete();
}
