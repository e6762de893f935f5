// Reads block device mappings, which describe the disks of a server, in both of their versions.
// Upstream: block_device.py.
import { badRequest, type ApiError } from '../../../../kernel/errors.ts';
import { isTrue } from '../../../../kernel/oslo/booleans.ts';

/** A block device mapping. `size` is in GB, for swap in MB. */
export interface Mapping {
  /** `image`, `volume`, `snapshot` or `blank`; `none` suppresses a device of the image. */
  readonly source: string;
  readonly destination: string;
  readonly id: string | null;
  readonly bootIndex: number | null;
  readonly size: number | null;
  readonly device: string | null;
  readonly deleteOnTermination: boolean;
  readonly tag: string | null;
  readonly type: string | null;
  /** `swap` makes a blank disk swap space. */
  readonly format: string | null;
  readonly bus: string | null;
}

export type Fields = Readonly<Record<string, unknown>>;

/** The error for invalid mappings. */
export const invalidMapping = (details: string): ApiError =>
  badRequest(`Block Device Mapping is Invalid: ${details}`);

const numberOrNull = (value: unknown): number | null =>
  value === undefined || value === null || value === '' ? null : Number(value);
const textOrNull = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;
const withPath = (device: string | null): string | null =>
  device === null || device.startsWith('/dev/') ? device : `/dev/${device}`;

/** Reads block_device_mapping_v2. @throws 400 */
export const readMappings = (items: readonly Fields[], hasImage: boolean): Mapping[] =>
  items.map((item) => readMapping(item, hasImage));

function readMapping(item: Fields, hasImage: boolean): Mapping {
  const common = commonOf(item);
  if (item['no_device'])
    return { ...common, source: 'none', destination: 'none', id: null, bootIndex: null };
  const kinds = ['image', 'volume', 'snapshot'] as const;
  const named = kinds.find((kind) => textOrNull(item[`${kind}_id`]) !== null);
  const source = textOrNull(item['source_type']) ?? named;
  if (source === undefined) throw invalidMapping('Invalid source_type field.');
  const id =
    textOrNull(item['uuid']) ?? (named === undefined ? null : textOrNull(item[`${named}_id`]));
  if (source === 'blank' && id !== null) throw invalidMapping('Invalid device UUID.');
  if (source !== 'blank' && id === null) throw invalidMapping('Missing device UUID.');
  const destination =
    textOrNull(item['destination_type']) ??
    (source === 'image' || source === 'blank' ? 'local' : 'volume');
  const bootIndex = numberOrNull(item['boot_index']);
  if (source === 'image' && destination === 'local' && (bootIndex !== 0 || !hasImage))
    throw invalidMapping('Mapping image to local is not supported.');
  if (destination === 'local' && common.type !== null)
    throw invalidMapping('Specifying a volume_type with destination_type=local is not supported.');
  if (source === 'volume' && common.type !== null)
    throw invalidMapping('Specifying volume type to existing volume is not supported.');
  return {
    ...common,
    source,
    destination,
    id,
    bootIndex: bootIndex !== null && bootIndex < 0 ? null : bootIndex,
  };
}

const commonOf = (item: Fields): Omit<Mapping, 'source' | 'destination' | 'id' | 'bootIndex'> => ({
  size: numberOrNull(item['volume_size']),
  device: withPath(textOrNull(item['device_name'])),
  deleteOnTermination: isTrue(item['delete_on_termination']),
  tag: textOrNull(item['tag']),
  type: textOrNull(item['volume_type']),
  format: textOrNull(item['guest_format']),
  bus: textOrNull(item['disk_bus']),
});

/**
 * Reads block_device_mapping. Without an image, the root device is `vda`, or else the first volume
 * or snapshot. @throws 400
 */
export function readLegacyMappings(items: readonly Fields[], hasImage: boolean): Mapping[] {
  const mappings = items.map(readLegacyMapping);
  if (mappings.some(({ id, source }) => id === null && source !== 'blank' && source !== 'none'))
    throw invalidMapping('Missing device UUID.');
  const root = hasImage ? -1 : rootOf(mappings);
  return mappings.map((mapping, index) =>
    index === root ? { ...mapping, bootIndex: 0 } : mapping,
  );
}

function rootOf(mappings: readonly Mapping[]): number {
  const named = mappings.findIndex(
    ({ device }) => device !== null && /^\/dev\/[sv]da$/.test(device),
  );
  return named >= 0
    ? named
    : mappings.findIndex(({ source }) => source === 'volume' || source === 'snapshot');
}

function readLegacyMapping(item: Fields): Mapping {
  const common = { ...commonOf(item), bootIndex: null };
  if (item['no_device'] !== undefined && item['no_device'] !== null)
    return { ...common, source: 'none', destination: 'none', id: null };
  const virtual = textOrNull(item['virtual_name']);
  if (virtual !== null && isVirtual(virtual))
    return blankDisk({ ...common, format: virtual === 'swap' ? 'swap' : null });
  const snapshot = textOrNull(item['snapshot_id']);
  return {
    ...common,
    source: snapshot === null ? 'volume' : 'snapshot',
    destination: 'volume',
    id: snapshot ?? textOrNull(item['volume_id']),
  };
}

/** Whether a virtual name denotes a swap or an ephemeral disk. */
export const isVirtual = (name: string): boolean => /^(swap|ephemeral\d+)$/.test(name);

/** A local disk without content. */
export const blankDisk = (fields: Partial<Mapping>): Mapping => ({
  size: null,
  device: null,
  tag: null,
  type: null,
  format: null,
  bus: null,
  ...fields,
  source: 'blank',
  destination: 'local',
  id: null,
  bootIndex: null,
  deleteOnTermination: true,
});

export const isSwap = ({ source, destination, format }: Mapping): boolean =>
  source === 'blank' && destination === 'local' && format === 'swap';

export const isEphemeral = ({ source, destination, format }: Mapping): boolean =>
  source === 'blank' && destination === 'local' && format !== 'swap';

/** The mapping of the root disk. */
export const rootMapping = (mappings: readonly Mapping[]): Mapping | undefined =>
  mappings.find(({ bootIndex }) => bootIndex === 0);

/** Whether the mappings put the root disk on a volume. */
export const rootOnVolume = (mappings: readonly Mapping[]): boolean =>
  rootMapping(mappings)?.destination === 'volume';
