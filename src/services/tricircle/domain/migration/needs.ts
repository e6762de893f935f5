// Brings a pod what servers and volumes that move there need: flavors, key pairs, images and volume
// types. The gateways do the same for new ones, as their tenants.
import type { Context } from '../../../../kernel/model.ts';
import { ask, read, type Json } from '../../clients/resources.ts';
import { centralContext } from '../../../../kernel/context.ts';
import type { Pod } from '../../model.ts';
import { listPods } from '../../store/pods.ts';
import { keysOf } from '../tags.ts';

type Specs = Readonly<Record<string, string>>;

const pick = (record: Json, names: readonly string[]): Json =>
  Object.fromEntries(names.flatMap((name) => (name in record ? [[name, record[name]]] : [])));

/** The extra specs for a pod: all except those that Tricircle uses to choose the pod. */
async function podSpecsOf(context: Context, specs: Specs): Promise<Specs> {
  const keys = keysOf(await listPods(centralContext(context).db));
  return Object.fromEntries(Object.entries(specs).filter(([key]) => !keys.has(key)));
}

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

/** Brings a flavor, unless the pod has one with that id. */
export async function bringFlavor(
  context: Context,
  target: Pod,
  { id, projectId }: { readonly id: string; readonly projectId: string },
): Promise<void> {
  const path = `/flavors/${encodeURIComponent(id)}`;
  if (!(await read(context, target, 'compute', { path, key: 'flavor' }))) {
    const central = (await read(context, 'centre', 'compute', { path, key: 'flavor' }))!;
    const flavor = { ...pick(central, flavorFields), swap: Number(central['swap']) };
    await ask(context, target, 'compute', { method: 'POST', path: '/flavors', body: { flavor } });
    const specs = await podSpecsOf(context, (central['extra_specs'] ?? {}) as Specs);
    if (Object.keys(specs).length)
      await ask(context, target, 'compute', {
        method: 'POST',
        path: `${path}/os-extra_specs`,
        body: { extra_specs: specs },
      });
  }
  await grantFlavor(context, target, path, projectId);
}

/** Lets a project use a private flavor. */
async function grantFlavor(
  context: Context,
  target: Pod,
  path: string,
  tenant: string,
): Promise<void> {
  const flavor = await read(context, target, 'compute', { path, key: 'flavor' });
  if (flavor?.['os-flavor-access:is_public'] !== false) return;
  const access = { path: `${path}/os-flavor-access`, key: 'flavor_access' };
  const granted = ((await read(context, target, 'compute', access)) ?? []) as unknown as {
    tenant_id: string;
  }[];
  if (granted.some(({ tenant_id: project }) => project === tenant)) return;
  const body = { addTenantAccess: { tenant } };
  await ask(context, target, 'compute', { method: 'POST', path: `${path}/action`, body });
}

/**
 * Brings a user's key pair, unless the pod has one with that name.
 * @returns whether the pod has it; a key pair may be deleted before its servers
 */
export async function bringKeypair(
  context: Context,
  { source, target }: { readonly source: Pod; readonly target: Pod },
  { name, userId }: { readonly name: string; readonly userId: string },
): Promise<boolean> {
  const lookup = {
    path: `/os-keypairs/${encodeURIComponent(name)}`,
    key: 'keypair',
    query: [['user_id', userId]],
  } as const;
  if (await read(context, target, 'compute', lookup)) return true;
  const found = await read(context, source, 'compute', lookup);
  if (!found) return false;
  const { public_key, type } = found;
  const body = { keypair: { name, public_key, type, user_id: userId } };
  await ask(context, target, 'compute', { method: 'POST', path: '/os-keypairs', body });
  return true;
}

const imageFields = [
  'id',
  'name',
  'disk_format',
  'container_format',
  'min_disk',
  'min_ram',
  'tags',
  'owner',
  'visibility',
];

/** Brings an image of the central region with its data, unless the pod has it. */
export async function bringImage(context: Context, target: Pod, id: string): Promise<void> {
  const path = `/v2/images/${encodeURIComponent(id)}`;
  const get = { method: 'GET', path };
  const inPod = await ask(context, target, 'image', get);
  if (inPod?.body['status'] === 'active') return;
  const { body: image } = (await ask(context, 'centre', 'image', get))!;
  if (!inPod) {
    const body = pick(image, imageFields);
    await ask(context, target, 'image', { method: 'POST', path: '/v2/images', body });
  }
  const file = `${path}/file`;
  const data = await ask(context, 'centre', 'image', { method: 'GET', path: file });
  const bytes = data?.bytes ?? Buffer.alloc(0);
  await ask(context, target, 'image', { method: 'PUT', path: file, bytes });
}

interface VolumeType extends Json {
  readonly name: string;
  readonly extra_specs?: Specs;
}

async function findVolumeType(
  context: Context,
  place: Pod | 'centre',
  name: string,
): Promise<VolumeType | undefined> {
  const query = [
    ['is_public', 'None'],
    ['limit', '1000'],
  ] as const;
  const request = { method: 'GET', path: '/types', query };
  const types = (await ask(context, place, 'volumev3', request))?.body['volume_types'];
  return ((types ?? []) as VolumeType[]).find((type) => type.name === name);
}

/** Brings a volume type, unless the pod has one with that name. */
export async function bringVolumeType(context: Context, target: Pod, name: string): Promise<void> {
  if (await findVolumeType(context, target, name)) return;
  const central = await findVolumeType(context, 'centre', name);
  if (!central) return; // Cinder of the pod refuses the volume
  const volumeType = {
    ...pick(central, ['name', 'description', 'os-volume-type-access:is_public']),
    extra_specs: await podSpecsOf(context, central.extra_specs ?? {}),
  };
  const body = { volume_type: volumeType };
  await ask(context, target, 'volumev3', { method: 'POST', path: '/types', body });
}
