// The payloads of Nova's notifications of servers. Upstream:
// nova/notifications/objects/instance.py, flavor.py and exception.py.
import { isIPv6 } from 'node:net';
import { isoSeconds, type Micros } from '../../../../kernel/clock.ts';
import type { Port } from '../../clients/network.ts';
import { powerName } from './states.ts';
import type { Server, ServerFlavor } from '../../model.ts';
import { versioned } from '../notifications.ts';

export const flavorPayload = (flavor: ServerFlavor): object =>
  versioned('FlavorPayload', '1.4', {
    flavorid: flavor.id,
    name: flavor.name,
    memory_mb: flavor.ram,
    vcpus: flavor.vcpus,
    root_gb: flavor.disk,
    ephemeral_gb: flavor.ephemeral,
    swap: flavor.swap,
    rxtx_factor: 1,
    vcpu_weight: 0,
    disabled: false,
    is_public: true,
    extra_specs: flavor.extraSpecs,
    projects: null,
    description: null,
  });

const addressPayloads = ({ networkName, mac, id, fixedIps }: Port): object[] =>
  fixedIps.map(({ ip }) =>
    versioned('IpPayload', '1.0', {
      label: networkName,
      mac,
      meta: {},
      port_uuid: id,
      version: isIPv6(ip) ? 6 : 4,
      address: ip,
      device_name: `tap${id.slice(0, 11)}`,
    }),
  );

const timeOrNull = (time: Micros | null): string | null =>
  time === null ? null : isoSeconds(time);

/** A server at the time of a notification. */
export interface NotifiedServer {
  readonly server: Server;
  readonly ports: readonly Port[];
  /** The user and the project that requested the action; both null in a job of the emulator. */
  readonly userId: string | null;
  readonly projectId: string | null;
  readonly requestId: string;
}

const serverData = ({ server, ports, ...initiator }: NotifiedServer): object => ({
  uuid: server.uuid,
  user_id: server.userId,
  tenant_id: server.projectId,
  reservation_id: server.reservationId,
  display_name: server.name,
  display_description: server.description,
  host_name: server.hostname,
  host: server.host,
  node: server.node,
  os_type: server.imageProperties['os_type'] ?? null,
  architecture: server.imageProperties['architecture'] ?? null,
  availability_zone: server.zone,
  flavor: flavorPayload(server.flavor),
  image_uuid: server.imageId,
  key_name: server.keyName,
  kernel_id: server.imageProperties['kernel_id'] ?? '',
  ramdisk_id: server.imageProperties['ramdisk_id'] ?? '',
  created_at: isoSeconds(server.createdAt),
  launched_at: timeOrNull(server.launchedAt),
  terminated_at: timeOrNull(server.terminatedAt),
  deleted_at: timeOrNull(server.deletedAt),
  updated_at: isoSeconds(server.updatedAt),
  state: server.vmState,
  power_state: powerName(server.powerState),
  task_state: server.taskState,
  progress: server.progress,
  ip_addresses: ports.flatMap(addressPayloads),
  block_devices: null, // as without [notifications]bdms_in_notifications
  metadata: server.metadata,
  locked: server.lockedBy !== null,
  auto_disk_config: server.diskConfig,
  request_id: initiator.projectId === null ? null : initiator.requestId,
  action_initiator_user: initiator.userId,
  action_initiator_project: initiator.projectId,
  locked_reason: server.lockedReason,
  shares: [],
});

/** The versions of the payloads, and the fields that each adds to those of every server. */
const payloadVersions = {
  InstanceActionPayload: '1.9',
  InstanceActionRebuildPayload: '1.10',
  InstanceActionRescuePayload: '1.4',
  InstanceActionResizePrepPayload: '1.4',
  InstanceActionSnapshotPayload: '1.10',
  InstanceActionVolumePayload: '1.7',
  InstanceCreatePayload: '1.13',
  InstanceExistsPayload: '2.1',
  InstanceUpdatePayload: '2.1',
} as const;

export type PayloadName = keyof typeof payloadVersions;

/** The payloads without a field for the reason of a failure. */
const withoutFault: readonly PayloadName[] = ['InstanceExistsPayload', 'InstanceUpdatePayload'];

/** What only some payloads show. */
export interface PayloadDetails {
  /** Why the action has failed. */
  readonly error?: { readonly message: string; readonly event: string } | undefined;
  /** Further fields of the payload. */
  readonly fields?: object | undefined;
}

/** The payload of a notification about a server. */
export function serverPayload(
  name: PayloadName,
  notified: NotifiedServer,
  { error, fields }: PayloadDetails,
): object {
  const { server } = notified;
  const own: Readonly<Partial<Record<PayloadName, object>>> = {
    InstanceCreatePayload: {
      keypairs: [],
      tags: server.tags,
      trusted_image_certificates: server.trustedCerts,
      instance_name: `instance-${server.id.toString(16).padStart(8, '0')}`,
    },
    InstanceActionRebuildPayload: { trusted_image_certificates: server.trustedCerts },
    InstanceActionRescuePayload: { rescue_image_ref: null },
  };
  return versioned(name, payloadVersions[name], {
    ...serverData(notified),
    ...(withoutFault.includes(name)
      ? {}
      : { fault: error === undefined ? null : exceptionPayload(error) }),
    ...own[name],
    ...fields,
  });
}

/** A span of time for which usage is reported. */
export interface AuditPeriod {
  readonly begin: Micros;
  readonly end: Micros;
}

export const auditPeriodPayload = ({ begin, end }: AuditPeriod): object =>
  versioned('AuditPeriodPayload', '1.0', {
    audit_period_beginning: isoSeconds(begin),
    audit_period_ending: isoSeconds(end),
  });

/** The states of a server before and after an update. */
export interface StateUpdate {
  readonly before: Pick<Server, 'vmState' | 'taskState'>;
  readonly after: Pick<Server, 'vmState' | 'taskState'>;
}

/** Upstream cannot report that there was no task before: it reports the current one instead. */
export const stateUpdatePayload = ({ before, after }: StateUpdate): object =>
  versioned('InstanceStateUpdatePayload', '1.0', {
    old_state: before.vmState,
    state: after.vmState,
    old_task_state: before.taskState ?? after.taskState,
    new_task_state: after.taskState,
  });

/** An error of a task, whose function is the event that Nova records for it. */
const exceptionPayload = ({ message, event }: NonNullable<PayloadDetails['error']>): object =>
  versioned('ExceptionPayload', '1.1', {
    exception: 'NovaException',
    exception_message: message,
    function_name: event.replace(/^compute_+/, ''),
    module_name: 'nova.compute.manager',
    traceback: '',
  });
