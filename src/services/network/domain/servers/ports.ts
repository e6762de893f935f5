// The ports of servers, which Compute creates, binds, deletes and shows.
import { pipelined } from '../../../../kernel/db/pipelined.ts';
import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../../../kernel/model.ts';
import { elevated } from '../../../../kernel/context.ts';
import { parseIp } from '../../ip.ts';
import { addressesOf } from '../../store/addresses.ts';
import { grouped, groupedValues } from '../../../../kernel/db/grouping.ts';
import { groupNamesOfPorts } from '../../store/security-groups.ts';
import { floatingipTable, networkTable, portTable, qosPolicyTable } from '../../store/tables.ts';
import { checkProfile, createPort, fitsProfile, removePort, updatePort } from '../ports/ports.ts';
import { requestsOfPorts } from '../qos/resource-requests.ts';
import { checkQuota } from '../quotas.ts';
import { bad } from '../refusals.ts';
import { isInTrunk } from '../trunks/binding.ts';
import { effectivePolicy, type Port } from '../../model.ts';
import type { NetworkPlan } from './plans.ts';

/** A port of a server. */
export interface ServerPort {
  readonly portId: string;
  readonly networkId: string;
  readonly networkName: string;
  readonly macAddress: string;
  readonly status: string;
  readonly addresses: readonly ServerAddress[];
  /** The names of its security groups. */
  readonly groups: readonly string[];
  readonly createdAt: number;
}

export interface ServerAddress {
  readonly ip: string;
  readonly version: 4 | 6;
  readonly subnetId: string;
  /** The floating IPs that are associated with this address. */
  readonly floating: readonly string[];
}

/** The server that ports are for. */
export interface PortOwner {
  readonly serverId: string;
  readonly projectId: string;
  /** The name of its availability zone. */
  readonly zone: string;
  /** The host that it runs on, if it has been scheduled. */
  readonly host?: string | undefined;
}

/** The providers that serve the resource requests of ports: by port, the UUIDs by group. */
export type PortAllocations = ReadonlyMap<string, Readonly<Record<string, string>>>;

/**
 * Creates the ports of a server, or attaches existing ones. `groups` are ids; by default new ports
 * get the project's default group.
 * @returns the ids of the ports, in the order of the plans
 * @throws 400 if a new port has a resource request, because the scheduler has not seen it
 */
export async function createServerPorts(
  context: Context,
  owner: PortOwner,
  plans: readonly NetworkPlan[],
  groups?: readonly string[],
  allocations?: PortAllocations,
): Promise<readonly string[]> {
  const added = plans.filter((plan) => !('port' in plan)).length;
  await checkQuota(context, owner.projectId, 'port', added);
  const ids: string[] = [];
  for (const plan of plans) {
    const device = {
      device_id: owner.serverId,
      device_owner: `compute:${owner.zone}`,
      ...(owner.host === undefined ? {} : { 'binding:host_id': owner.host }),
    };
    if ('port' in plan) {
      const { port } = plan;
      const allocation = allocations?.get(port.id);
      if (allocation) await keepPolicy(context, port);
      const profile = { ...port['binding:profile'], allocation };
      if (allocation) checkProfile(profile);
      await updatePort(elevated(context), port, {
        ...device,
        ...(allocation ? { 'binding:profile': profile } : {}),
      });
      ids.push(port.id);
    } else {
      const { network, fixedIp } = plan;
      const created = await createPort(elevated(context), network, {
        ...device,
        project_id: owner.projectId,
        ...(fixedIp === undefined ? {} : { fixed_ips: [{ ip_address: fixedIp }] }),
        ...(groups?.length && network.port_security_enabled ? { security_groups: groups } : {}),
      });
      if (network.qos_policy_id !== null && (await requestsOfPorts(context, [created.id])).size)
        throw bad(
          'NetworksWithQoSPolicyNotSupported',
          `Using networks with QoS policy is not supported for instance ${owner.serverId}. ` +
            `(Network ID is ${network.id})`,
        );
      ids.push(created.id);
    }
  }
  return ids;
}

/**
 * Keeps the policy of a port as it is until the transaction ends: its server has claimed what the
 * policy guarantees.
 */
async function keepPolicy({ db }: Context, port: Port): Promise<void> {
  const network = (await networkTable.find(db, { id: port.network_id }))!;
  const policy = await qosPolicyTable.find(db, { id: effectivePolicy(port, network) ?? '' });
  if (policy) await qosPolicyTable.checkUnchanged(db, policy);
  if (port.qos_policy_id === null) await networkTable.checkUnchanged(db, network);
}

/** Returns the ids of the ports of a server, in the order of creation. */
export const portIdsOfServer = async (
  context: Pick<Context, 'db'>,
  serverId: string,
): Promise<string[]> => (await portsOfServer(context, serverId)).map(({ id }) => id);

const portsOfServer = ({ db }: Pick<Context, 'db'>, serverId: string): Promise<Port[]> =>
  portTable.list(db, {
    where: { device_id: serverId },
    sort: ['created_at'],
  });

/** What the profiles of bindings to a host get. */
export interface BindingDetails {
  /** The region of the host, if that is another one. */
  readonly region?: string | undefined;
  /** Ports that are left out keep what they have. */
  readonly allocations?: PortAllocations | undefined;
}

/** Binds the ports of a server to a host; null unbinds them, and they lose their allocations. */
export async function bindServerPorts(
  context: Context,
  serverId: string,
  host: string | null,
  { region, allocations }: BindingDetails = {},
): Promise<void> {
  for (const port of await portsOfServer(context, serverId)) {
    const before = port['binding:profile'];
    const { allocation, ...others } = before;
    const next = host === null ? undefined : (allocations?.get(port.id) ?? allocation);
    const profile = {
      ...others,
      ...(next === undefined ? {} : { allocation: next }),
      ...(region === undefined ? {} : { region }),
    };
    const hasNew = !isDeepStrictEqual(profile, before) && fitsProfile(profile);
    if (!hasNew && port['binding:host_id'] === (host ?? '')) continue;
    await updatePort(elevated(context), port, {
      'binding:host_id': host ?? '',
      ...(hasNew ? { 'binding:profile': profile } : {}),
    });
  }
}

/** Gives the ports of a server to another one. */
export async function moveServerPorts(context: Context, from: string, to: string): Promise<void> {
  for (const port of await portsOfServer(context, from))
    await updatePort(elevated(context), port, { device_id: to });
}

/** Deletes the ports of a server, but detaches those in `kept`. */
export async function deleteServerPorts(
  context: Context,
  serverId: string,
  kept: readonly string[] = [],
): Promise<void> {
  for (const port of await portsOfServer(context, serverId))
    await deleteServerPort(context, port.id, kept.includes(port.id));
}

/** Deletes one port, or detaches it if `keep` is set or if it is in a trunk. */
export async function deleteServerPort(
  context: Context,
  portId: string,
  keep = false,
): Promise<void> {
  const port = await portTable.find(context.db, { id: portId });
  if (!port) return;
  if (!keep && !(await isInTrunk(context, port))) return removePort(elevated(context), port);
  const { region, allocation, ...others } = port['binding:profile'];
  const profile = context.region.isCentral || region === undefined ? others : { ...others, region };
  const isStale = allocation !== undefined || (context.region.isCentral && region !== undefined);
  await updatePort(elevated(context), port, {
    device_id: '',
    device_owner: '',
    'binding:host_id': '',
    ...(isStale ? { 'binding:profile': profile } : {}),
  });
}

/** Returns the ports of servers by server, each list in the order of creation. */
export async function portsOfServers(
  { db }: Pick<Context, 'db'>,
  serverIds: readonly string[],
): Promise<Map<string, ServerPort[]>> {
  const ports = (await portTable.among(db, 'device_id', serverIds)).toSorted(
    (a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1),
  );
  const ids = ports.map((port) => port.id);
  const networkIds = ports.map((port) => port.network_id);
  const [addresses, groups, foundNetworks, floatingips] = await pipelined([
    addressesOf(db, ids),
    groupNamesOfPorts(db, ids),
    networkTable.among(db, 'id', networkIds),
    floatingipTable.among(db, 'port_id', ids),
  ]);
  const networks = new Map(foundNetworks.map(({ id, name }) => [id, name]));
  const floating = groupedValues(
    floatingips,
    (address) => `${address.port_id} ${address.fixed_ip_address}`,
    (address) => address.floating_ip_address,
  );
  const viewOf = (port: Port): ServerPort => ({
    portId: port.id,
    networkId: port.network_id,
    networkName: networks.get(port.network_id)!,
    macAddress: port.mac_address,
    status: port.status,
    addresses: (addresses.get(port.id) ?? []).map(({ ip_address: ip, subnet_id: subnetId }) => ({
      ip,
      version: parseIp(ip)!.version,
      subnetId,
      floating: floating.get(`${port.id} ${ip}`) ?? [],
    })),
    groups: groups.get(port.id) ?? [],
    createdAt: port.created_at,
  });
  const byServer = grouped(ports, (port) => port.device_id);
  return new Map([...byServer].map(([server, own]) => [server, own.map(viewOf)]));
}

/** Returns the ids of the servers that have a matching address. */
export async function serversWithAddress(
  { db }: Pick<Context, 'db'>,
  matches: (ip: string) => boolean,
): Promise<Set<string>> {
  const ports = await portTable.list(db, {
    conditions: [(query) => void query.where('device_owner', 'like', 'compute:%')],
  });
  const addresses = await addressesOf(
    db,
    ports.map((port) => port.id),
  );
  return new Set(
    ports
      .filter((port) => addresses.get(port.id)?.some(({ ip_address: ip }) => matches(ip)))
      .map((port) => port.device_id),
  );
}
