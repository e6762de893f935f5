// The hosts of os-hosts (until 2.42) as a client sees them.
import { zoneOf } from '../../domain/hosts/zones.ts';
import type { Figures } from './hypervisors.ts';
import type { ComputeHost, Server, ComputeService } from '../../model.ts';

/** A service of a host, without the `nova-` of its name. */
export const hostItem = (service: ComputeService, zones: ReadonlyMap<string, string>): object => ({
  host_name: service.host,
  service: service.binary.replace(/^nova-/, ''),
  zone: zoneOf(service, zones),
});

interface Taken {
  cpu: number;
  memory_mb: number;
  disk_gb: number;
}

const none = (): Taken => ({ cpu: 0, memory_mb: 0, disk_gb: 0 });

function add(taken: Taken, { flavor }: Server): void {
  taken.cpu += flavor.vcpus;
  taken.memory_mb += flavor.ram;
  taken.disk_gb += flavor.disk + flavor.ephemeral;
}

/**
 * The resources of a host: all, those in use, the most that its servers may use, and the same by
 * project.
 */
export function hostView(
  { name }: ComputeHost,
  figures: Figures,
  servers: readonly Server[],
): object[] {
  const all = none();
  const byProject = new Map<string, Taken>();
  for (const server of servers) {
    const own = byProject.get(server.projectId) ?? none();
    byProject.set(server.projectId, own);
    add(own, server);
    add(all, server);
  }
  const used = {
    cpu: figures.vcpus_used,
    memory_mb: figures.memory_mb_used,
    disk_gb: figures.local_gb_used,
  };
  const lines: [string, Taken][] = [
    ['(total)', { cpu: figures.vcpus, memory_mb: figures.memory_mb, disk_gb: figures.local_gb }],
    ['(used_now)', used],
    ['(used_max)', all],
    ...byProject,
  ];
  return lines.map(([project, taken]) => ({ resource: { host: name, project, ...taken } }));
}
