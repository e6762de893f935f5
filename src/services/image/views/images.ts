// Renders images. Custom properties are rendered beside an image's own fields.
import { isoSeconds } from '../../../kernel/clock.ts';
import type { Query } from '../../../kernel/query.ts';
import type { Image } from '../model.ts';
import { collectionLinks } from './links.ts';

export function imageView(image: Image): Record<string, unknown> {
  const self = `/v2/images/${image.id}`;
  return {
    ...image.properties,
    name: image.name,
    disk_format: image.diskFormat,
    container_format: image.containerFormat,
    visibility: image.visibility,
    size: image.size,
    virtual_size: image.virtualSize,
    status: image.status,
    checksum: image.checksum,
    protected: image.isProtected,
    min_ram: image.minRam,
    min_disk: image.minDisk,
    owner: image.owner,
    os_hidden: image.isHidden,
    os_hash_algo: image.hashAlgo,
    os_hash_value: image.hashValue,
    id: image.id,
    created_at: isoSeconds(image.createdAt),
    updated_at: isoSeconds(image.updatedAt),
    tags: image.tags,
    self,
    file: `${self}/file`,
    schema: '/v2/schemas/image',
    ...(image.locations.length
      ? { stores: image.locations.map(({ store }) => store).join(',') }
      : {}),
  };
}

/** Renders a page of images. `more`: the page is full, so another page may follow. */
export const imagesView = (query: Query, images: readonly Image[], more: boolean): object => ({
  images: images.map(imageView),
  ...collectionLinks(query, '/v2/images', more ? images.at(-1)?.id : undefined),
  schema: '/v2/schemas/images',
});
