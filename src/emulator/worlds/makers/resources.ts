// Makes flavors, images, networks, and volumes with their types.
import { emptyDisk } from '../empty-disk.ts';
import { idIn, partOf, type RegionClient } from '../client.ts';
import type {
  FlavorEntry,
  ImageEntry,
  NetworkEntry,
  VolumeEntry,
  VolumeTypeEntry,
} from '../model.ts';
import { each, given, named, namesOf, textsOf, type At } from './model.ts';

export const makeFlavors = (
  region: RegionClient,
  entries: readonly FlavorEntry[],
  at: At,
): Promise<number> =>
  each(entries, at, async ({ name, id, extra_specs: specs, projects, ephemeral, ...sizes }) => {
    const flavor = given({
      ...sizes,
      name,
      id: id === undefined ? undefined : String(id),
      'OS-FLV-EXT-DATA:ephemeral': ephemeral,
      'os-flavor-access:is_public': projects === undefined,
    });
    const made = await region.ask('POST', '/compute/v2.1/flavors', { body: { flavor } });
    const path = `/compute/v2.1/flavors/${idIn(made, 'flavor')}`;
    if (specs)
      await region.ask('POST', `${path}/os-extra_specs`, { body: { extra_specs: textsOf(specs) } });
    for (const project of projects ?? [])
      await region.ask('POST', `${path}/action`, {
        body: { addTenantAccess: { tenant: await region.client.projectId(project) } },
      });
    region.remember('flavor', name, idIn(made, 'flavor'));
  });

export const makeImages = (
  region: RegionClient,
  entries: readonly (string | ImageEntry)[],
  at: At,
): Promise<number> =>
  each(entries, at, async (entry) => {
    const {
      project,
      properties = {},
      disk_format: format = 'qcow2',
      ...one
    } = named<ImageEntry>(entry);
    const image = given({
      visibility: 'public',
      ...one,
      ...textsOf(properties),
      disk_format: format,
      container_format: 'bare',
    });
    const { id } = await region.ask('POST', '/image/v2/images', { body: image, project });
    await region.ask('PUT', `/image/v2/images/${String(id)}/file`, {
      bytes: emptyDisk(format),
      type: 'application/octet-stream',
      project,
    });
    region.remember('image', one.name, String(id));
  });

export async function makeNetworks(
  region: RegionClient,
  entries: readonly (string | NetworkEntry)[],
  at: At,
): Promise<number> {
  const taken = new Set(entries.map((entry) => named<NetworkEntry>(entry).cidr));
  let next = 0;
  const freeRange = (): string => {
    for (;;) {
      const range = `10.${1 + (next >> 8)}.${next++ & 255}.0/24`;
      if (!taken.has(range) && !range.startsWith('10.0.')) return range;
    }
  };
  return each(entries, at, async (entry) => {
    const { name, project, cidr, shared, external, dhcp, router } = named<NetworkEntry>(entry);
    const network = given({ name, shared, 'router:external': external });
    const made = await region.ask('POST', '/network/v2.0/networks', { body: { network }, project });
    const id = idIn(made, 'network');
    region.remember('network', name, id);
    const subnet = given({
      name: `${name}-subnet`,
      network_id: id,
      ip_version: cidr?.includes(':') ? 6 : 4,
      cidr: cidr ?? freeRange(),
      enable_dhcp: dhcp ?? (external === true ? false : undefined),
    });
    const inside = await region.ask('POST', '/network/v2.0/subnets', { body: { subnet }, project });
    if (router === undefined) return;
    const routerId = await region
      .idOf('router', router)
      .catch(() => makeRouter(region, router, project));
    await region.ask('PUT', `/network/v2.0/routers/${routerId}/add_router_interface`, {
      body: { subnet_id: idIn(inside, 'subnet') },
      project,
    });
  });
}

/** Makes a router to the first external network, if there is one. */
async function makeRouter(
  region: RegionClient,
  name: string,
  project: string | undefined,
): Promise<string> {
  const outside = (await region.listOf('network')).find((one) => one['router:external'] === true);
  const gateway = outside && { network_id: outside['id'] };
  const router = given({ name, external_gateway_info: gateway });
  const made = await region.ask('POST', '/network/v2.0/routers', { body: { router }, project });
  region.remember('router', name, idIn(made, 'router'));
  return idIn(made, 'router');
}

export const makeVolumeTypes = (
  region: RegionClient,
  entries: readonly (string | VolumeTypeEntry)[],
  at: At,
): Promise<number> =>
  each(entries, at, async (entry) => {
    const {
      name,
      description,
      backend,
      extra_specs: specs = {},
      projects,
    } = named<VolumeTypeEntry>(entry);
    const backendSpec = backend === undefined ? {} : { volume_backend_name: backend };
    const type = given({
      name,
      description,
      'os-volume-type-access:is_public': projects === undefined,
      extra_specs: { ...backendSpec, ...textsOf(specs) },
    });
    const made = await region.ask('POST', '/volume/v3/types', { body: { volume_type: type } });
    const id = idIn(made, 'volume_type');
    for (const project of projects ?? [])
      await region.ask('POST', `/volume/v3/types/${id}/action`, {
        body: { addProjectAccess: { project: await region.client.projectId(project) } },
      });
    region.remember('volume_type', name, id);
  });

export async function makeVolumes(
  region: RegionClient,
  entries: readonly VolumeEntry[],
  at: At,
): Promise<number> {
  let made = 0;
  await each(entries, at, async ({ name, count, size = 1, type, image, project, server }) => {
    for (const one of namesOf(name, count)) {
      const volume = given({
        name: one,
        size,
        volume_type: type,
        imageRef: image === undefined ? undefined : await region.idOf('image', image),
      });
      const reply = await region.ask('POST', '/volume/v3/volumes', { body: { volume }, project });
      if (server !== undefined) {
        const path = `/compute/v2.1/servers/${await region.idOf('server', server)}`;
        await region.ask('POST', `${path}/os-volume_attachments`, {
          body: { volumeAttachment: { volumeId: partOf(reply, 'volume')['id'] } },
          project,
        });
      }
      made++;
    }
  });
  return made;
}
