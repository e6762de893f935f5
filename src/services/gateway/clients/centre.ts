// Sends requests to the services of the central region, and reads from them what pods may need:
// flavors, key pairs, images and volume types.
import { forward } from '../../../kernel/http/app.ts';
import type { GatewayCall, Json } from '../call.ts';
import {
  messageOf,
  readReply,
  successBody,
  versionPathOf,
  type ServiceReply,
  type ServiceRequest,
} from './message.ts';
import { affinityKeys } from './tricircle.ts';

/** Sends a request to a service of the central region, by default to the gateway's own. */
export async function requestFromCentre(
  call: GatewayCall,
  request: ServiceRequest = {},
): Promise<ServiceReply> {
  const { region } = call;
  const name = request.service ?? call.service.definition.api!;
  const service = call.cloud.services.find(({ definition }) => definition.name === name)!;
  const path =
    request.path === undefined ? call.requestPath! : `${versionPathOf(service)}${request.path}`;
  const prefix =
    request.service === undefined ? call.prefix : `/${region.name}${service.definition.prefix}`;
  const message = await messageOf(call, request);
  return readReply(await forward(call, { ...message, region, service, prefix, path }));
}

/** Reads a resource; undefined if the reply is an error. */
const read = async (call: GatewayCall, request: ServiceRequest): Promise<Json | undefined> =>
  successBody(await requestFromCentre(call, { method: 'GET', ...request }));

export type Specs = Readonly<Record<string, string>>;

/**
 * The extra specs for a pod: all except those that Tricircle uses to choose the pod. The schedulers
 * of Nova and Cinder would read such a key, which has no namespace, as a demand on their hosts and
 * back ends.
 */
async function podSpecsOf(call: GatewayCall, specs: Specs): Promise<Specs> {
  if (!Object.keys(specs).length) return specs;
  const keys = await affinityKeys(call);
  return Object.fromEntries(Object.entries(specs).filter(([key]) => !keys.has(key)));
}

/** A flavor shows its description and its extra specs from this microversion on. */
export const flavorVersion = 'compute 2.61';

/** A flavor of the central region. */
export interface CentralFlavor {
  readonly fields: Json;
  readonly extraSpecs: Specs;
  readonly podSpecs: Specs;
  /** The projects that may use a private flavor; empty for a public flavor. */
  readonly projects: readonly string[];
}

/**
 * Reads a flavor as the caller or as an administrator; undefined if they cannot see it. Not every
 * policy shows the extra specs to a tenant: if they are hidden, the gateway reads them as an
 * administrator.
 */
export async function readFlavor(
  call: GatewayCall,
  id: string,
  { asAdmin }: { readonly asAdmin: boolean },
): Promise<CentralFlavor | undefined> {
  const path = `/flavors/${encodeURIComponent(id)}`;
  const body = await read(call, { path, version: flavorVersion, asAdmin });
  if (!body) return undefined;
  const fields = body['flavor'] as Json & { extra_specs?: Specs };
  if (!fields.extra_specs && !asAdmin) return readFlavor(call, id, { asAdmin: true });
  const extraSpecs = fields.extra_specs ?? {};
  const isPublic = fields['os-flavor-access:is_public'] !== false;
  return {
    fields,
    extraSpecs,
    podSpecs: await podSpecsOf(call, extraSpecs),
    projects: isPublic ? [] : await readFlavorProjects(call, path),
  };
}

async function readFlavorProjects(call: GatewayCall, path: string): Promise<string[]> {
  const request = { path: `${path}/os-flavor-access`, version: flavorVersion, asAdmin: true };
  const access = (await read(call, request))?.['flavor_access'] ?? [];
  return (access as { tenant_id: string }[]).map(({ tenant_id: projectId }) => projectId);
}

/** A key pair shows its type from this microversion on. */
export const keypairVersion = 'compute 2.2';

/** A key pair of the caller. */
export interface CentralKeypair {
  readonly name: string;
  readonly public_key: string;
  readonly type: string;
}

export async function readKeypair(
  call: GatewayCall,
  name: string,
): Promise<CentralKeypair | undefined> {
  const path = `/os-keypairs/${encodeURIComponent(name)}`;
  const body = await read(call, { path, version: keypairVersion });
  const keypair = body?.['keypair'] as CentralKeypair | undefined;
  return keypair && { name, public_key: keypair.public_key, type: keypair.type };
}

/** The ids of the images with a name that the caller sees, at most two. */
export async function readImageIds(call: GatewayCall, name: string): Promise<string[]> {
  const query = new URLSearchParams({ name, limit: '2' }).toString();
  const body = await read(call, { path: '/v2/images', query, service: 'image' });
  return ((body?.['images'] ?? []) as { id: string }[]).map(({ id }) => id);
}

/** A volume type in a reply of Cinder. */
export interface VolumeType extends Json {
  readonly id: string;
  readonly name: string;
  readonly extra_specs?: Specs;
}

/** A volume type of the central region. */
export interface CentralVolumeType {
  readonly fields: VolumeType;
  readonly extraSpecs: Specs;
  readonly podSpecs: Specs;
}

/** The request that lists all volume types of the central region or of a pod. */
export const listVolumeTypes: ServiceRequest = {
  method: 'GET',
  path: '/types',
  query: 'is_public=None&limit=1000',
  version: 'volume 3.0',
  asAdmin: true,
};

/** Reads a volume type by its id or name. */
export async function readVolumeType(
  call: GatewayCall,
  idOrName: string,
): Promise<CentralVolumeType | undefined> {
  const types = ((await read(call, listVolumeTypes))?.['volume_types'] ?? []) as VolumeType[];
  const fields =
    types.find(({ id }) => id === idOrName) ?? types.find(({ name }) => name === idOrName);
  if (!fields) return undefined;
  const extraSpecs = fields.extra_specs ?? {};
  return { fields, extraSpecs, podSpecs: await podSpecsOf(call, extraSpecs) };
}
