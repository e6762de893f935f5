// Views of servers in every microversion. Upstream: api/openstack/compute/views/servers.py.
import { createHash } from 'node:crypto';
import { isoSeconds, naiveIsoOrNull } from '../../../../kernel/clock.ts';
import type { ComputeCall } from '../../call.ts';
import type { Port } from '../../clients/network.ts';
import { instanceNameOf, statusOf } from '../../domain/servers/states.ts';
import { bookmarkTo, linksTo } from '../links.ts';
import type { CreatedServer, ServerVolume, Server } from '../../model.ts';

/** The data that a view shows in addition to the server's record. */
export interface Extras {
  readonly ports: readonly Port[];
  readonly volumes: readonly ServerVolume[];
  /** The status of the host; undefined if the caller may not see it. */
  readonly hostStatus: string | undefined;
  /** The server's group; undefined if the view does not show it. */
  readonly groups: readonly string[] | undefined;
  /** Whether the caller may see the extended attributes, such as host and instance name. */
  readonly extended: boolean;
  readonly extraSpecs: boolean;
  /** Whether the caller may see the details of a fault. */
  readonly details: boolean;
}

/** The reply to POST /servers, but for the password. */
export function createdView(
  call: ComputeCall,
  server: CreatedServer,
  securityGroups: unknown,
): object {
  return {
    id: server.uuid,
    links: linksTo(call, `servers/${server.uuid}`),
    'OS-DCF:diskConfig': server.diskConfig,
    security_groups: securityGroups,
  };
}

/** A server in a list without details. */
export const briefView = (call: ComputeCall, server: Server): object => ({
  id: server.uuid,
  name: server.name,
  links: linksTo(call, `servers/${server.uuid}`),
});

/** The fields that a reply shows: all, or those that PUT and rebuild showed before 2.75. */
export type Extent = 'all' | 'update' | 'rebuild';

/** A server with details. */
export function serverView(
  call: ComputeCall,
  server: Server,
  extras: Extras,
  extent: Extent = 'all',
): Record<string, unknown> {
  const { version } = call;
  const all = extent === 'all' || version.has('2.75');
  const status = statusOf(server);
  return {
    id: server.uuid,
    name: server.name,
    status,
    tenant_id: server.projectId,
    user_id: server.userId,
    created: isoSeconds(server.createdAt),
    updated: isoSeconds(server.updatedAt),
    accessIPv4: server.accessIpV4 ?? '',
    accessIPv6: server.accessIpV6 ?? '',
    addresses: server.vmState === 'building' ? {} : addressesView(extras.ports, all),
    flavor: flavorView(call, server, extras),
    hostId: hostIdOf(server.projectId, server.host),
    image: imageView(call, server),
    links: linksTo(call, `servers/${server.uuid}`),
    metadata: server.metadata,
    'OS-DCF:diskConfig': server.diskConfig,
    ...faultView(server, status, extras.details),
    ...(statusesWithProgress.has(status) ? { progress: server.progress } : {}),
    ...(all ? detailsView(call, server, extras, extent) : {}),
    ...(extent === 'rebuild' && !all ? version.since('2.54', { key_name: server.keyName }) : {}),
    ...version.since('2.9', { locked: server.lockedBy !== null }),
    ...version.since('2.19', { description: server.description }),
    ...version.since('2.26', { tags: server.tags }),
    ...version.since('2.63', { trusted_image_certificates: server.trustedCerts }),
    ...(extras.groups ? version.since('2.71', { server_groups: extras.groups }) : {}),
    ...version.since('2.73', { locked_reason: server.lockedReason }),
    ...version.since('2.90', { 'OS-EXT-SRV-ATTR:hostname': server.hostname }),
    ...version.since('2.96', { pinned_availability_zone: server.pinnedZone }),
    ...version.since('2.100', { scheduler_hints: server.hints }),
  };
}

const statusesWithProgress: ReadonlySet<string> = new Set([
  'ACTIVE',
  'BUILD',
  'REBUILD',
  'RESIZE',
  'VERIFY_RESIZE',
  'MIGRATING',
]);

function detailsView(
  { version }: ComputeCall,
  server: Server,
  extras: Extras,
  extent: Extent,
): object {
  const groups = [...new Set(extras.ports.flatMap(({ securityGroups }) => securityGroups))];
  const volumes = extras.volumes.map(({ volumeId, deleteOnTermination }) => ({
    id: volumeId,
    ...version.since('2.3', { delete_on_termination: deleteOnTermination }),
  }));
  return {
    key_name: server.keyName,
    config_drive: server.configDrive,
    'OS-EXT-AZ:availability_zone': server.zone ?? server.pinnedZone ?? '',
    'OS-EXT-STS:task_state': server.taskState,
    'OS-EXT-STS:vm_state': server.vmState,
    'OS-EXT-STS:power_state': server.powerState,
    'OS-SRV-USG:launched_at': naiveIsoOrNull(server.launchedAt),
    'OS-SRV-USG:terminated_at': naiveIsoOrNull(server.terminatedAt),
    'os-extended-volumes:volumes_attached': volumes,
    ...(groups.length ? { security_groups: groups.map((name) => ({ name })) } : {}),
    ...(extras.extended ? extendedView(version, server, extent) : {}),
    ...(extras.hostStatus === undefined
      ? {}
      : version.since('2.16', { host_status: extras.hostStatus })),
  };
}

function extendedView(version: ComputeCall['version'], server: Server, extent: Extent): object {
  return {
    'OS-EXT-SRV-ATTR:host': server.host,
    'OS-EXT-SRV-ATTR:hypervisor_hostname': server.node,
    'OS-EXT-SRV-ATTR:instance_name': instanceNameOf(server),
    ...version.since('2.3', {
      'OS-EXT-SRV-ATTR:hostname': server.hostname,
      'OS-EXT-SRV-ATTR:kernel_id': '',
      'OS-EXT-SRV-ATTR:ramdisk_id': '',
      'OS-EXT-SRV-ATTR:launch_index': server.launchIndex,
      'OS-EXT-SRV-ATTR:reservation_id': server.reservationId,
      'OS-EXT-SRV-ATTR:root_device_name': server.rootDeviceName,
      ...(extent === 'rebuild' ? {} : { 'OS-EXT-SRV-ATTR:user_data': server.userData }),
    }),
  };
}

function faultView({ fault }: Server, status: string, details: boolean): object {
  if (!fault || (status !== 'ERROR' && status !== 'DELETED')) return {};
  const view = { code: fault.code, created: isoSeconds(fault.createdAt), message: fault.message };
  return { fault: details && fault.details ? { ...view, details: fault.details } : view };
}

function flavorView(call: ComputeCall, { flavor }: Server, { extraSpecs }: Extras): object {
  if (!call.version.has('2.47'))
    return { id: flavor.id, links: [bookmarkTo(call, `flavors/${flavor.id}`)] };
  const { vcpus, ram, disk, ephemeral, swap, name } = flavor;
  return {
    vcpus,
    ram,
    disk,
    ephemeral,
    swap,
    original_name: name,
    ...(extraSpecs ? { extra_specs: flavor.extraSpecs } : {}),
  };
}

/** The image properties that upstream defines. */
const knownProperties: ReadonlySet<string> = new Set([
  'architecture',
  'auto_disk_config',
  'cpu_model',
  'instance_uuid',
  'root_device_name',
  'vm_mode',
  'base_image_ref',
]);

const isKnownProperty = (name: string): boolean =>
  knownProperties.has(name) || /^(?:hw|os|img)_\w+$/.test(name);

function imageView(call: ComputeCall, { imageId, imageProperties }: Server): unknown {
  if (!imageId) return '';
  const known = Object.fromEntries(
    Object.entries(imageProperties).filter(([name]) => isKnownProperty(name)),
  );
  return {
    id: imageId,
    links: [bookmarkTo(call, `images/${imageId}`)],
    ...call.version.since('2.98', { properties: known }),
  };
}

/** Addresses by network, the fixed ones before the floating ones. */
export function addressesView(ports: readonly Port[], all: boolean): Record<string, object[]> {
  const networks = new Map<string, { fixed: object[]; floating: object[] }>();
  for (const { networkName, mac, fixedIps, floatingIps } of ports) {
    const addresses = networks.get(networkName) ?? { fixed: [], floating: [] };
    networks.set(networkName, addresses);
    const addressView = (addr: string, type: string): object => ({
      version: addr.includes(':') ? 6 : 4,
      addr,
      ...(all ? { 'OS-EXT-IPS:type': type, 'OS-EXT-IPS-MAC:mac_addr': mac } : {}),
    });
    addresses.fixed.push(...fixedIps.map(({ ip }) => addressView(ip, 'fixed')));
    addresses.floating.push(...floatingIps.map((ip) => addressView(ip, 'floating')));
  }
  return Object.fromEntries(
    [...networks].map(([name, { fixed, floating }]) => [name, [...fixed, ...floating]]),
  );
}

/** An opaque id of a host, which only tells a project whether its servers share a host. */
export const hostIdOf = (projectId: string, host: string | null): string =>
  host === null
    ? ''
    : createHash('sha224')
        .update(projectId + host)
        .digest('hex');
