// Plans what a pod needs from the central region before it can create or change a resource. All
// functions are pure: a step follows from what the central region has, its writes from what the pod
// has.
import type { Json } from '../call.ts';
import {
  flavorVersion,
  keypairVersion,
  listVolumeTypes,
  type CentralFlavor,
  type CentralKeypair,
  type CentralVolumeType,
  type Specs,
  type VolumeType,
} from '../clients/centre.ts';
import type { Plan, Step } from '../clients/execute.ts';
import type { ServiceRequest } from '../clients/message.ts';
import type { Pod } from '../clients/tricircle.ts';

/** What a new server needs from the central region. */
export interface ServerNeeds {
  readonly flavor: CentralFlavor;
  readonly keypair: CentralKeypair | undefined;
  readonly images: readonly Step[];
}

/** The fields of a request that the central region has acted on. */
const networkFields = ['security_groups', 'networks'];
const countFields = ['min_count', 'max_count', 'return_reservation_id'];

const without = (fields: Json, names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

/** The steps that bring a pod what a server needs. */
export const serverSteps = ({ flavor, keypair, images }: ServerNeeds): Step[] => [
  flavorStep(flavor),
  ...(keypair ? [keypairStep(keypair)] : []),
  ...images,
];

/** The request for servers in a pod that have no ports. */
export function requestWithoutPorts(pod: Pod, body: Json, { hasNone }: Networking): ServiceRequest {
  const server = without(withPodZone(body['server'] as Json, pod), networkFields);
  const request = { method: 'POST', path: '/servers' };
  // Older microversions have no word for no networks.
  return {
    ...request,
    body: { ...body, server: { ...server, networks: 'none' } },
    ...(hasNone ? {} : { version: 'compute 2.37' }),
  };
}

/** What the microversion of a request knows about networks. */
export interface Networking {
  /** Whether servers may ask for none. */
  readonly hasNone: boolean;
}

/** The request for a server in a pod, with ports there. */
export function requestWithPorts(
  pod: Pod,
  body: Json,
  { networks, names }: { readonly networks: readonly Json[]; readonly names: Json },
): ServiceRequest {
  const fields = withPodZone(body['server'] as Json, pod);
  const kept = without(fields, [...networkFields, ...countFields]);
  const server = { ...kept, ...names, networks };
  return { method: 'POST', path: '/servers', body: { ...body, server } };
}

/** What a new volume needs from the central region. */
export interface VolumeNeeds {
  readonly type: CentralVolumeType | undefined;
  readonly images: readonly Step[];
}

/** Plans the creation of a volume in a pod, which knows the volume type by its name only. */
export const planVolume = (
  { type, images }: VolumeNeeds,
  pod: Pod,
  body: { readonly volume: Json },
): Plan => ({
  steps: [...(type ? [volumeTypeStep(type)] : []), ...images],
  request: {
    method: 'POST',
    path: '/volumes',
    body: {
      ...body,
      volume: {
        ...withPodZone(body.volume, pod),
        ...(type ? { volume_type: type.fields.name } : {}),
      },
    },
  },
});

/** The fields of a new server or volume with the pod's own zone instead of the tenants' zone. */
function withPodZone(fields: Json, { podAzName }: Pod): Json {
  const { availability_zone: zone, ...rest } = fields;
  if (typeof zone !== 'string' || podAzName === '') return rest;
  return { ...rest, availability_zone: [podAzName, ...zone.split(':').slice(1)].join(':') };
}

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
  admin: Pick<ServiceRequest, 'version' | 'asAdmin'>,
): ServiceRequest[] {
  const removals = Object.keys(current)
    .filter((key) => !Object.hasOwn(expected, key))
    .map((key) => ({ method: 'DELETE', path: `${path}/${encodeURIComponent(key)}`, ...admin }));
  const isChanged = Object.entries(expected).some(([key, value]) => current[key] !== value);
  const change = { method: 'POST', path, body: { extra_specs: expected }, ...admin };
  return [...removals, ...(isChanged ? [change] : [])];
}

/**
 * Brings the caller's key pair to a pod. A key pair of that name with another public key is one
 * that the caller has replaced in the central region.
 */
function keypairStep(keypair: CentralKeypair): Step {
  const path = `/os-keypairs/${encodeURIComponent(keypair.name)}`;
  const version = keypairVersion;
  const create = { method: 'POST', path: '/os-keypairs', body: { keypair }, version };
  const remove = { method: 'DELETE', path, version };
  return {
    lookup: { method: 'GET', path, version },
    writesAfter: (found) => {
      const current = found?.['keypair'] as CentralKeypair | undefined;
      if (!current) return [create];
      return current.public_key === keypair.public_key ? [] : [remove, create];
    },
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
