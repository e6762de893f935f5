// Maps the states of a server (vm_state, task_state and power_state) to the status that clients
// see. Upstream: api/openstack/common.py.
import { softDeletedState, type Server } from '../../model.ts';

/** The power states, in upstream's numbers. */
export const power = { none: 0, running: 1, paused: 3, shutdown: 4 } as const;

const powerNames: Readonly<Record<number, string>> = {
  0: 'pending',
  1: 'running',
  3: 'paused',
  4: 'shutdown',
};

/** Upstream's name for a power state. */
export const powerName = (state: number): string => powerNames[state] ?? 'pending';

const resizing = {
  resize_prep: 'RESIZE',
  resize_migrating: 'RESIZE',
  resize_migrated: 'RESIZE',
  resize_finish: 'RESIZE',
};
const rebuilding = {
  rebuilding: 'REBUILD',
  rebuild_block_device_mapping: 'REBUILD',
  rebuild_spawning: 'REBUILD',
};
const rebooting = {
  rebooting: 'REBOOT',
  reboot_pending: 'REBOOT',
  reboot_started: 'REBOOT',
  rebooting_hard: 'HARD_REBOOT',
  reboot_pending_hard: 'HARD_REBOOT',
  reboot_started_hard: 'HARD_REBOOT',
};

/** The status, by vm_state and task_state; `default` applies to all other task states. */
const statuses: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  active: {
    default: 'ACTIVE',
    ...rebooting,
    updating_password: 'PASSWORD',
    ...rebuilding,
    migrating: 'MIGRATING',
    ...resizing,
  },
  building: { default: 'BUILD' },
  stopped: { default: 'SHUTOFF', ...resizing, ...rebuilding },
  resized: { default: 'VERIFY_RESIZE', resize_reverting: 'REVERT_RESIZE' },
  paused: { default: 'PAUSED', migrating: 'MIGRATING' },
  suspended: { default: 'SUSPENDED' },
  rescued: { default: 'RESCUE' },
  error: { default: 'ERROR', ...rebuilding },
  deleted: { default: 'DELETED' },
  [softDeletedState]: { default: 'SOFT_DELETED' },
  shelved: { default: 'SHELVED' },
  shelved_offloaded: { default: 'SHELVED_OFFLOADED' },
};

/** The status that clients see. */
export function statusOf({
  deletedAt,
  vmState,
  taskState,
}: Pick<Server, 'deletedAt' | 'vmState' | 'taskState'>): string {
  if (deletedAt !== null) return 'DELETED';
  const byTask = statuses[vmState] ?? {};
  return byTask[taskState ?? 'default'] ?? byTask['default'] ?? 'UNKNOWN';
}

/** The vm_states and task_states of some statuses. Undefined task_states mean any. */
export function statesOf(names: readonly string[]): {
  vmStates: string[];
  taskStates: string[] | undefined;
} {
  const lower = names.map((status) => status.toLowerCase());
  const vmStates = new Set<string>();
  const tasks = new Set<string>();
  for (const [vmState, byTask] of Object.entries(statuses)) {
    for (const [task, status] of Object.entries(byTask)) {
      if (!lower.includes(status.toLowerCase())) continue;
      vmStates.add(vmState);
      tasks.add(task);
    }
  }
  return { vmStates: [...vmStates], taskStates: tasks.has('default') ? undefined : [...tasks] };
}

/**
 * The name of the instance on its hypervisor. Upstream: instance_name_template in conf/compute.py.
 */
export const instanceNameOf = ({ id }: Pick<Server, 'id'>): string =>
  `instance-${id.toString(16).padStart(8, '0')}`;

/**
 * Derives a hostname of letters, digits and hyphens from a server's name. Upstream: utils.py
 * sanitize_hostname.
 */
export function hostnameOf(name: string, fallback: string): string {
  const clean = name
    .normalize('NFKD')
    .replaceAll(/[ _]/g, '-')
    .replaceAll(/[^\w.-]+/g, '')
    .toLowerCase()
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .replaceAll('.', '-')
    .slice(0, 63)
    .replaceAll(/[-]+$/g, '');
  return clean || fallback;
}

/** Whether the root disk of a server is on a volume. */
export const isOnVolume = ({ onVolume }: Pick<Server, 'onVolume'>): boolean => onVolume;
