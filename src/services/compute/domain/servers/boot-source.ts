// Determines what a server boots from, and its disks: those of the image, of the request and of the
// flavor. Upstream: _check_and_transform_bdm in compute/api.py.
import { badRequest } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { findVolume, findVolumeSnapshot, type Volume } from '../../clients/volume.ts';
import { propertyJson } from '../images.ts';
import type { ServerFlavor } from '../../model.ts';
import { usableImage, type BootImage } from './images.ts';
import {
  blankDisk,
  isEphemeral,
  isSwap,
  isVirtual,
  readLegacyMappings,
  invalidMapping,
  readMappings,
  rootMapping,
  type Fields,
  type Mapping,
} from './mappings.ts';

/** The fields of a request that concern disks. */
export interface DiskRequest {
  /** Empty if the request names no image. */
  readonly imageId: string;
  readonly mappings: readonly Mapping[];
  readonly legacyMappings: boolean;
  /** The maximum number of servers to create. */
  readonly most: number;
}

/**
 * The image that a server boots from, directly or from a volume with its content; undefined if the
 * request names neither.
 * @throws 400
 */
export async function bootImage(
  context: Context,
  { imageId, mappings, legacyMappings }: DiskRequest,
): Promise<BootImage | undefined> {
  if (imageId) return usableImage(context, imageId, 'Can not find requested image');
  const root = mappings.find(({ bootIndex, device }) =>
    legacyMappings ? /^\/dev\/(x?[a-z]d)?a\d*$/.test(device ?? '') : bootIndex === 0,
  );
  if (!root || root.id === null) return undefined;
  if (root.source === 'image')
    return usableImage(context, root.id, invalidMapping(`failed to get image ${root.id}.`).message);
  const volumeId =
    root.source === 'volume' ? root.id : (await findVolumeSnapshot(context, root.id))?.volumeId;
  if (volumeId === undefined) throw invalidMapping(`failed to get snapshot ${root.id}.`);
  const volume = await findVolume(context, volumeId);
  if (!volume) throw invalidMapping(`failed to get volume ${volumeId}.`);
  if (!volume.bootable) throw badRequest(`Block Device ${volumeId} is not bootable.`);
  return imageOnVolume(volume);
}

/** The fields of a volume's image metadata that are not properties of the image. */
const ownFields = new Set([
  'image_id',
  'image_name',
  'size',
  'checksum',
  'container_format',
  'disk_format',
  'min_ram',
  'min_disk',
]);

/** The image that a volume was created from, according to the volume's image metadata. */
function imageOnVolume({ imageMetadata, size }: Volume): BootImage {
  const properties = Object.entries(imageMetadata).filter(([name]) => !ownFields.has(name));
  return {
    size: size * 1024 ** 3,
    minDisk: Number(imageMetadata['min_disk'] ?? 0),
    minRam: Number(imageMetadata['min_ram'] ?? 0),
    properties: Object.fromEntries(properties),
  };
}

/**
 * The disks of a server: those of the request, those that the image defines for other devices, and
 * the flavor's swap and ephemeral disks unless the former include such disks.
 * @throws 400
 */
export function disksOf(
  request: DiskRequest,
  image: BootImage | undefined,
  flavor: ServerFlavor,
): Mapping[] {
  const { imageId, legacyMappings, most } = request;
  const defined = image ? definedDisks(image.properties) : [];
  const rootDefined = rootMapping(defined) !== undefined;
  const legacy = legacyMappings || !request.mappings.length;
  checkRootDevice(request, image);
  const own = request.mappings
    .filter(
      ({ bootIndex, source }) => legacy || !rootDefined || bootIndex !== 0 || source !== 'image',
    )
    .map((mapping) => (legacy && rootDefined ? { ...mapping, bootIndex: null } : mapping));
  const root = legacy && imageId && !rootDefined ? [imageDisk(imageId)] : [];
  const taken = new Set(own.flatMap(({ device }) => device ?? []));
  const merged = [
    ...root,
    ...own,
    ...defined.filter(({ device }) => device === null || !taken.has(device)),
  ];
  if (most > 1 && merged.some(({ source }) => source === 'volume'))
    throw badRequest('Cannot attach one or more volumes to multiple instances');
  const disks = merged.filter(({ source }) => source !== 'none');
  const { ephemeral, swap } = flavor;
  if (ephemeral > 0 && !disks.some(isEphemeral)) disks.push(blankDisk({ size: ephemeral }));
  if (swap > 0 && !disks.some(isSwap)) disks.push(blankDisk({ size: swap, format: 'swap' }));
  return disks;
}

/** @throws 400 if a volume is assigned to the root device of a server that boots from an image */
function checkRootDevice({ imageId, mappings }: DiskRequest, image: BootImage | undefined): void {
  const root = image?.properties['root_device_name'] ?? 'vda';
  if (
    imageId &&
    mappings.some(
      ({ destination, device }) =>
        destination === 'volume' && device?.replace(/^\/dev\//, '') === root,
    )
  )
    throw badRequest(
      `The volume cannot be assigned the same device name as the root device ${root}`,
    );
}

const imageDisk = (id: string): Mapping => ({
  ...blankDisk({}),
  source: 'image',
  id,
  bootIndex: 0,
});

/** The disks that the properties of an image define. @throws 400 */
function definedDisks(properties: BootImage['properties']): Mapping[] {
  const devices = propertyJson(properties['block_device_mapping']);
  const items: readonly Fields[] = Array.isArray(devices) ? devices : [];
  const isNew = /^(true|t|1|yes|y|on)$/i.test(properties['bdm_v2'] ?? '');
  const disks = isNew ? readMappings(items, false) : readLegacyMappings(items, false);
  const taken = new Set(disks.flatMap(({ device }) => device ?? []));
  return [
    ...disks,
    ...virtualDisks(properties).filter(({ device }) => device === null || !taken.has(device)),
  ];
}

/** The swap and ephemeral disks among the `mappings` of an image. */
function virtualDisks(properties: BootImage['properties']): Mapping[] {
  const value = propertyJson(properties['mappings']);
  const mappings: readonly { virtual?: string; device?: string }[] = Array.isArray(value)
    ? value
    : [];
  return mappings
    .filter(({ virtual = '' }) => isVirtual(virtual))
    .map(({ virtual, device = null }) =>
      blankDisk({
        device: device && !device.startsWith('/') ? `/dev/${device}` : device,
        format: virtual === 'swap' ? 'swap' : null,
      }),
    );
}
