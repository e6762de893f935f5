// Separates the properties of an image from its own fields, and builds the patch that changes the
// properties. Upstream: nova/image/glance.py.
import type { GlanceImage } from '../clients/image.ts';

/** The fields that every image has. All others are properties. */
const ownFields = new Set([
  'id',
  'name',
  'status',
  'visibility',
  'owner',
  'size',
  'virtual_size',
  'checksum',
  'os_hash_algo',
  'os_hash_value',
  'os_hidden',
  'container_format',
  'disk_format',
  'min_ram',
  'min_disk',
  'protected',
  'tags',
  'created_at',
  'updated_at',
  'self',
  'file',
  'schema',
  'stores',
]);

/** Properties that hold JSON. */
const structured = new Set(['block_device_mapping', 'mappings']);

export type Properties = Readonly<Record<string, unknown>>;

/** The properties of an image: all fields that are not its own. */
export function propertiesOf(image: GlanceImage): Properties {
  const properties = Object.entries(image).filter(([name]) => !ownFields.has(name));
  return Object.fromEntries(
    properties.map(([name, value]) => [name, structured.has(name) ? parseJson(value) : value]),
  );
}

/** Parses a property that holds JSON; returns invalid JSON unchanged, as text. */
export const propertyJson = (text: string | undefined): unknown =>
  text === undefined ? undefined : parseJson(text);

function parseJson(value: unknown): unknown {
  try {
    return JSON.parse(String(value)) as unknown;
  } catch {
    return value;
  }
}

/** One operation of a JSON patch. */
interface PatchOperation {
  readonly op: 'add' | 'remove';
  readonly path: string;
  readonly value?: string;
}

/**
 * The patch that replaces the properties of an image: it updates changed properties and removes
 * those that `after` does not contain.
 */
export function patchOf(before: Properties, after: Properties): PatchOperation[] {
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const changed = Object.entries(after).filter(
    ([name, value]) => !isNone(name, value) && textOf(before[name]) !== textOf(value),
  );
  return [
    ...removed.map((name): PatchOperation => ({ op: 'remove', path: pointerTo(name) })),
    ...changed.map(([name, value]): PatchOperation => ({
      op: 'add',
      path: pointerTo(name),
      value: textOf(value)!,
    })),
  ];
}

/** Whether a property says that the image has no kernel or ramdisk; the patch ignores it. */
const isNone = (name: string, value: unknown): boolean =>
  (name === 'kernel_id' || name === 'ramdisk_id') &&
  typeof value === 'string' &&
  /^(none)?$/i.test(value.trim());

const textOf = (value: unknown): string | undefined =>
  value === undefined || typeof value === 'string' ? value : JSON.stringify(value);

const pointerTo = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
