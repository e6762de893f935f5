// Computes the NUMA topology that a flavor and an image request. Upstream: virt/hardware.py
// numa_get_constraints.
import type { Server } from '../../model.ts';

export interface NumaNode {
  readonly cpus: readonly number[];
  /** In MB. */
  readonly memory: number;
}

export interface Topology {
  readonly nodes: readonly NumaNode[];
  /** In KB; null if no size is requested. */
  readonly pageSize: number | null;
}

type Requesting = Pick<Server, 'flavor' | 'imageProperties'>;

/**
 * The value of an extra spec of the flavor, such as `hw:numa_nodes`, or else of the corresponding
 * property of the image, such as `hw_numa_nodes`.
 */
const requestOf = ({ flavor, imageProperties }: Requesting, name: string): string | undefined =>
  flavor.extraSpecs[`hw:${name}`] ?? imageProperties[`hw_${name}`];

/** The topology of a server, which has no nodes if none are requested. */
export function topologyOf(server: Requesting): Topology {
  const count = Number(requestOf(server, 'numa_nodes') ?? 0);
  const page = requestOf(server, 'mem_page_size');
  const isDedicated = ['dedicated', 'mixed'].includes(requestOf(server, 'cpu_policy') ?? '');
  const { vcpus } = server.flavor;
  const nodes =
    Number.isInteger(count) && count > 0 && count <= vcpus
      ? count
      : page !== undefined || isDedicated
        ? 1
        : 0;
  return {
    nodes: Array.from({ length: nodes }, (_, index) => nodeOf(server, index, nodes)),
    pageSize: page === undefined ? null : pageSizeOf(page),
  };
}

/** A node with the CPUs and the memory that are requested for it, or else with equal shares. */
function nodeOf(server: Requesting, index: number, count: number): NumaNode {
  const { vcpus, ram } = server.flavor;
  const cpus = requestOf(server, `numa_cpus.${index}`);
  const memory = requestOf(server, `numa_mem.${index}`);
  const share = (whole: number): number => Math.floor((whole * index) / count);
  const from = share(vcpus);
  const to = Math.floor((vcpus * (index + 1)) / count);
  return {
    cpus:
      cpus === undefined
        ? Array.from({ length: to - from }, (_, offset) => from + offset)
        : cpuSet(cpus, vcpus),
    memory:
      memory === undefined
        ? Math.floor((ram * (index + 1)) / count) - share(ram)
        : Number(memory) || 0,
  };
}

/** Parses a CPU set such as `0-3,^2,7`; CPUs that the server does not have are left out. */
function cpuSet(text: string, vcpus: number): number[] {
  const parts = text.split(',').map((part) => part.trim());
  const rangeOf = (part: string): ((cpu: number) => boolean) => {
    const [from = NaN, to = from] = part.split('-').map(Number);
    return (cpu) => cpu >= from && cpu <= to;
  };
  const included = parts.filter((part) => !part.startsWith('^')).map(rangeOf);
  const excluded = parts
    .filter((part) => part.startsWith('^'))
    .map((part) => rangeOf(part.slice(1)));
  return Array.from({ length: vcpus }, (_, cpu) => cpu).filter(
    (cpu) => included.some((has) => has(cpu)) && !excluded.some((has) => has(cpu)),
  );
}

const units: Readonly<Record<string, number>> = { '': 1, k: 1, m: 1024, g: 1024 * 1024 };

/** Parses a page size, in KB. Hosts have small pages of 4 KB and large pages of 2 MB. */
function pageSizeOf(text: string): number {
  if (text === 'large') return 2048;
  const [, amount = '4', unit = ''] = /^(\d+)\s*([kmg]?)i?b?$/i.exec(text) ?? [];
  return Number(amount) * units[unit.toLowerCase()]!;
}
