// Reading what a client says of the servers that it wants.
import { badRequest } from '../../../../kernel/fault.ts';
import { authorize, may } from '../../../../kernel/http/steps.ts';
import { isUuidLike } from '../../../../kernel/ids.ts';
import type { ComputeCall } from '../../call.ts';
import { canonicalIp } from '../../domain/addresses.ts';
import { atLeast } from '../../domain/numbers.ts';
import type { Destination } from '../../domain/lifecycle/build.ts';
import type { ServerRequest } from '../../domain/lifecycle/create.ts';
import type { NetworkRequest, NetworkWish } from '../../domain/servers/networks.ts';
import { readLegacyMappings, readMappings, type Mapping } from '../../domain/servers/volumes.ts';
import { isTrue } from '../../domain/servers/states.ts';
import { ownTarget } from '../../steps.ts';

type Fields = Readonly<Record<string, unknown>>;

interface RequestedNetwork {
  uuid?: string;
  port?: string | null;
  fixed_ip?: string;
  tag?: string;
}

export interface CreateBody {
  server: {
    name: string;
    flavorRef: string | number;
    imageRef?: string;
    adminPass?: string;
    metadata?: Record<string, string>;
    networks?: 'auto' | 'none' | RequestedNetwork[];
    'OS-DCF:diskConfig'?: string;
    accessIPv4?: string;
    accessIPv6?: string;
    availability_zone?: string;
    block_device_mapping?: Fields[];
    block_device_mapping_v2?: Fields[];
    config_drive?: boolean | string;
    key_name?: string;
    min_count?: number | string;
    max_count?: number | string;
    return_reservation_id?: boolean | string;
    security_groups?: { name?: string }[];
    user_data?: string;
    description?: string | null;
    tags?: string[];
    trusted_image_certificates?: string[] | null;
    host?: string;
    hypervisor_hostname?: string;
    hostname?: string;
  };
  'os:scheduler_hints'?: Fields;
  'OS-SCH-HNT:scheduler_hints'?: Fields;
}

const rule = (verb: string): string => `os_compute_api:servers:create${verb && `:${verb}`}`;

/** Reads a request and asks the rules that hold for what it wants. @throws 400, 403 */
export function readServerRequest(call: ComputeCall, body: CreateBody): ServerRequest {
  const { server } = body;
  const target = ownTarget(call);
  const least = atLeast(1, 'min_count', server.min_count ?? 1);
  const most = atLeast(1, 'max_count', server.max_count ?? least);
  if (least > most) throw badRequest('min_count must be <= max_count');
  authorize(call, rule(''), target);
  if (server.trusted_image_certificates?.length) authorize(call, rule('trusted_certs'), target);
  const place = readPlace(call, server);
  const mappings = readDevices(call, server);
  const networks = readNetworks(server.networks);
  if (Array.isArray(networks) && networks.length) authorize(call, rule('attach_network'), target);
  const name = server.name.trim();
  return {
    name,
    description: call.at.has('2.19') ? (server.description ?? null) : name,
    hostname: server.hostname ?? null,
    imageId: imageOf(server, mappings),
    flavorId: lastPart(String(server.flavorRef)),
    metadata: server.metadata ?? {},
    tags: [...new Set(server.tags)].sort(),
    networks,
    diskConfig: server['OS-DCF:diskConfig'] ?? 'MANUAL',
    accessIpV4: server.accessIPv4 === undefined ? null : canonicalIp(server.accessIPv4),
    accessIpV6: server.accessIPv6 === undefined ? null : canonicalIp(server.accessIPv6),
    ...place,
    mappings,
    legacyMappings: Boolean(server.block_device_mapping?.length),
    configDrive: isTrue(server.config_drive),
    keyName: server.key_name ?? null,
    least,
    most,
    securityGroups: (server.security_groups ?? []).flatMap((group) => group.name ?? []),
    userData: server.user_data ?? null,
    hints: body['os:scheduler_hints'] ?? body['OS-SCH-HNT:scheduler_hints'] ?? {},
    trustedCerts: server.trusted_image_certificates ?? null,
    mayHaveNoDisk: may(call, rule('zero_disk_flavor'), target),
  };
}

/** An id, also where it was written as a URL. */
export const lastPart = (reference: string): string => reference.split(/[?#]/, 1)[0]!.split('/').at(-1)!;

function imageOf({ imageRef = '' }: CreateBody['server'], mappings: readonly Mapping[]): string {
  if (!imageRef && !mappings.length) throw badRequest('Missing imageRef attribute');
  return imageRef;
}

/** The zone, and the host or node that is asked for in one of two ways. */
function readPlace(
  call: ComputeCall,
  server: CreateBody['server'],
): { zone: string | null; checkZone: boolean; destination: Destination } {
  const host = server.host ?? null;
  const node = server.hypervisor_hostname ?? null;
  const parts = (server.availability_zone ?? '').split(':');
  if (parts.length > 3) throw badRequest('Invalid input received: Unable to parse availability_zone');
  const [zone = '', forcedHost = '', forcedNode = ''] = parts;
  const forced = Boolean(forcedHost || forcedNode);
  if (forced) authorize(call, rule('forced_host'), ownTarget(call));
  if (host !== null || node !== null) {
    authorize(call, 'compute:servers:create:requested_destination', ownTarget(call));
    if (forced) {
      throw badRequest(
        'One mechanism with host and/or hypervisor_hostname and another mechanism with zone:host:node are mutually exclusive.',
      );
    }
  }
  return {
    zone: forced ? null : zone || null,
    checkZone: !forced,
    destination: forced ? { host: forcedHost || null, node: forcedNode || null, forced } : { host, node, forced },
  };
}

function readDevices(call: ComputeCall, server: CreateBody['server']): Mapping[] {
  const { block_device_mapping: old = [], block_device_mapping_v2: devices = [], imageRef } = server;
  if (old.length && devices.length)
    throw badRequest('Using different block_device_mapping syntaxes is not allowed in the same request.');
  const mappings = old.length ? readLegacyMappings(old, Boolean(imageRef)) : readMappings(devices, Boolean(imageRef));
  if (mappings.length) authorize(call, rule('attach_volume'), ownTarget(call));
  return mappings;
}

function readNetworks(networks: CreateBody['server']['networks']): NetworkRequest {
  if (networks === undefined || typeof networks === 'string') return networks;
  const ports: string[] = [];
  return networks.map(({ uuid, port, fixed_ip: fixedIp, tag }): NetworkWish => {
    const tagged = tag === undefined ? {} : { tag };
    if (port) {
      if (ports.includes(port))
        throw badRequest(`Port ID '${port}' was specified twice: you cannot attach a port multiple times.`);
      if (fixedIp !== undefined) {
        throw badRequest(
          `Specified Fixed IP '${fixedIp}' cannot be used with port '${port}': the two cannot be specified together.`,
        );
      }
      ports.push(port);
      return { portId: port, ...tagged };
    }
    if (uuid === undefined) throw badRequest("Bad network format: missing 'uuid'");
    if (!isUuidLike(uuid)) throw badRequest(`Bad networks format: network uuid is not in proper format (${uuid})`);
    return { networkId: uuid, ...(fixedIp === undefined ? {} : { fixedIp }), ...tagged };
  });
}
