// What a server starts from, and the disks that follow: those of the image, of the request and of
// the flavor. Upstream: _check_and_transform_bdm in compute/api.py.
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
  readMappings,
  refuse,
  rootMapping,
  type Fields,
  type Mapping,
} from './mappings.ts';

/** What a request says of disks. */
export interface DiskRequest {
  /** Empty where the request names none. */
  readonly imageId: string;
  readonly mappings: readonly Mapping[];
  readonly legacyMappings: boolean;
  /** How many servers may be created. */
  readonly most: number;
}

/**
 * The image that a server starts from, be it on a volume; undefined where nothing tells of one.
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
    return usableImage(context, root.id, refuse(`failed to get image ${root.id}.`).message);
  const volumeId =
    root.source === 'volume' ? root.id : (await findVolumeSnapshot(context, root.id))?.volumeId;
  if (volumeId === undefined) throw refuse(`failed to get snapshot ${root.id}.`);
  const volume = await findVolume(context, volumeId);
  if (!volume) throw refuse(`failed to get volume ${volumeId}.`);
  if (!volume.bootable) throw badRequest(`Block Device ${volumeId} is not bootable.`);
  return imageOnVolume(volume);
}

/** The names in a volume's image metadata that are the image's own, and no properties. */
const ownNames = new Set([
  'image_id',
  'image_name',
  'size',
  'checksum',
  'container_format',
  'disk_format',
  'min_ram',
  'min_disk',
]);

/** The image that a volume was made of, as the volume has kept it. */
function imageOnVolume({ imageMetadata, size }: Volume): BootImage {
  const properties = Object.entries(imageMetadata).filter(([name]) => !ownNames.has(name));
  return {
    size: size * 1024 ** 3,
    minDisk: Number(imageMetadata['min_disk'] ?? 0),
    minRam: Number(imageMetadata['min_ram'] ?? 0),
    properties: Object.fromEntries(properties),
  };
}

/**
 * The disks of a server: those that the image defines, but for those whose device the request gives
 * to another, those of the request, and the flavor's swap and ephemeral disks, unless there are
 * such already.
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

/** @throws 400 where a volume is to be the root device of a server that starts from an image */
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
  const listed = propertyJson(properties['block_device_mapping']);
  const items = Array.isArray(listed) ? (listed as Fields[]) : [];
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
  const mappings = propertyJson(properties['mappings']);
  if (!Array.isArray(mappings)) return [];
  return (mappings as { virtual?: string; device?: string }[])
    .filter(({ virtual = '' }) => isVirtual(virtual))
    .map(({ virtual, device = null }) =>
      blankDisk({
        device: device && !device.startsWith('/') ? `/dev/${device}` : device,
        format: virtual === 'swap' ? 'swap' : null,
      }),
    );
}
