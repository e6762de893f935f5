// Views of a server's diagnostics: its devices, with counters that are always zero. Upstream:
// virt/libvirt/driver.py.
import { SECOND, type Micros } from '../../../../kernel/clock.ts';
import type { Port } from '../../clients/network.ts';
import { powerName } from '../../domain/servers/states.ts';
import type { ServerVolume, Server } from '../../model.ts';

export interface Devices {
  /** Names such as `vda`. */
  readonly disks: readonly string[];
  readonly nics: readonly { readonly name: string; readonly mac: string }[];
}

const letters = 'abcdefghijklmnopqrstuvwxyz'.split('');

/** The devices of a server. Its flavor's disks get the names that no volume has. */
export function devicesOf(
  { onVolume, flavor }: Server,
  volumes: readonly ServerVolume[],
  ports: readonly Port[],
): Devices {
  const attached = volumes.flatMap(({ device }) =>
    device === null ? [] : [device.replace('/dev/', '')],
  );
  const ownDisks = [!onVolume, flavor.ephemeral > 0, flavor.swap > 0].filter(Boolean).length;
  const free = letters.map((letter) => `vd${letter}`).filter((name) => !attached.includes(name));
  return {
    disks: [...free.slice(0, ownDisks), ...attached].toSorted(),
    nics: ports.map(({ id, mac }) => ({ name: `tap${id.slice(0, 11)}`, mac })),
  };
}

const repeat = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** The format that all drivers share, from 2.48 on. */
export function diagnosticsView(server: Server, { disks, nics }: Devices, now: Micros): object {
  const { flavor, launchedAt, configDrive, powerState } = server;
  const disk = {
    read_bytes: 0,
    read_requests: 0,
    write_bytes: 0,
    write_requests: 0,
    errors_count: 0,
  };
  const received = { rx_octets: 0, rx_errors: 0, rx_drop: 0, rx_packets: 0, rx_rate: null };
  const sent = { tx_octets: 0, tx_errors: 0, tx_drop: 0, tx_packets: 0, tx_rate: null };
  return {
    state: powerName(powerState),
    driver: 'libvirt',
    hypervisor: 'qemu',
    hypervisor_os: 'linux',
    uptime: Math.max(0, Math.floor((now - (launchedAt ?? now)) / SECOND)),
    config_drive: configDrive !== '',
    num_cpus: flavor.vcpus,
    num_nics: nics.length,
    num_disks: disks.length,
    disk_details: disks.map(() => disk),
    cpu_details: repeat(flavor.vcpus, (id) => ({ id, time: 0, utilisation: null })),
    nic_details: nics.map(({ mac }) => ({ mac_address: mac, ...received, ...sent })),
    memory_details: { maximum: flavor.ram, used: flavor.ram },
  };
}

/** The format before 2.48, which is libvirt's: counters by name, memory in KiB. */
export function libvirtDiagnosticsView(
  { flavor }: Server,
  { disks, nics }: Devices,
): Record<string, number> {
  const zeros = (name: string, counters: readonly string[]): [string, number][] =>
    counters.map((counter) => [`${name}_${counter}`, 0]);
  const memory = flavor.ram * 1024;
  return Object.fromEntries([
    ...repeat(flavor.vcpus, (id): [string, number] => [`cpu${id}_time`, 0]),
    ...disks.flatMap((name) => zeros(name, ['read_req', 'read', 'write_req', 'write', 'errors'])),
    ...nics.flatMap(({ name }) =>
      zeros(name, [
        'rx',
        'rx_packets',
        'rx_errors',
        'rx_drop',
        'tx',
        'tx_packets',
        'tx_errors',
        'tx_drop',
      ]),
    ),
    ['memory', memory],
    ['memory-actual', memory],
  ]);
}
