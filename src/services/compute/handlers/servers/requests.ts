// Reads the body of POST /servers, and enforces the policy rules for the fields that it contains.
// Update and rebuild share the fields that both change.
import { badRequest } from '../../../../kernel/errors.ts';
import { authorize, may } from '../../../../kernel/http/steps.ts';
import type { ComputeCall } from '../../call.ts';
import { canonicalIp } from '../../domain/addresses.ts';
import { atLeast } from '../../domain/numbers.ts';
import type { Destination } from '../../domain/lifecycle/build.ts';
import type { CreateRights, ServerRequest } from '../../domain/lifecycle/create.ts';
import type { InjectedFile } from '../../domain/servers/quotas.ts';
import { readNetworks, type RequestedNetworks } from '../../domain/servers/networks.ts';
import { readLegacyMappings, readMappings, type Mapping } from '../../domain/servers/mappings.ts';
import { isTrue } from '../../../../kernel/oslo/booleans.ts';
import { ownTarget } from '../../steps.ts';
import type { ServerChanges } from '../../model.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface CreateBody {
  server: {
    name: string;
    flavorRef: string | number;
    imageRef?: string;
    adminPass?: string;
    metadata?: Record<string, string>;
    networks?: RequestedNetworks;
    'OS-DCF:diskConfig'?: string;
    accessIPv4?: string;
    accessIPv6?: string;
    availability_zone?: string;
    block_device_mapping?: Fields[];
    block_device_mapping_v2?: Fields[];
    personality?: { path?: string; contents?: string }[];
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

/** The fields that both PUT /servers/{id} and rebuild change. */
export interface CommonFields {
  name?: string;
  description?: string | null;
  hostname?: string;
  accessIPv4?: string;
  accessIPv6?: string;
  'OS-DCF:diskConfig'?: string;
}

/** The changes of the fields that the body contains. */
export const readCommonChanges = (fields: CommonFields): ServerChanges => ({
  ...(fields.name === undefined ? {} : { name: fields.name.trim() }),
  ...(fields.description === undefined ? {} : { description: fields.description }),
  ...(fields.hostname === undefined ? {} : { hostname: fields.hostname }),
  ...(fields.accessIPv4 === undefined ? {} : { accessIpV4: canonicalIp(fields.accessIPv4) }),
  ...(fields.accessIPv6 === undefined ? {} : { accessIpV6: canonicalIp(fields.accessIPv6) }),
  ...(fields['OS-DCF:diskConfig'] === undefined ? {} : { diskConfig: fields['OS-DCF:diskConfig'] }),
});

const rule = (verb: string): string => `os_compute_api:servers:create${verb && `:${verb}`}`;

/**
 * Enforces the policy rules for the fields of the body. Like upstream, it rejects an empty range of
 * counts before them, and a zone with too many parts among them.
 * @throws 400, 403
 */
export function authorizeCreate(call: ComputeCall, { server }: CreateBody): void {
  const target = ownTarget(call);
  const { block_device_mapping: legacy, block_device_mapping_v2: mappings, networks } = server;
  readCounts(server);
  authorize(call, rule(''), target);
  if (server.trusted_image_certificates?.length) authorize(call, rule('trusted_certs'), target);
  if (forcedDestination(server)) authorize(call, rule('forced_host'), target);
  if ((server.host ?? server.hypervisor_hostname ?? null) !== null)
    authorize(call, 'compute:servers:create:requested_destination', target);
  if (legacy?.some((device) => device['no_device'] === undefined) || mappings?.length)
    authorize(call, rule('attach_volume'), target);
  if (Array.isArray(networks) && networks.length) authorize(call, rule('attach_network'), target);
}

/** The caller's rights beyond those to create servers. */
export const createRights = (call: ComputeCall): CreateRights => ({
  zeroDiskFlavor: may(call, rule('zero_disk_flavor'), ownTarget(call)),
  portResources: call.version.has('2.72'),
});

/** Reads the request for servers in the body. @throws 400 */
export function readServerRequest(
  version: ComputeCall['version'],
  body: CreateBody,
): Omit<ServerRequest, 'origin'> {
  const { server } = body;
  const name = server.name.trim();
  const counts = readCounts(server);
  const destination = readDestination(server);
  const mappings = readBlockDevices(server);
  const networks = readNetworks(server.networks);
  return {
    name,
    description: version.has('2.19') ? (server.description ?? null) : name,
    hostname: server.hostname ?? null,
    imageId: imageOf(server, mappings),
    flavorId: idOfReference(String(server.flavorRef)),
    metadata: server.metadata ?? {},
    tags: [...new Set(server.tags)].sort(),
    networks,
    diskConfig: server['OS-DCF:diskConfig'] ?? 'MANUAL',
    accessIpV4: server.accessIPv4 === undefined ? null : canonicalIp(server.accessIPv4),
    accessIpV6: server.accessIPv6 === undefined ? null : canonicalIp(server.accessIPv6),
    ...destination,
    mappings,
    legacyMappings: Boolean(server.block_device_mapping?.length),
    files: readFiles(server.personality),
    configDrive: isTrue(server.config_drive),
    keyName: server.key_name ?? null,
    ...counts,
    securityGroups: (server.security_groups ?? []).flatMap((group) => group.name ?? []),
    userData: server.user_data ?? null,
    hints: body['os:scheduler_hints'] ?? body['OS-SCH-HNT:scheduler_hints'] ?? {},
    trustedCerts: server.trusted_image_certificates ?? null,
  };
}

/** The range of the number of servers. @throws 400 if it is empty */
export function readCounts({
  min_count: min = 1,
  max_count: max = min,
}: Pick<CreateBody['server'], 'min_count' | 'max_count'>): {
  least: number;
  most: number;
} {
  const least = atLeast(1, 'min_count', min);
  const most = atLeast(1, 'max_count', max);
  if (least > most) throw badRequest('min_count must be <= max_count');
  return { least, most };
}

/** The id in a reference, which is an id or a URL. */
export const idOfReference = (reference: string): string =>
  reference.split(/[?#]/, 1)[0]!.split('/').at(-1)!;

function imageOf({ imageRef = '' }: CreateBody['server'], mappings: readonly Mapping[]): string {
  if (!imageRef && !mappings.length) throw badRequest('Missing imageRef attribute');
  return imageRef;
}

/** The parts of `zone:host:node`, which forces servers onto a host. @throws 400 for more parts */
function zoneParts({ availability_zone: zone = '' }: CreateBody['server']): string[] {
  const parts = zone.split(':');
  if (parts.length > 3)
    throw badRequest('Invalid input received: Unable to parse availability_zone');
  return parts;
}

/** Whether the zone names a host or a node. */
function forcedDestination(server: CreateBody['server']): boolean {
  const [, host, node] = zoneParts(server);
  return Boolean(host || node);
}

/** The zone and the destination, which a body sets in one of two ways. @throws 400 if both */
function readDestination(server: CreateBody['server']): {
  zone: string | null;
  destination: Destination;
} {
  const { host = null, hypervisor_hostname: node = null } = server;
  const [zone = '', forcedHost = '', forcedNode = ''] = zoneParts(server);
  if (!forcedHost && !forcedNode)
    return { zone: zone || null, destination: { host, node, forced: false } };
  if (host === null && node === null)
    return {
      zone: zone || null,
      destination: { host: forcedHost || null, node: forcedNode || null, forced: true },
    };
  throw badRequest(
    'One mechanism with host and/or hypervisor_hostname and another mechanism with ' +
      'zone:host:node are mutually exclusive.',
  );
}

/** The block device mappings, in the old or the new syntax. @throws 400 if both */
function readBlockDevices(server: CreateBody['server']): Mapping[] {
  const {
    block_device_mapping: legacy = [],
    block_device_mapping_v2: devices = [],
    imageRef,
  } = server;
  if (legacy.length && devices.length)
    throw badRequest(
      'Using different block_device_mapping syntaxes is not allowed in the same request.',
    );
  return legacy.length
    ? readLegacyMappings(legacy, Boolean(imageRef))
    : readMappings(devices, Boolean(imageRef));
}

/** The files to inject into the server. */
export const readFiles = (personality: CreateBody['server']['personality'] = []): InjectedFile[] =>
  personality.map(({ path = '', contents = '' }) => ({ path, contents }));
