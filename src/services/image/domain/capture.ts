// Captures the images of a cloud, without their data.
import {
  entriesOf,
  imageFields,
  textOrNull,
  textsOf,
  timeOf,
} from '../../../emulator/capture/fields.ts';
import type { Captured, CaptureSource, Json } from '../../../emulator/capture/model.ts';
import type { Context } from '../../../kernel/model.ts';
import type { Micros } from '../../../kernel/clock.ts';
import { imageStatuses, memberStatuses, type Image, type Member } from '../model.ts';
import { images, insertImage } from '../store/images.ts';
import { insertMember } from '../store/members.ts';
import { deleteImagesOf } from '../store/owned-images.ts';

/** The fields of an image in replies; every other one is a property. */
const fields = new Set([
  ...imageFields,
  'direct_url',
  'file',
  'locations',
  'schema',
  'self',
  'stores',
]);

/** Captures all images, hidden ones too, and the projects that they are shared with. */
export async function captureImages(context: Context, source: CaptureSource): Promise<Captured> {
  const { db, now } = context;
  const seeded = (await images.list(db)).flatMap(({ owner }) => owner ?? []);
  await deleteImagesOf(db, seeded);
  const listed: Json[] = [];
  for (const hidden of ['false', 'true']) {
    const path = `/v2/images?visibility=all&os_hidden=${hidden}&limit=1000`;
    listed.push(...(await source.list('image', path, 'images')));
  }
  for (const one of listed) await insertImage(db, imageOf(one, now));
  const shared = listed.filter((one) => one['visibility'] === 'shared');
  const members = await source.each('shared images', shared, async (one) => {
    const path = `/v2/images/${String(one['id'])}/members`;
    return entriesOf(await source.get('image', path), 'members');
  });
  for (const member of members.flat()) await insertMember(db, memberOf(member, now));
  return { images: listed.length };
}

function memberOf(one: Json, now: Micros): Member {
  const createdAt = timeOf(one['created_at']) ?? now;
  return {
    imageId: String(one['image_id']),
    member: String(one['member_id']),
    status: memberStatuses.find((status) => status === one['status']) ?? 'pending',
    createdAt,
    updatedAt: timeOf(one['updated_at']) ?? createdAt,
  };
}

/** The record of an image. One whose data is on its way will not get it here: it is `queued`. */
function imageOf(one: Json, now: Micros): Image {
  const createdAt = timeOf(one['created_at']) ?? now;
  const number = (name: string): number | null =>
    typeof one[name] === 'number' ? one[name] : null;
  const properties = Object.entries(textsOf(one)).filter(([name]) => !fields.has(name));
  const stores = textOrNull(one['stores'])?.split(',') ?? ['local'];
  const hasData = one['status'] === 'active' || one['status'] === 'deactivated';
  const status = imageStatuses.find((known) => known === one['status']) ?? 'killed';
  return {
    id: String(one['id']),
    name: textOrNull(one['name']),
    status: ['saving', 'uploading', 'importing'].includes(status) ? 'queued' : status,
    visibility: one['visibility'] as Image['visibility'],
    owner: textOrNull(one['owner']),
    size: number('size'),
    virtualSize: number('virtual_size'),
    checksum: textOrNull(one['checksum']),
    hashAlgo: textOrNull(one['os_hash_algo']),
    hashValue: textOrNull(one['os_hash_value']),
    containerFormat: textOrNull(one['container_format']),
    diskFormat: textOrNull(one['disk_format']),
    minDisk: number('min_disk') ?? 0,
    minRam: number('min_ram') ?? 0,
    isProtected: one['protected'] === true,
    isHidden: one['os_hidden'] === true,
    revision: 0,
    locations: hasData ? stores.map((store) => ({ store })) : [],
    createdAt,
    updatedAt: timeOf(one['updated_at']) ?? createdAt,
    tags: (one['tags'] ?? []) as readonly string[],
    properties: Object.fromEntries(properties),
  };
}
