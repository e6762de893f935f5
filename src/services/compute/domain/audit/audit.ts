// What is inconsistent in Compute: servers, hosts and server groups against each other and against
// Placement.
import type { Audited } from '../../../../emulator/audit/model.ts';
import { exceededQuotas } from '../../../../emulator/audit/quotas.ts';
import type { Context } from '../../../../kernel/model.ts';
import { consumersOnTrees, rootProviders } from '../../clients/placement.ts';
import { listHosts } from '../../store/hosts/server-hosts.ts';
import { auditedServers } from '../../store/servers/audit.ts';
import { listGroups } from '../../store/servers/groups.ts';
import { limitsOf, usageOf } from '../quotas.ts';
import { consumersWithoutServer, serversWithWrongAllocations } from './allocations.ts';
import { violatedGroups } from './groups.ts';
import { hostsWithoutProvider, providersWithoutHost } from './hosts.ts';

/** The options of `openstack quota set`, by resource. */
const quotaOptions = {
  instances: '--instances',
  cores: '--cores',
  ram: '--ram',
  server_groups: '--server-groups',
};

/** Audits the servers, hosts, groups and quotas of a region. */
export async function auditCompute(context: Context): Promise<Audited> {
  const { db } = context;
  const servers = await auditedServers(db);
  const hosts = await listHosts(db);
  const groups = await listGroups(db, {});
  const consumers = await consumersOnTrees(context);
  const roots = await rootProviders(context, 'COMPUTE_NODE');
  const projects = [...new Set(servers.map(({ projectId }) => projectId))].toSorted();
  const quotas = [];
  for (const project of projects) {
    const [limits, used] = [await limitsOf(db, project), await usageOf(db, project)];
    quotas.push(...exceededQuotas({ project, limits, used, options: quotaOptions }));
  }
  return {
    examined: {
      hosts: hosts.length,
      servers: servers.length,
      'server groups': groups.length,
      allocations: consumers.length,
    },
    inconsistencies: [
      ...hostsWithoutProvider(hosts, roots),
      ...providersWithoutHost(hosts, roots),
      ...(await serversWithWrongAllocations(context, { servers, hosts, consumers })),
      ...(await consumersWithoutServer(context, hosts, consumers)),
      ...violatedGroups(groups, servers),
      ...quotas,
    ],
  };
}
