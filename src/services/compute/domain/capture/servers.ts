// Turns a server of Nova's API into a record.
import { textOrNull, timeOf } from '../../../../emulator/capture/fields.ts';
import type { Json } from '../../../../emulator/capture/model.ts';
import { machineNow, type Micros } from '../../../../kernel/clock.ts';
import { vmStates, type NewServer, type ServerFlavor, type VmState } from '../../model.ts';

/**
 * The record of a server. Its current task is left out: nothing continues it here.
 * @param flavorIds the ids of flavors by name, because a server shows only the name of its flavor
 */
export function serverOf(
  one: Json,
  flavorIds: ReadonlyMap<string, string>,
  groupId: string | undefined,
): NewServer {
  const state = one['OS-EXT-STS:vm_state'] as VmState;
  const createdAt = timeOf(one['created']) ?? machineNow();
  const image = one['image'] as Json | '' | null;
  const attribute = (name: string): unknown => one[`OS-EXT-SRV-ATTR:${name}`];
  return {
    uuid: String(one['id']),
    name: String(one['name']),
    description: textOrNull(one['description']),
    hostname: textOrNull(attribute('hostname')) ?? String(one['name']),
    projectId: String(one['tenant_id']),
    userId: String(one['user_id']),
    vmState: vmStates.includes(state) ? state : 'error',
    taskState: null,
    powerState: Number(one['OS-EXT-STS:power_state'] ?? 0),
    progress: Number(one['progress'] ?? 0),
    imageId: image ? String(image['id']) : '',
    onVolume: !image,
    imageProperties: (image && (image['properties'] as NewServer['imageProperties'])) || {},
    flavor: flavorOf(one['flavor'] as Json, flavorIds),
    host: textOrNull(attribute('host')),
    node: textOrNull(attribute('hypervisor_hostname')),
    zone: textOrNull(one['OS-EXT-AZ:availability_zone']),
    pinnedZone: textOrNull(one['pinned_availability_zone']),
    keyName: textOrNull(one['key_name']),
    shelvedImageId: null,
    configDrive: String(one['config_drive'] ?? ''),
    userData: null,
    accessIpV4: textOrNull(one['accessIPv4']),
    accessIpV6: textOrNull(one['accessIPv6']),
    diskConfig: String(one['OS-DCF:diskConfig'] ?? 'MANUAL'),
    launchIndex: Number(attribute('launch_index') ?? 0),
    reservationId: String(attribute('reservation_id') ?? ''),
    rootDeviceName: textOrNull(attribute('root_device_name')),
    lockedBy: one['locked'] === true ? 'admin' : null,
    lockedReason: textOrNull(one['locked_reason']),
    metadata: (one['metadata'] ?? {}) as NewServer['metadata'],
    tags: (one['tags'] ?? []) as readonly string[],
    hints: (one['scheduler_hints'] ?? {}) as NewServer['hints'],
    trustedCerts: (one['trusted_image_certificates'] ?? null) as readonly string[] | null,
    groupId: groupId ?? null,
    securityGroups: [],
    fault: faultOf(one['fault'] as Json | undefined, createdAt),
    actionId: null,
    createdAt,
    updatedAt: timeOf(one['updated']) ?? createdAt,
    launchedAt: timeOf(one['OS-SRV-USG:launched_at']),
    terminatedAt: null,
    softDeletedAt: state === 'soft-delete' ? (timeOf(one['updated']) ?? createdAt) : null,
    deletedAt: null,
  };
}

function flavorOf(one: Json, ids: ReadonlyMap<string, string>): ServerFlavor {
  const name = String(one['original_name']);
  return {
    id: ids.get(name) ?? name,
    name,
    vcpus: Number(one['vcpus']),
    ram: Number(one['ram']),
    disk: Number(one['disk']),
    ephemeral: Number(one['ephemeral'] ?? 0),
    swap: Number(one['swap'] ?? 0),
    extraSpecs: (one['extra_specs'] ?? {}) as ServerFlavor['extraSpecs'],
  };
}

const faultOf = (fault: Json | undefined, createdAt: Micros): NewServer['fault'] =>
  fault
    ? {
        code: Number(fault['code']),
        message: String(fault['message']),
        details: String(fault['details'] ?? ''),
        createdAt: timeOf(fault['created']) ?? createdAt,
      }
    : null;

/** The largest number of an instance that every database takes as an id. */
const maxNumber = 2 ** 31 - 1;

/**
 * The numbers in the names of instances, by the UUIDs of the servers. Servers without a name of
 * upstream's default form have none, and those that share a number, as in different cells.
 */
export function instanceNumbers(servers: readonly Json[]): ReadonlyMap<string, number> {
  const found = servers.flatMap((one) => {
    const name = /^instance-([0-9a-f]{8})$/.exec(String(one['OS-EXT-SRV-ATTR:instance_name']));
    const number = name ? parseInt(name[1]!, 16) : 0;
    return number > 0 && number <= maxNumber ? [[String(one['id']), number] as const] : [];
  });
  const counts = new Map<number, number>();
  for (const [, number] of found) counts.set(number, (counts.get(number) ?? 0) + 1);
  return new Map(found.filter(([, number]) => counts.get(number) === 1));
}
