// Inspects a server, volume or server group in its pod: what has to move with it, how much it needs
// of the target, and why it cannot be moved.
import { contextWith } from '../../../../kernel/context.ts';
import type { Context } from '../../../../kernel/model.ts';
import { centralRegionOf } from '../../../../kernel/regions.ts';
import { centralPortsOf } from '../../clients/compute.ts';
import { listRecords } from '../../clients/network.ts';
import {
  ask,
  read,
  readFlavorId,
  readGroup,
  readServer,
  readVolume,
  type Json,
} from '../../clients/resources.ts';
import type { MovedResource, MovedType, Pod } from '../../model.ts';

/** A resource in its pod. */
export interface Inspected {
  readonly resource: MovedResource;
  /** Why it cannot be moved; undefined if it can. */
  readonly reason: string | undefined;
  /** The keys of the resources that it has to move with. */
  readonly links: readonly string[];
}

/** The key of a resource. */
export const keyOf = (type: MovedType, id: string): string => `${type}:${id}`;

/** The statuses in which a server can be moved. */
export const movableStatuses: readonly unknown[] = ['ACTIVE', 'SHUTOFF'];

/** Inspects a resource; undefined if the pod does not have it. @throws PodFailure */
export const inspect = (
  context: Context,
  pod: Pod,
  type: MovedType,
  id: string,
): Promise<Inspected | undefined> => inspectors[type](context, pod, id);

type Inspector = (context: Context, pod: Pod, id: string) => Promise<Inspected | undefined>;

const inspectServer: Inspector = async (context, pod, id) => {
  const server = await readServer(context, pod, id);
  if (!server) return undefined;
  const { vcpus, ram, disk, ephemeral } = server['flavor'] as Record<string, number>;
  const isOnVolume = server['image'] === '';
  const resource: MovedResource = {
    type: 'server',
    id,
    name: String(server['name']),
    projectId: String(server['tenant_id']),
    size: {
      vcpus: vcpus!,
      memory_mb: ram!,
      disk_gb: (isOnVolume ? 0 : disk!) + ephemeral!,
    },
    status: String(server['status']),
    isLocked: server['locked'] === true,
  };
  const links = [
    ...volumesOf(server).map((volumeId) => keyOf('volume', volumeId)),
    ...((server['server_groups'] ?? []) as string[]).map((group) => keyOf('server_group', group)),
  ];
  return { resource, links, reason: await refusalOfServer(context, pod, server) };
};

/** The ids of a server's volumes. */
export const volumesOf = (server: Json): string[] =>
  (server['os-extended-volumes:volumes_attached'] as { id: string }[]).map((volume) => volume.id);

async function refusalOfServer(
  context: Context,
  pod: Pod,
  server: Json,
): Promise<string | undefined> {
  const { id, status, image } = server as { id: string; status: string; image: '' | Json };
  if (!movableStatuses.includes(status))
    return `Its status is ${status}. Only servers that are ACTIVE or SHUTOFF can be moved.`;
  const task = server['OS-EXT-STS:task_state'];
  if (task !== null) return `Nova is working on it (${String(task)}).`;
  const flavorId = await readFlavorId(context, pod, id);
  const flavor = { path: `/flavors/${encodeURIComponent(flavorId)}`, key: 'flavor' };
  if (!(await read(context, 'centre', 'compute', flavor)))
    return `Its flavor ${flavorId} is not in the central region.`;
  if (image !== '' && !(await hasImage(context, String(image['id']))))
    return `Its image ${String(image['id'])} is not in the central region.`;
  const central = await centralPortsOf(inCentre(context), id);
  const inPod = await listRecords(context, pod, 'port', [['device_id', id]]);
  return inPod.length > central.length
    ? `It has a port of ${pod.regionName} that the central region does not have.`
    : undefined;
}

/** The context of the central region's database. */
export function inCentre(context: Context): Context {
  const region = centralRegionOf(context.cloud)!;
  return contextWith(context, { region, db: region.database.db });
}

async function hasImage(context: Context, id: string): Promise<boolean> {
  const path = `/v2/images/${encodeURIComponent(id)}`;
  const answer = await ask(context, 'centre', 'image', { method: 'GET', path });
  return answer?.body['status'] === 'active';
}

const inspectVolume: Inspector = async (context, pod, id) => {
  const volume = await readVolume(context, pod, id);
  if (!volume) return undefined;
  const attachments = volume['attachments'] as readonly { server_id: string | null }[];
  const resource: MovedResource = {
    type: 'volume',
    id,
    name: String(volume['name'] ?? ''),
    projectId: String(volume['os-vol-tenant-attr:tenant_id']),
    size: { volume_gb: Number(volume['size']) },
    status: String(volume['status']),
    isLocked: false,
  };
  const links = attachments.flatMap(({ server_id: server }) =>
    server === null ? [] : [keyOf('server', server)],
  );
  const isOnHost = links.length < attachments.length;
  return { resource, links, reason: await refusalOfVolume(context, pod, volume, isOnHost) };
};

async function refusalOfVolume(
  context: Context,
  pod: Pod,
  volume: Json,
  isOnHost: boolean,
): Promise<string | undefined> {
  const status = String(volume['status']);
  if (status !== 'available' && status !== 'in-use')
    return `Its status is ${status}. Only volumes that are available or in-use can be moved.`;
  if (isOnHost) return 'It is attached to a host.';
  if (volume['encrypted'] === true) return 'It is encrypted, with a key of its pod.';
  const answer = await ask(context, pod, 'volumev3', {
    method: 'GET',
    path: '/snapshots',
    query: [
      ['volume_id', String(volume['id'])],
      ['all_tenants', '1'],
      ['limit', '1'],
    ],
  });
  const snapshots = (answer?.body['snapshots'] ?? []) as unknown[];
  return snapshots.length ? 'It has snapshots, which cannot be moved.' : undefined;
}

const inspectGroup: Inspector = async (context, pod, id) => {
  const group = await readGroup(context, pod, id);
  return (
    group && {
      resource: {
        type: 'server_group',
        id,
        name: String(group['name']),
        projectId: String(group['project_id']),
        size: {},
        status: null,
        isLocked: false,
      },
      reason: undefined,
      links: (group['members'] as string[]).map((server) => keyOf('server', server)),
    }
  );
};

const inspectors: Readonly<Record<MovedType, Inspector>> = {
  server: inspectServer,
  volume: inspectVolume,
  server_group: inspectGroup,
};
