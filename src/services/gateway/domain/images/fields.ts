// The fields of images in Glance's API, as the central region and the pods exchange them.
import type { Json } from '../../call.ts';
import type { ImageChange, ImageInPod } from '../../clients/tricircle.ts';
import type { NewImage } from '../../clients/image.ts';

/** The fields that each Glance gives its own values. */
const ownFields = [
  'status',
  'size',
  'virtual_size',
  'checksum',
  'os_hash_algo',
  'os_hash_value',
  'created_at',
  'updated_at',
  'self',
  'file',
  'schema',
  'locations',
  'stores',
  'direct_url',
];

/** The fields that a copy shares with its image, and that may change. */
const sharedFields = [
  'owner',
  'name',
  'min_disk',
  'min_ram',
  'protected',
  'visibility',
  'os_hidden',
  'tags',
];

/** The fields that a copy shares with its image, and that do not change once it has data. */
const fixedFields = ['id', 'container_format', 'disk_format'];

const fieldNames = new Set([...ownFields, ...sharedFields, ...fixedFields]);

/** The properties of an image that requests may set, unlike those of an import. */
const propertiesOf = (image: Json): Record<string, string> =>
  Object.fromEntries(
    Object.entries(image).filter(
      (entry): entry is [string, string] =>
        !fieldNames.has(entry[0]) &&
        !entry[0].startsWith('os_glance') &&
        typeof entry[1] === 'string',
    ),
  );

/** The fields of a new copy of a central image. */
export const copyOf = (image: Json): Json => ({
  ...propertiesOf(image),
  ...Object.fromEntries([...sharedFields, ...fixedFields].map((name) => [name, image[name]])),
});

/** The changes that make an image of a pod like the central one. */
export function changesBetween(inPod: Json, central: Json): ImageChange[] {
  const fields = sharedFields.filter((name) => !isEqual(inPod[name], central[name]));
  const expected = propertiesOf(central);
  const current = propertiesOf(inPod);
  return [
    ...fields.map((name) => ({ op: 'replace' as const, path: `/${name}`, value: central[name] })),
    ...Object.entries(expected)
      .filter(([name, value]) => current[name] !== value)
      .map(([name, value]) => ({ op: 'add' as const, path: pointerTo(name), value })),
    ...Object.keys(current)
      .filter((name) => !Object.hasOwn(expected, name))
      .map((name) => ({ op: 'remove' as const, path: pointerTo(name) })),
  ];
}

/** Whether two values are equal. The order of tags does not matter. */
const isEqual = (one: unknown, other: unknown): boolean =>
  JSON.stringify(Array.isArray(one) ? one.toSorted() : one) ===
  JSON.stringify(Array.isArray(other) ? other.toSorted() : other);

const pointerTo = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The central image of a pod's image. */
export const newImageOf = (image: ImageInPod): NewImage => ({
  id: image.id,
  owner: image.owner,
  name: image['name'] as string | null,
  containerFormat: image['container_format'] as string | null,
  diskFormat: image['disk_format'] as string | null,
  minDisk: Number(image['min_disk']),
  minRam: Number(image['min_ram']),
  visibility: image['visibility'] as NonNullable<NewImage['visibility']>,
  isProtected: image['protected'] === true,
  tags: (image['tags'] ?? []) as string[],
  properties: propertiesOf(image),
});
