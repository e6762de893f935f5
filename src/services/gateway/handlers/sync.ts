// Bringing to a pod what a server or a volume needs of the central region: flavor, key pair, image,
// network, volume type.
import type { GatewayCall, Json } from '../call.ts';
import { askCentre, askPod, bodyOf, isOk } from '../clients/pods.ts';
import { affinityKeys, type Pod } from '../clients/tricircle.ts';

/** Flavors have descriptions and their extra specs in one from this version on. */
const flavorVersion = 'compute 2.61';

/** What a new flavor is made of, beside its swap, which is shown in another form. */
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

/** A flavor of the central region, as the gateways need it. */
interface CentralFlavor {
  readonly fields: Json;
  readonly extraSpecs: Readonly<Record<string, string>>;
}

/** The flavor that the caller sees in the central region; undefined where there is none. */
export async function flavorOf(call: GatewayCall, id: string): Promise<CentralFlavor | undefined> {
  const question = {
    method: 'GET',
    path: `/flavors/${encodeURIComponent(id)}`,
    version: flavorVersion,
  };
  if (!isOk(await askCentre(call, question))) return undefined;
  // Not every policy shows a tenant the extra specs.
  return flavorFrom(bodyOf(await askCentre(call, { ...question, isOwn: true })));
}

function flavorFrom(body: Json | undefined): CentralFlavor | undefined {
  if (!body) return undefined;
  const fields = body['flavor'] as Json;
  return { fields, extraSpecs: (fields['extra_specs'] ?? {}) as CentralFlavor['extraSpecs'] };
}

/**
 * The extra specs that are a pod's own matter. Those by which Tricircle chooses the pod are not:
 * schedulers of Nova and Cinder take a key without a namespace for something that their hosts and
 * back ends must have.
 */
export async function ownSpecs(
  call: GatewayCall,
  specs: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const keys = await affinityKeys(call);
  return Object.fromEntries(Object.entries(specs).filter(([key]) => !keys.has(key)));
}

/**
 * Gives a pod the flavor as the central region has it: with its own extra specs, and with the
 * projects that may use it.
 */
export async function ensureFlavor(call: GatewayCall, pod: Pod, id: string): Promise<void> {
  const path = `/flavors/${encodeURIComponent(id)}`;
  const own = { version: flavorVersion, isOwn: true };
  const central = flavorFrom(bodyOf(await askCentre(call, { method: 'GET', path, ...own })));
  if (!central) return;
  const wanted = { ...central, extraSpecs: await ownSpecs(call, central.extraSpecs) };
  const there = flavorFrom(bodyOf(await askPod(call, pod, { method: 'GET', path, ...own })));
  if (!there) {
    const fields = Object.fromEntries(flavorFields.map((name) => [name, wanted.fields[name]]));
    const flavor = { ...fields, swap: Number(wanted.fields['swap']) };
    await askPod(call, pod, { method: 'POST', path: '/flavors', body: { flavor }, ...own });
  }
  const before = there?.extraSpecs ?? {};
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(wanted.extraSpecs, key));
  for (const key of gone)
    await askPod(call, pod, {
      method: 'DELETE',
      path: `${path}/os-extra_specs/${encodeURIComponent(key)}`,
      ...own,
    });
  const isChanged = Object.entries(wanted.extraSpecs).some(([key, value]) => before[key] !== value);
  const specs = { extra_specs: wanted.extraSpecs };
  if (isChanged)
    await askPod(call, pod, {
      method: 'POST',
      path: `${path}/os-extra_specs`,
      body: specs,
      ...own,
    });
  if (wanted.fields['os-flavor-access:is_public'] === false) await ensureAccess(call, pod, path);
}

async function ensureAccess(call: GatewayCall, pod: Pod, path: string): Promise<void> {
  const own = { version: flavorVersion, isOwn: true };
  const answer = await askCentre(call, { method: 'GET', path: `${path}/os-flavor-access`, ...own });
  for (const { tenant_id: tenant } of (bodyOf(answer)?.['flavor_access'] ?? []) as {
    tenant_id: string;
  }[])
    await askPod(call, pod, {
      method: 'POST',
      path: `${path}/action`,
      body: { addTenantAccess: { tenant } },
      ...own,
    });
}

/** Gives a pod the caller's key pair. */
export async function ensureKeypair(call: GatewayCall, pod: Pod, name: string): Promise<void> {
  const question = {
    method: 'GET',
    path: `/os-keypairs/${encodeURIComponent(name)}`,
    version: 'compute 2.2',
  };
  if (isOk(await askPod(call, pod, question))) return;
  const keypair = bodyOf(await askCentre(call, question))?.['keypair'] as Json | undefined;
  if (!keypair) return;
  const body = { keypair: { name, public_key: keypair['public_key'], type: keypair['type'] } };
  await askPod(call, pod, { method: 'POST', path: '/os-keypairs', body, version: 'compute 2.2' });
}

/** What an image is made of, beside its data and who may use it. */
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

/** Gives a pod the image of the central region, with the same id. */
export async function ensureImage(call: GatewayCall, pod: Pod, id: string): Promise<void> {
  const path = `/v2/images/${encodeURIComponent(id)}`;
  const there = { service: 'image', isOwn: true };
  if (isOk(await askPod(call, pod, { method: 'GET', path, ...there }))) return;
  // What the caller may not see, the pod shall not get.
  const image = bodyOf(await askCentre(call, { method: 'GET', path, service: 'image' }));
  if (image?.['status'] !== 'active') return;
  const fields = Object.fromEntries(imageFields.map((name) => [name, image[name]]));
  if (
    !isOk(await askPod(call, pod, { method: 'POST', path: '/v2/images', body: fields, ...there }))
  )
    return;
  const data = await askCentre(call, {
    method: 'GET',
    path: `${path}/file`,
    service: 'image',
    isOwn: true,
  });
  const bytes = Buffer.isBuffer(data.body) ? data.body : Buffer.alloc(0);
  await askPod(call, pod, {
    method: 'PUT',
    path: `${path}/file`,
    bytes,
    type: 'application/octet-stream',
    ...there,
  });
}

/**
 * The networks of a new server as the pod has them: one of the central region is the pod's of the
 * same name. Others stay as they are, so that the pod refuses what it does not have.
 */
export async function networksIn(call: GatewayCall, pod: Pod, networks: unknown): Promise<unknown> {
  if (!Array.isArray(networks)) return undefined;
  return Promise.all(
    (networks as Json[]).map(async (network) => {
      const { uuid } = network;
      return typeof uuid === 'string'
        ? { ...network, uuid: await networkIn(call, pod, uuid) }
        : network;
    }),
  );
}

async function networkIn(call: GatewayCall, pod: Pod, id: string): Promise<string> {
  const question = {
    method: 'GET',
    path: `/v2.0/networks/${encodeURIComponent(id)}`,
    service: 'network',
  };
  if (isOk(await askPod(call, pod, question))) return id;
  const network = bodyOf(await askCentre(call, question))?.['network'] as Json | undefined;
  if (!network) return id;
  const query = new URLSearchParams({ name: String(network['name']) }).toString();
  const found = bodyOf(
    await askPod(call, pod, { method: 'GET', path: '/v2.0/networks', query, service: 'network' }),
  );
  const named = (found?.['networks'] ?? []) as { id: string }[];
  return named.length === 1 ? named[0]!.id : id;
}
