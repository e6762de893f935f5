// What is inconsistent in Network: ports of servers and routers that do not exist, and quotas.
import type { Audited, Inconsistency } from '../../../emulator/audit/model.ts';
import { exceededQuotas } from '../../../emulator/audit/quotas.ts';
import { describeConsumers } from '../../../emulator/explain/consumers.ts';
import type { Context } from '../../../kernel/model.ts';
import { deviceOwners, type Port } from '../model.ts';
import { portTable, routerTable } from '../store/tables.ts';
import { quotaDetails } from './quotas.ts';

/** The options of `openstack quota set`, by resource. */
const quotaOptions = {
  network: '--networks',
  subnet: '--subnets',
  subnetpool: '--subnetpools',
  port: '--ports',
  router: '--routers',
  floatingip: '--floating-ips',
  security_group: '--secgroups',
  security_group_rule: '--secgroup-rules',
  rbac_policy: '--rbac-policies',
};

/** Audits the ports and the quotas of a region. */
export async function auditNetwork(context: Context): Promise<Audited> {
  const { db } = context;
  const ports = await portTable.list(db);
  const routers = await routerTable.list(db);
  const projects = [...ports, ...routers].map(({ project_id }) => project_id);
  const quotas = [];
  for (const project of [...new Set(projects)].filter((id) => id !== '').toSorted()) {
    const details = Object.entries(await quotaDetails(context, project));
    const limits = Object.fromEntries(details.map(([name, { limit }]) => [name, limit]));
    const used = Object.fromEntries(details.map(([name, one]) => [name, one.used]));
    quotas.push(...exceededQuotas({ project, limits, used, options: quotaOptions }));
  }
  return {
    examined: { ports: ports.length, routers: routers.length },
    inconsistencies: [
      ...(await portsWithoutServer(context, ports)),
      ...portsWithoutRouter(ports, new Set(routers.map(({ id }) => id))),
      ...quotas,
    ],
  };
}

/** Reports ports of servers that do not exist. In the central region, servers are in pods. */
async function portsWithoutServer(
  context: Context,
  ports: readonly Port[],
): Promise<Inconsistency[]> {
  if (context.region.isCentral) return [];
  const ofServers = ports.filter(
    (port) => port.device_owner.startsWith('compute:') && port.device_id !== '',
  );
  const ids = [...new Set(ofServers.map((port) => port.device_id))];
  const known = await describeConsumers(context, ids);
  return ofServers
    .filter((port) => !known.has(port.device_id))
    .map((port) => orphan(port, 'port_without_server', 'server'));
}

const routerOwners: readonly string[] = [deviceOwners.routerInterface, deviceOwners.routerGateway];

/** Reports ports of routers that do not exist. */
const portsWithoutRouter = (
  ports: readonly Port[],
  routers: ReadonlySet<string>,
): Inconsistency[] =>
  ports
    .filter((port) => routerOwners.includes(port.device_owner) && !routers.has(port.device_id))
    .map((port) => orphan(port, 'port_without_router', 'router'));

const orphan = (port: Port, check: string, noun: string): Inconsistency => ({
  check,
  resource: { type: 'port', id: port.id, name: port.name || null },
  text: `Port ${port.name || port.id} belongs to ${noun} ${port.device_id}, which does not exist.`,
  repair: [`openstack port delete ${port.id}`],
});
