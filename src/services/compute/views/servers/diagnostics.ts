// Views of a server's diagnostics: its devices, with the counters of a guest that has booted and is
// idle since. They depend only on the flavor, the devices and the clock. Upstream:
// virt/libvirt/driver.py get_diagnostics and get_instance_diagnostics.
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

/** How much of something a guest has done: what its boot took, and what each second takes. */
interface Work {
  readonly boot: number;
  readonly perSecond: number;
}

const work = (boot: number, perSecond: number): Work => ({ boot, perSecond });

/** Nanoseconds of each CPU, of which an idle guest uses two hundredths. */
const cpuTime = work(4_000_000_000, 20_000_000);

const rootDisk = {
  read_bytes: work(50_331_648, 64),
  read_requests: work(1920, 0.0156),
  write_bytes: work(4_194_304, 2048),
  write_requests: work(256, 0.25),
  errors_count: work(0, 0),
};
/** Of other disks, a guest reads the partition table. */
const otherDisk = {
  read_bytes: work(1_048_576, 0),
  read_requests: work(64, 0),
  write_bytes: work(0, 0),
  write_requests: work(0, 0),
  errors_count: work(0, 0),
};
const received = {
  rx_octets: work(9216, 60),
  rx_errors: work(0, 0),
  rx_drop: work(0, 0),
  rx_packets: work(96, 0.5),
};
const sent = {
  tx_octets: work(7168, 42),
  tx_errors: work(0, 0),
  tx_drop: work(0, 0),
  tx_packets: work(80, 0.4),
};

const after = (uptime: number, { boot, perSecond }: Work): number =>
  Math.floor(boot + perSecond * uptime);

const counted = <K extends string>(
  uptime: number,
  counters: Readonly<Record<K, Work>>,
): Record<K, number> =>
  Object.fromEntries(
    Object.entries<Work>(counters).map(([name, one]) => [name, after(uptime, one)]),
  ) as Record<K, number>;

const workOfDisk = (index: number): typeof rootDisk => (index === 0 ? rootDisk : otherDisk);

/** The seconds since a server was launched. */
const uptimeOf = ({ launchedAt }: Server, now: Micros): number =>
  Math.max(0, Math.floor((now - (launchedAt ?? now)) / SECOND));

/** The format that all drivers share, from 2.48 on. Libvirt gives no rates. */
export function diagnosticsView(server: Server, { disks, nics }: Devices, now: Micros): object {
  const { flavor, configDrive, powerState } = server;
  const uptime = uptimeOf(server, now);
  return {
    state: powerName(powerState),
    driver: 'libvirt',
    hypervisor: 'qemu',
    hypervisor_os: 'linux',
    uptime,
    config_drive: configDrive !== '',
    num_cpus: flavor.vcpus,
    num_nics: nics.length,
    num_disks: disks.length,
    disk_details: disks.map((_, index) => counted(uptime, workOfDisk(index))),
    cpu_details: repeat(flavor.vcpus, (id) => ({
      id,
      time: after(uptime, cpuTime),
      utilisation: null,
    })),
    nic_details: nics.map(({ mac }) => ({
      mac_address: mac,
      ...counted(uptime, received),
      rx_rate: null,
      ...counted(uptime, sent),
      tx_rate: null,
    })),
    memory_details: { maximum: flavor.ram, used: flavor.ram },
  };
}

/** The format before 2.48, which is libvirt's: counters by name, memory in KiB. */
export function libvirtDiagnosticsView(
  server: Server,
  { disks, nics }: Devices,
  now: Micros,
): Record<string, number> {
  const { flavor } = server;
  const uptime = uptimeOf(server, now);
  const named = (
    device: string,
    counters: Readonly<Record<string, Work>>,
  ): readonly [string, number][] =>
    Object.entries(counted(uptime, counters)).map(([name, value]) => [`${device}_${name}`, value]);
  const memory = flavor.ram * 1024;
  return Object.fromEntries([
    ...repeat(flavor.vcpus, (id): [string, number] => [`cpu${id}_time`, after(uptime, cpuTime)]),
    ...disks.flatMap((name, index) => {
      const disk = workOfDisk(index);
      return named(name, {
        read_req: disk.read_requests,
        read: disk.read_bytes,
        write_req: disk.write_requests,
        write: disk.write_bytes,
        errors: disk.errors_count,
      });
    }),
    ...nics.flatMap(({ name }) =>
      named(name, {
        rx: received.rx_octets,
        rx_packets: received.rx_packets,
        rx_errors: received.rx_errors,
        rx_drop: received.rx_drop,
        tx: sent.tx_octets,
        tx_packets: sent.tx_packets,
        tx_errors: sent.tx_errors,
        tx_drop: sent.tx_drop,
      }),
    ),
    ['memory', memory],
    ['memory-actual', memory],
  ]);
}
