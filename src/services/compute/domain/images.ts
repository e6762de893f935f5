// Images as Compute knows them: what the image itself has, and its properties apart from that.
// Upstream: nova/image/glance.py.

/** An image as the Image service shows it: its properties stand beside its own names. */
export type ShownImage = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly name: string | null;
  readonly status: string;
  readonly size: number | null;
  readonly min_ram: number;
  readonly min_disk: number;
  readonly created_at: string;
  readonly updated_at: string;
};

/** The names that every image has; all others are properties. */
const ownNames = new Set([
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
]);

/** Properties that hold JSON. */
const structured = new Set(['block_device_mapping', 'mappings']);

export type Properties = Readonly<Record<string, unknown>>;

/** The properties of an image: what it has beside its own names. */
export function propertiesOf(image: ShownImage): Properties {
  const others = Object.entries(image).filter(([name]) => !ownNames.has(name));
  return Object.fromEntries(
    others.map(([name, value]) => [name, structured.has(name) ? parsed(value) : value]),
  );
}

/** What a property with JSON holds; the text itself where it is none. */
export const propertyJson = (text: string | undefined): unknown =>
  text === undefined ? undefined : parsed(text);

function parsed(value: unknown): unknown {
  try {
    return JSON.parse(String(value)) as unknown;
  } catch {
    return value;
  }
}

/** One step of a JSON patch. */
interface Step {
  readonly op: 'add' | 'remove';
  readonly path: string;
  readonly value?: string;
}

/**
 * The patch that makes the properties of an image into others: what is not among those is taken
 * away.
 */
export function patchOf(before: Properties, after: Properties): Step[] {
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const changed = Object.entries(after).filter(
    ([name, value]) => !isNone(name, value) && textOf(before[name]) !== textOf(value),
  );
  return [
    ...gone.map((name): Step => ({ op: 'remove', path: pointerTo(name) })),
    ...changed.map(([name, value]): Step => ({
      op: 'add',
      path: pointerTo(name),
      value: textOf(value)!,
    })),
  ];
}

/** A kernel or a ramdisk that is said to be none is left as it is. */
const isNone = (name: string, value: unknown): boolean =>
  (name === 'kernel_id' || name === 'ramdisk_id') &&
  typeof value === 'string' &&
  /^(none)?$/i.test(value.trim());

const textOf = (value: unknown): string | undefined =>
  value === undefined || typeof value === 'string' ? value : JSON.stringify(value);

const pointerTo = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
