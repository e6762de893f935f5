// Servers against the allocations that they should have in Placement.
import type { Inconsistency } from '../../../../emulator/audit/model.ts';
import { describeConsumers } from '../../../../emulator/explain/consumers.ts';
import { groupedValues } from '../../../../kernel/db/grouping.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { ConsumerOnTree } from '../../clients/placement.ts';
import type { Host } from '../../model.ts';
import type { AuditedServer } from '../../store/servers/audit.ts';
import { findServers } from '../../store/servers/servers.ts';

/** What servers are compared with. */
interface Compared {
  readonly servers: readonly AuditedServer[];
  readonly hosts: readonly Host[];
  readonly consumers: readonly ConsumerOnTree[];
}

/** Reports servers on hosts that do not exist, and servers whose allocations are on other hosts. */
export async function serversWithWrongAllocations(
  { db }: Context,
  { servers, hosts, consumers }: Compared,
): Promise<Inconsistency[]> {
  const providers = new Map(hosts.map(({ node, provider }) => [node, provider]));
  const nodes = new Map(hosts.map(({ node, provider }) => [provider, node]));
  const rootsOf = groupedValues(
    consumers,
    ({ consumer }) => consumer,
    ({ root }) => root,
  );
  const found: Inconsistency[] = [];
  const misplaced: { server: AuditedServer; provider: string; on: readonly string[] }[] = [];
  // A server with a task may be between two hosts.
  for (const server of servers.filter(({ taskState }) => taskState === null)) {
    const on = (rootsOf.get(server.uuid) ?? []).flatMap((root) => nodes.get(root) ?? []);
    if (server.node === null) {
      if (on.length) found.push(allocationsWithoutHost(server, on));
      continue;
    }
    const provider = providers.get(server.node);
    if (provider === undefined) found.push(serverOnMissingHost(server));
    else if (on.length !== 1 || on[0] !== server.node) misplaced.push({ server, provider, on });
  }
  const whole = await findServers(
    db,
    misplaced.map(({ server }) => server.uuid),
  );
  const byUuid = new Map(whole.map((server) => [server.uuid, server]));
  for (const { server, provider, on } of misplaced) {
    const { flavor, onVolume, projectId, userId } = byUuid.get(server.uuid)!;
    const disk = (onVolume ? 0 : flavor.disk) + flavor.ephemeral + Math.ceil(flavor.swap / 1024);
    const amounts = [`VCPU=${flavor.vcpus}`, `MEMORY_MB=${flavor.ram}`];
    if (disk > 0) amounts.push(`DISK_GB=${disk}`);
    found.push({
      check: on.length ? 'server_allocated_elsewhere' : 'server_without_allocations',
      resource: resourceOf(server),
      text:
        `Server '${server.name}' is on host ${server.node}, but ` +
        (on.length ? `has allocations on ${on.join(' and ')}.` : 'has no allocations.'),
      repair: [
        `openstack resource provider allocation set ${server.uuid} ` +
          amounts.map((amount) => `--allocation rp=${provider},${amount} `).join('') +
          `--project-id ${projectId} --user-id ${userId}`,
      ],
    });
  }
  return found;
}

const resourceOf = ({ uuid: id, name }: AuditedServer): Inconsistency['resource'] => ({
  type: 'server',
  id,
  name,
});

const allocationsWithoutHost = (server: AuditedServer, on: readonly string[]): Inconsistency => ({
  check: 'allocations_without_host',
  resource: resourceOf(server),
  text:
    `Server '${server.name}' is on no host (${server.vmState}), but has allocations on ` +
    `${on.join(' and ')}.`,
  repair: [`openstack resource provider allocation delete ${server.uuid}`],
});

const serverOnMissingHost = (server: AuditedServer): Inconsistency => ({
  check: 'server_on_missing_host',
  resource: resourceOf(server),
  text: `Server '${server.name}' is on host ${server.node}, which does not exist.`,
  repair: [`openstack server delete ${server.uuid}`],
});

/**
 * Reports consumers that hold resources of hosts, but are neither servers nor migrations. Consumers
 * of another type than INSTANCE belong to other users of Placement.
 */
export async function consumersWithoutServer(
  context: Context,
  hosts: readonly Host[],
  consumers: readonly ConsumerOnTree[],
): Promise<Inconsistency[]> {
  const nodes = new Map(hosts.map(({ node, provider }) => [provider, node]));
  const onHosts = groupedValues(
    consumers.filter(({ type, root }) => [null, 'INSTANCE'].includes(type) && nodes.has(root)),
    ({ consumer }) => consumer,
    ({ root }) => nodes.get(root)!,
  );
  const known = await describeConsumers(context, [...onHosts.keys()]);
  return [...onHosts]
    .filter(([consumer]) => !known.has(consumer))
    .map(([consumer, on]) => ({
      check: 'consumer_without_server',
      resource: { type: 'consumer', id: consumer, name: null },
      text: `Consumer ${consumer} has allocations on ${on.join(' and ')}, but is not a server.`,
      repair: [`openstack resource provider allocation delete ${consumer}`],
    }));
}
