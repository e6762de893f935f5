// Hosts without a resource provider, and the reverse.
import type { Inconsistency } from '../../../../emulator/audit/model.ts';
import type { RootProvider } from '../../clients/placement.ts';
import type { Host } from '../../model.ts';

/** Reports hosts whose resource provider does not exist: no server can be scheduled to them. */
export function hostsWithoutProvider(
  hosts: readonly Host[],
  roots: readonly RootProvider[],
): Inconsistency[] {
  const known = new Set(roots.map(({ uuid }) => uuid));
  return hosts
    .filter(({ provider }) => !known.has(provider))
    .map(({ node, provider }) => ({
      check: 'host_without_provider',
      resource: { type: 'host', id: provider, name: node },
      text: `Host ${node} has no root provider in Placement, so that no server is scheduled to it.`,
      repair: [
        `openstack resource provider create ${node} --uuid ${provider}`,
        `openstack resource provider trait set ${provider} --trait COMPUTE_NODE`,
      ],
    }));
}

/** Reports root providers of hosts that do not exist. */
export function providersWithoutHost(
  hosts: readonly Host[],
  roots: readonly RootProvider[],
): Inconsistency[] {
  const known = new Set(hosts.map(({ provider }) => provider));
  return roots
    .filter(({ uuid, hasTrait }) => hasTrait && !known.has(uuid))
    .map(({ uuid, name }) => ({
      check: 'provider_without_host',
      resource: { type: 'resource_provider', id: uuid, name },
      text: `Provider ${name} has the trait COMPUTE_NODE, but Compute has no such host.`,
      repair: [`openstack resource provider delete ${uuid}`],
    }));
}
