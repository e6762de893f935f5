// The steps in the target: bring what the resources need, and create them there with their ids.
import { parseTime } from '../../../../../kernel/clock.ts';
import { centralPortsOf } from '../../../clients/compute.ts';
import {
  act,
  ask,
  groupPath,
  listServerVolumes,
  readFlavorId,
  readGroup,
  readServer,
  readVolume,
  serverPath,
  volumePath,
  importResource,
  type Json,
  type NewImport,
} from '../../../clients/resources.ts';
import type { MovedResource, Pod } from '../../../model.ts';
import { carryPort, discardPort } from '../../cascade/ports.ts';
import { inCentre } from '../inspect.ts';
import { bringFlavor, bringImage, bringKeypair, bringVolumeType } from '../needs.ts';
import { bringTo, resetStatus } from './freeze.ts';
import type { Context } from '../../../../../kernel/model.ts';
import {
  cannotMove,
  done,
  forEach,
  inTurn,
  ofType,
  type Outcome,
  type Step,
  type Work,
} from './step.ts';

/** The owner and the time of creation, as services show them. */
interface Origin {
  readonly projectId: unknown;
  readonly userId: unknown;
  readonly createdAt?: unknown;
}

/** Creates a resource in the target with its id. @throws ApiError */
async function importInto(
  { context, target }: Work,
  service: 'compute' | 'volumev3',
  {
    id,
    origin,
    ...rest
  }: Pick<NewImport, 'path' | 'key' | 'body'> & {
    readonly id: string;
    readonly origin: Origin;
  },
): Promise<void> {
  const imported = {
    id,
    projectId: String(origin.projectId),
    userId: String(origin.userId),
    createdAt: parseTime(String(origin.createdAt)) ?? context.now,
  };
  if (!(await importResource(context, target, service, { ...rest, imported })))
    throw cannotMove(`${target.regionName} cannot create a resource with a given id.`);
}

/** Brings what servers and volumes need besides themselves. */
export const prepare: Step = {
  name: 'prepare',
  run: async (work) => {
    const { context, source, target } = work;
    for (const { id, projectId } of ofType(work.move, 'server')) {
      const server = await requireServer(context, source, id);
      const flavorId = await readFlavorId(context, source, id);
      await bringFlavor(context, target, { id: flavorId, projectId });
      const {
        key_name: name,
        user_id: userId,
        image,
      } = server as {
        key_name: string | null;
        user_id: string;
        image: '' | Json;
      };
      if (name !== null) await bringKeypair(context, work, { name, userId });
      if (image !== '') await bringImage(context, target, String(image['id']));
      for (const { portId } of await centralPortsOf(inCentre(context), id))
        await carryPort(context, target, portId, { isNew: false });
    }
    for (const { id } of ofType(work.move, 'volume')) {
      const volume = await readVolume(context, source, id);
      await bringVolumeType(context, target, String(volume?.['volume_type']));
    }
    return done;
  },
  undo: async (work) => discardPorts(work, work.target),
};

async function requireServer(context: Context, pod: Pod, id: string): Promise<Json> {
  const server = await readServer(context, pod, id);
  if (!server) throw cannotMove(`The server ${id} is gone.`);
  return server;
}

/** Deletes the copies of the servers' ports in a pod. */
export async function discardPorts({ context, move }: Work, pod: Pod): Promise<Outcome> {
  for (const { id, projectId } of ofType(move, 'server'))
    for (const { portId } of await centralPortsOf(inCentre(context), id))
      await discardPort(context, pod, { id: portId, projectId });
  return done;
}

/** Volumes and groups, which servers refer to. */
export const copy: Step = {
  name: 'copy',
  run: async (work) => {
    await forEach(work, 'server_group', async ({ id }) => {
      await copyGroup(work, id);
      return true;
    });
    return forEach(work, 'volume', ({ id }) => copyVolume(work, id));
  },
  undo: (work) =>
    inTurn(
      () => forEach(work, 'volume', ({ id }) => deleteVolume(work.context, work.target, id)),
      () => forEach(work, 'server_group', ({ id }) => deleteGroup(work.context, work.target, id)),
    ),
};

async function copyGroup(work: Work, id: string): Promise<void> {
  const { context, source, target } = work;
  if (await readGroup(context, target, id)) return;
  const group = await readGroup(context, source, id);
  if (!group) throw cannotMove(`The server group ${id} is gone.`);
  const { name, policy, rules, project_id: projectId, user_id: userId } = group;
  const hasRules = Object.keys(rules as object).length > 0;
  await importInto(work, 'compute', {
    path: '/os-server-groups',
    key: 'server_group',
    id,
    origin: { projectId, userId },
    body: { server_group: { name, policy, ...(hasRules ? { rules } : {}) } },
  });
}

/** The metadata that the tenant has set, without what Cinder shows among it. */
const ownMetadata = (volume: Json): Json =>
  Object.fromEntries(
    Object.entries(volume['metadata'] as Json).filter(
      ([name]) => name !== 'readonly' && name !== 'attached_mode',
    ),
  );

/** @returns whether the volume is complete */
async function copyVolume(work: Work, id: string): Promise<boolean> {
  const { context, source, target } = work;
  const volume = await readVolume(context, source, id);
  if (!volume) throw cannotMove(`The volume ${id} is gone.`);
  const copied = await readVolume(context, target, id);
  const { readonly } = volume['metadata'] as Json;
  if (!copied) {
    const { name, description, size, volume_type: type } = volume;
    await importInto(work, 'volumev3', {
      path: '/volumes',
      key: 'volume',
      id,
      origin: {
        projectId: volume['os-vol-tenant-attr:tenant_id'],
        userId: volume['user_id'],
        createdAt: volume['created_at'],
      },
      body: {
        volume: { name, description, size, volume_type: type, metadata: ownMetadata(volume) },
      },
    });
    return false;
  }
  if (copied['status'] === 'error')
    throw cannotMove(`${target.regionName} has no room for the volume ${id}.`);
  if (copied['status'] !== 'available') return copied['status'] === 'in-use';
  const path = volumePath(id);
  const change = (action: Json) => act(context, target, 'volumev3', path, action);
  const imageMetadata = volume['volume_image_metadata'] as Json | undefined;
  if (imageMetadata && !copied['volume_image_metadata'])
    await change({ 'os-set_image_metadata': { metadata: imageMetadata } });
  if (volume['bootable'] !== copied['bootable'])
    await change({ 'os-set_bootable': { bootable: volume['bootable'] === 'true' } });
  if (readonly === 'True') await change({ 'os-update_readonly_flag': { readonly: true } });
  return true;
}

/** @returns whether the pod has no such volume any more */
export async function deleteVolume(context: Context, pod: Pod, id: string): Promise<boolean> {
  const volume = await readVolume(context, pod, id);
  if (!volume) return true;
  if (volume['status'] === 'deleting') return false;
  await resetStatus(context, pod, id, 'available');
  await act(context, pod, 'volumev3', volumePath(id), { 'os-force_delete': {} });
  return false;
}

/** @returns true: groups are deleted at once */
export async function deleteGroup(context: Context, pod: Pod, id: string): Promise<boolean> {
  await ask(context, pod, 'compute', { method: 'DELETE', path: groupPath(id) });
  return true;
}

/** The servers, which claim their resources in the target's Placement. */
export const create: Step = {
  name: 'create',
  run: (work) => forEach(work, 'server', (server) => createServer(work, server)),
  undo: (work) => forEach(work, 'server', ({ id }) => deleteServer(work.context, work.target, id)),
};

/** @returns whether the server is complete */
async function createServer(work: Work, { id }: MovedResource): Promise<boolean> {
  const { context, source, target } = work;
  const copied = await readServer(context, target, id);
  if (copied) return isBuilt(copied, target);
  const server = await requireServer(context, source, id);
  await importInto(work, 'compute', {
    path: '/servers',
    key: 'server',
    id,
    origin: {
      projectId: server['tenant_id'],
      userId: server['user_id'],
      createdAt: server['created'],
    },
    body: await bodyOf(work, server),
  });
  return false;
}

function isBuilt(server: Json, { regionName }: Pod): boolean {
  if (server['status'] === 'ERROR') {
    const { message } = (server['fault'] ?? {}) as { message?: string };
    throw cannotMove(`${regionName} could not build the server: ${message ?? 'unknown fault'}`);
  }
  return server['status'] === 'ACTIVE' && server['OS-EXT-STS:task_state'] === null;
}

/** Nova derives hostnames from names that it would not accept from a client. */
const acceptedHostname = (hostname: string): string | null =>
  /^[a-zA-Z0-9][a-zA-Z0-9-]{0,61}[a-zA-Z0-9]$/.test(hostname) ? hostname : null;

/** The request for a server like one of the source. */
async function bodyOf({ context, source, target }: Work, server: Json): Promise<Json> {
  const id = String(server['id']);
  const {
    key_name: keyName,
    user_id: userId,
    image,
  } = server as {
    key_name: string | null;
    user_id: string;
    image: '' | Json;
  };
  const hasKey =
    keyName !== null &&
    (await bringKeypair(context, { source, target }, { name: keyName, userId }));
  const networks: Json[] = [];
  for (const { portId, tag } of await centralPortsOf(inCentre(context), id)) {
    const port = await carryPort(context, target, portId, { isNew: false });
    networks.push({ port, ...(tag === null ? {} : { tag }) });
  }
  const optional = {
    accessIPv4: server['accessIPv4'],
    accessIPv6: server['accessIPv6'],
    user_data: server['OS-EXT-SRV-ATTR:user_data'],
    hostname: acceptedHostname(String(server['OS-EXT-SRV-ATTR:hostname'])),
    trusted_image_certificates: server['trusted_image_certificates'],
    key_name: hasKey ? keyName : null,
    imageRef: image === '' ? null : image['id'],
  };
  const given = Object.entries(optional).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  );
  const [group] = (server['server_groups'] ?? []) as string[];
  return {
    server: {
      ...Object.fromEntries(given),
      name: server['name'],
      description: server['description'],
      flavorRef: await readFlavorId(context, source, id),
      metadata: server['metadata'],
      tags: server['tags'],
      config_drive: server['config_drive'] === 'True',
      'OS-DCF:diskConfig': server['OS-DCF:diskConfig'],
      networks: networks.length ? networks : 'none',
      block_device_mapping_v2: await devicesOf(context, source, server),
    },
    ...(group === undefined ? {} : { 'os:scheduler_hints': { group } }),
  };
}

/** The disks of a server: its root disk, and its volumes under their device names. */
async function devicesOf(context: Context, source: Pod, server: Json): Promise<Json[]> {
  const image = server['image'] as '' | Json;
  const root = {
    boot_index: 0,
    uuid: image === '' ? undefined : image['id'],
    source_type: 'image',
    destination_type: 'local',
    delete_on_termination: true,
  };
  const volumes = await listServerVolumes(context, source, String(server['id']));
  const rootDevice = server['OS-EXT-SRV-ATTR:root_device_name'];
  return [
    ...(image === '' ? [] : [root]),
    ...volumes.map(({ volumeId, device, tag, delete_on_termination: isDeleted }) => ({
      uuid: volumeId,
      source_type: 'volume',
      destination_type: 'volume',
      boot_index: image === '' && device === rootDevice ? 0 : -1,
      delete_on_termination: isDeleted,
      ...(device === null ? {} : { device_name: device }),
      ...(tag === null ? {} : { tag }),
    })),
  ];
}

/** @returns whether the pod has no such server any more */
export async function deleteServer(context: Context, pod: Pod, id: string): Promise<boolean> {
  const server = await readServer(context, pod, id);
  if (!server) return true;
  if (server['OS-EXT-STS:task_state'] === 'deleting') return false;
  await act(context, pod, 'compute', serverPath(id), { forceDelete: null });
  return false;
}

/** The power states and locks that the servers had. */
export const settle: Step = {
  name: 'settle',
  run: (work) => {
    const { context, source, target } = work;
    return forEach(work, 'server', async (resource) => {
      if (!(await bringTo(context, target, resource, resource.status!))) return false;
      if (!resource.isLocked) return true;
      const server = await requireServer(context, target, resource.id);
      const reason = (await requireServer(context, source, resource.id))['locked_reason'];
      if (server['locked'] !== true)
        await act(context, target, 'compute', serverPath(resource.id), {
          lock: reason === null ? null : { locked_reason: reason },
        });
      return true;
    });
  },
};
