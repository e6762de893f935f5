// Renders images. Custom properties are rendered beside an image's own fields.
import { isoSeconds } from '../../../kernel/clock.ts';
import type { Query } from '../../../kernel/query.ts';
import type { Image } from '../model.ts';

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
  };
}

/** Renders a page of images. `more`: the page is full, so another page may follow. */
export function imagesView(query: Query, images: readonly Image[], more: boolean): object {
  const names = query.names().filter((name) => name !== 'marker');
  const pairs = names.map((name) => [name, query.last(name)!] as const);
  const last = images.at(-1);
  return {
    images: images.map(imageView),
    first: linkTo(pairs),
    schema: '/v2/schemas/images',
    ...(more && last ? { next: linkTo([...pairs, ['marker', last.id]]) } : {}),
  };
}

const linkTo = (pairs: readonly (readonly [string, string])[]): string => {
  const query = new URLSearchParams(
    pairs.map(([name, value]): [string, string] => [name, value]),
  ).toString();
  return query ? `/v2/images?${query}` : '/v2/images';
};
