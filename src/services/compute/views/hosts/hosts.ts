// Views of hosts in os-hosts, until 2.42.
import { zoneOf } from '../../domain/hosts/zones.ts';
import type { HostUsage } from './hypervisors.ts';
import type { ComputeHost, Server, ComputeService } from '../../model.ts';

/** A service of a host, without the prefix `nova-` in its name. */
export const hostItem = (service: ComputeService, zones: ReadonlyMap<string, string>): object => ({
  host_name: service.host,
  service: service.binary.replace(/^nova-/, ''),
  zone: zoneOf(service, zones),
});

interface Usage {
  cpu: number;
  memory_mb: number;
  disk_gb: number;
}

const noUsage = (): Usage => ({ cpu: 0, memory_mb: 0, disk_gb: 0 });

function addServer(usage: Usage, { flavor }: Server): void {
  usage.cpu += flavor.vcpus;
  usage.memory_mb += flavor.ram;
  usage.disk_gb += flavor.disk + flavor.ephemeral;
}

/**
 * The resources of a host: the total, the current usage, the sum of its servers' flavors, and that
 * sum for each project.
 */
export function hostView(
  { name }: ComputeHost,
  usage: HostUsage,
  servers: readonly Server[],
): object[] {
  const usedMax = noUsage();
  const byProject = new Map<string, Usage>();
  for (const server of servers) {
    const ofProject = byProject.get(server.projectId) ?? noUsage();
    byProject.set(server.projectId, ofProject);
    addServer(ofProject, server);
    addServer(usedMax, server);
  }
  const usedNow = {
    cpu: usage.vcpus_used,
    memory_mb: usage.memory_mb_used,
    disk_gb: usage.local_gb_used,
  };
  const resources: [string, Usage][] = [
    ['(total)', { cpu: usage.vcpus, memory_mb: usage.memory_mb, disk_gb: usage.local_gb }],
    ['(used_now)', usedNow],
    ['(used_max)', usedMax],
    ...byProject,
  ];
  return resources.map(([project, amounts]) => ({ resource: { host: name, project, ...amounts } }));
}
