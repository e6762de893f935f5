// Views of hypervisors, their usage and uptime.
import { SECOND, type Micros } from '../../../../kernel/clock.ts';
import type { Inventory } from '../../clients/placement.ts';
import type { ComputeCall } from '../../call.ts';
import type { ComputeHost, HostedServer } from '../../model.ts';

/** The servers of each host, by its name. */
export type ServersByHost = ReadonlyMap<string | null, readonly HostedServer[]>;

/** The resources of a host and their usage, with Nova's field names. */
export interface HostUsage {
  readonly vcpus: number;
  readonly vcpus_used: number;
  readonly memory_mb: number;
  readonly memory_mb_used: number;
  readonly local_gb: number;
  readonly local_gb_used: number;
  readonly free_ram_mb: number;
  readonly free_disk_gb: number;
  readonly current_workload: number;
  readonly running_vms: number;
  readonly disk_available_least: number;
}

/** The usage that Placement has on record, plus the resources that the host reserves. */
export function hostUsageOf(
  host: ComputeHost,
  inventories: Readonly<Record<string, Inventory>>,
  servers: number,
): HostUsage {
  const used = (name: string): number =>
    inventories[name] ? inventories[name].used + inventories[name].reserved : 0;
  const memory = used('MEMORY_MB');
  const disk = used('DISK_GB');
  return {
    vcpus: host.vcpus,
    vcpus_used: used('VCPU'),
    memory_mb: host.memoryMb,
    memory_mb_used: memory,
    local_gb: host.diskGb,
    local_gb_used: disk,
    free_ram_mb: host.memoryMb - memory,
    free_disk_gb: host.diskGb - disk,
    current_workload: 0,
    running_vms: servers,
    disk_available_least: host.diskGb - disk,
  };
}

const cpuInfo = (host: ComputeHost): object => ({
  arch: 'x86_64',
  model: 'Cumulet',
  vendor: 'Cumulet',
  features: ['pge', 'clflush'],
  topology: { cells: 1, sockets: 1, cores: host.vcpus, threads: 1 },
});

/** A hypervisor in a list without details; with its servers if the request has `with_servers`. */
export function hypervisorItem(
  { version }: Pick<ComputeCall, 'version'>,
  host: ComputeHost,
  servers?: ServersByHost,
): object {
  const { id, uuid, name, service } = host;
  const own = servers && (servers.get(name) ?? []);
  const ownServers = own?.map((server) => ({ name: server.name, uuid: server.uuid }));
  return {
    id: version.has('2.53') ? uuid : id,
    hypervisor_hostname: name,
    state: service.forcedDown ? 'down' : 'up',
    status: service.disabled ? 'disabled' : 'enabled',
    ...(ownServers && (ownServers.length || version.has('2.75')) ? { servers: ownServers } : {}),
  };
}

/** A hypervisor with details: its usage until 2.87, its uptime from 2.88 on. */
export function hypervisorView(
  { version, now }: Pick<ComputeCall, 'version' | 'now'>,
  host: ComputeHost,
  usage: HostUsage,
  servers?: ServersByHost,
): object {
  const { service } = host;
  return {
    ...hypervisorItem({ version }, host, servers),
    hypervisor_type: 'QEMU',
    hypervisor_version: 10_000_000,
    host_ip: '127.0.0.1',
    service: {
      id: version.has('2.53') ? service.uuid : service.id,
      host: service.host,
      disabled_reason: service.disabledReason,
    },
    ...version.until('2.88', {
      ...usage,
      cpu_info: version.has('2.28') ? cpuInfo(host) : JSON.stringify(cpuInfo(host)),
    }),
    ...version.since('2.88', { uptime: service.forcedDown ? null : uptimeOf(host, now) }),
  };
}

/** The output of the command `uptime`. */
export function uptimeOf({ createdAt }: ComputeHost, now: Micros): string {
  const seconds = Math.max(0, Math.floor((now - createdAt) / SECOND));
  const twoDigits = (value: number): string => String(value).padStart(2, '0');
  const clock = new Date(Math.floor(now / 1000)).toISOString().slice(11, 19);
  const hours = `${Math.floor(seconds / 3600) % 24}:${twoDigits(Math.floor(seconds / 60) % 60)}`;
  return (
    ` ${clock} up ${Math.floor(seconds / 86_400)} days, ${hours},  0 users,  load average: ` +
    '0.00, 0.00, 0.00'
  );
}

/** The totals of all hypervisors. */
export function statisticsView(all: readonly HostUsage[]): object {
  const names = [
    'vcpus',
    'vcpus_used',
    'memory_mb',
    'memory_mb_used',
    'local_gb',
    'local_gb_used',
    'free_ram_mb',
    'free_disk_gb',
    'current_workload',
    'running_vms',
    'disk_available_least',
  ] as const;
  const sums = names.map((name) => [name, all.reduce((sum, usage) => sum + usage[name], 0)]);
  return { count: all.length, ...Object.fromEntries(sums) };
}
