// The details of a node's server, and the profile that would create an existing server.
import type { Context } from '../../../../kernel/model.ts';
import * as compute from '../../clients/compute.ts';
import type { Json } from '../../model.ts';
import { DriverFailure, type Physical } from './types.ts';

/** The fields that a node shows as Compute does. */
const copiedFields = [
  'id',
  'name',
  'status',
  'metadata',
  'addresses',
  'created',
  'updated',
  'hostId',
  'key_name',
  'progress',
  'accessIPv4',
  'accessIPv6',
  'config_drive',
  'locked',
  'OS-DCF:diskConfig',
  'OS-EXT-AZ:availability_zone',
  'OS-EXT-STS:power_state',
  'OS-EXT-STS:vm_state',
  'os-extended-volumes:volumes_attached',
] as const;

/** Upstream: do_get_details of senlin/profiles/os/nova/server.py. */
export async function details({ context, node }: Physical): Promise<Json> {
  const server = await compute.findServer(context, node.physicalId!, '2.9');
  if (!server) return { Error: { code: 404, message: `No Server found for ${node.physicalId}` } };
  const volumes = (server['os-extended-volumes:volumes_attached'] ?? []) as { id: string }[];
  return {
    ...Object.fromEntries(copiedFields.map((name) => [name, server[name] ?? null])),
    flavor: (server['flavor'] as Json)['id'],
    image: server['image'] ? (server['image'] as Json)['id'] : server['image'],
    attached_volumes: volumes.map(({ id }) => id),
    security_groups: groupsOf((server['security_groups'] ?? []) as { name: string }[]),
    'OS-EXT-STS:task_state': server['OS-EXT-STS:task_state'] ?? '-',
    'OS-SRV-USG:launched_at': server['OS-SRV-USG:launched_at'] ?? '-',
    'OS-SRV-USG:terminated_at': server['OS-SRV-USG:terminated_at'] ?? '-',
  };
}

function groupsOf(groups: readonly { readonly name: string }[]): string | string[] {
  const names = groups.map(({ name }) => name);
  return names.length > 1 ? names : (names[0] ?? '');
}

/**
 * The properties of a profile that would create a server, with overrides.
 * @throws DriverFailure for an unknown server
 */
export async function preview(context: Context, identity: string, overrides: Json): Promise<Json> {
  const server = await compute.findServer(context, identity, '2.9');
  if (!server) throw new DriverFailure(`No Server found for ${identity}`);
  const image = server['image'] as Json | string;
  const groups = [
    ...new Set(((server['security_groups'] ?? []) as { name: string }[]).map(({ name }) => name)),
  ];
  const own = Object.entries((server['metadata'] ?? {}) as Json).filter(
    ([key]) => !key.startsWith('cluster'),
  );
  return {
    name: server.name,
    flavor: (server['flavor'] as Json)['id'],
    ...(typeof image === 'object' && image ? { image: image['id'] } : {}),
    availability_zone: server['OS-EXT-AZ:availability_zone'],
    auto_disk_config: server['OS-DCF:diskConfig'] === 'AUTO',
    block_device_mapping_v2: [],
    config_drive: server['config_drive'] === 'True',
    key_name: server['key_name'] ?? null,
    metadata: Object.fromEntries(own),
    ...(groups.length ? { security_groups: groups } : {}),
    networks: Object.keys((server['addresses'] ?? {}) as Json).map((network) => ({ network })),
    ...overrides,
  };
}
