// Plans what a pod needs from the central region before it can create or change a resource. All
// functions are pure: a step follows from what the central region has, its writes from what the pod
// has.
import type { Json } from '../call.ts';
import {
  flavorVersion,
  keypairVersion,
  listVolumeTypes,
  type CentralFlavor,
  type CentralImage,
  type CentralKeypair,
  type CentralVolumeType,
  type Specs,
  type VolumeType,
} from '../clients/centre.ts';
import type { Step, Write } from '../clients/execute.ts';

/** What a new server needs from the central region. */
export interface ServerNeeds {
  readonly flavor: CentralFlavor;
  readonly keypair: CentralKeypair | undefined;
  readonly images: readonly CentralImage[];
}

export const planServer = ({ flavor, keypair, images }: ServerNeeds): Step[] => [
  flavorStep(flavor),
  ...(keypair ? [keypairStep(keypair)] : []),
  ...images.map(imageStep),
];

/** The fields of a new flavor, except swap, which Nova shows in another form. */
const flavorFields = [
  'id',
  'name',
  'ram',
  'vcpus',
  'disk',
  'OS-FLV-EXT-DATA:ephemeral',
  'rxtx_factor',
  'os-flavor-access:is_public',
  'description',
];

const pick = (resource: Json, names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, resource[name]]));

/** Brings a flavor to a pod, with the extra specs for pods and the projects that may use it. */
export function flavorStep({ fields, podSpecs, projects }: CentralFlavor): Step {
  const path = `/flavors/${encodeURIComponent(String(fields['id']))}`;
  const admin = { version: flavorVersion, asAdmin: true };
  const flavor = { ...pick(fields, flavorFields), swap: Number(fields['swap']) };
  const create = { method: 'POST', path: '/flavors', body: { flavor }, ...admin };
  const grants = projects.map((tenant) => ({
    method: 'POST',
    path: `${path}/action`,
    body: { addTenantAccess: { tenant } },
    ...admin,
  }));
  return {
    lookup: { method: 'GET', path, ...admin },
    writesAfter: (found) => {
      const current = found?.['flavor'] as { extra_specs?: Specs } | undefined;
      return [
        ...(current ? [] : [create]),
        ...specWrites(current?.extra_specs ?? {}, podSpecs, `${path}/os-extra_specs`, admin),
        ...grants,
      ];
    },
  };
}

/** The writes that turn a pod's extra specs into those that it should have. */
function specWrites(
  current: Specs,
  expected: Specs,
  path: string,
  admin: Pick<Write, 'version' | 'asAdmin'>,
): Write[] {
  const removals = Object.keys(current)
    .filter((key) => !Object.hasOwn(expected, key))
    .map((key) => ({ method: 'DELETE', path: `${path}/${encodeURIComponent(key)}`, ...admin }));
  const isChanged = Object.entries(expected).some(([key, value]) => current[key] !== value);
  const change = { method: 'POST', path, body: { extra_specs: expected }, ...admin };
  return [...removals, ...(isChanged ? [change] : [])];
}

/** Brings the caller's key pair to a pod. */
function keypairStep(keypair: CentralKeypair): Step {
  const path = `/os-keypairs/${encodeURIComponent(keypair.name)}`;
  const create = { method: 'POST', path: '/os-keypairs', body: { keypair } };
  return {
    lookup: { method: 'GET', path, version: keypairVersion },
    writesAfter: (found) => (found ? [] : [{ ...create, version: keypairVersion }]),
  };
}

/** The fields of a new image. Its members stay in the central region. */
const imageFields = [
  'id',
  'name',
  'disk_format',
  'container_format',
  'min_disk',
  'min_ram',
  'protected',
  'tags',
  'owner',
  'visibility',
];

/** Brings an image to a pod, with the same id and its data. */
export function imageStep(image: CentralImage): Step {
  const path = `/v2/images/${encodeURIComponent(image.id)}`;
  const admin = { service: 'image', asAdmin: true };
  const create = { method: 'POST', path: '/v2/images', body: pick(image, imageFields), ...admin };
  const upload = {
    method: 'PUT',
    path: `${path}/file`,
    imageId: image.id,
    mediaType: 'application/octet-stream',
    requiresPrevious: true,
    ...admin,
  };
  return {
    lookup: { method: 'GET', path, ...admin },
    writesAfter: (found) => (found ? [] : [create, upload]),
  };
}

/** The pod's volume type with that name. Its id differs: Cinder accepts no id from a client. */
export const findVolumeType = (listed: Json | undefined, name: string): VolumeType | undefined =>
  ((listed?.['volume_types'] ?? []) as VolumeType[]).find((type) => type.name === name);

/**
 * Brings a volume type to a pod, with the extra specs for pods. Pods get its encryption and its
 * access list only when these are written.
 */
export function volumeTypeStep({ fields, podSpecs }: CentralVolumeType): Step {
  const { name, description, 'os-volume-type-access:is_public': isPublic = true } = fields;
  const volumeType = {
    name,
    description,
    'os-volume-type-access:is_public': isPublic,
    extra_specs: podSpecs,
  };
  const admin = { version: 'volume 3.0', asAdmin: true };
  const create = { method: 'POST', path: '/types', body: { volume_type: volumeType }, ...admin };
  return {
    lookup: listVolumeTypes,
    writesAfter: (listed) => {
      const current = findVolumeType(listed, name);
      if (!current) return [create];
      const path = `/types/${current.id}/extra_specs`;
      return specWrites(current.extra_specs ?? {}, podSpecs, path, admin);
    },
  };
}
