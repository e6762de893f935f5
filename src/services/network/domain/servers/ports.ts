// The ports of servers, which Compute creates, binds, deletes and shows.
import type { Context } from '../../../../kernel/model.ts';
import { elevated } from '../../../../kernel/context.ts';
import { parseIp } from '../../ip.ts';
import { addressesOf } from '../../store/addresses.ts';
import { grouped, groupedValues } from '../../../../kernel/db/grouping.ts';
import { groupsOfPorts } from '../../store/security-groups.ts';
import { floatingipTable, groupTable, networkTable, portTable } from '../../store/tables.ts';
import { createPort, fitsProfile, removePort, updatePort } from '../ports/ports.ts';
import { checkQuota } from '../quotas.ts';
import { isInTrunk } from '../trunks/binding.ts';
import type { Port } from '../../model.ts';
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

/**
 * Creates the ports of a server, or attaches existing ones. `groups` are ids; by default new ports
 * get the project's default group.
 * @returns the ids of the ports, in the order of the plans
 */
export async function createServerPorts(
  context: Context,
  owner: PortOwner,
  plans: readonly NetworkPlan[],
  groups?: readonly string[],
): Promise<readonly string[]> {
  const added = plans.filter(({ port }) => !port).length;
  await checkQuota(context, owner.projectId, 'port', added);
  const ids: string[] = [];
  for (const { network, port, fixedIp } of plans) {
    const device = {
      device_id: owner.serverId,
      device_owner: `compute:${owner.zone}`,
      ...(owner.host === undefined ? {} : { 'binding:host_id': owner.host }),
    };
    if (port) {
      await updatePort(elevated(context), port, device);
      ids.push(port.id);
    } else {
      const created = await createPort(elevated(context), network, {
        ...device,
        project_id: owner.projectId,
        ...(fixedIp === undefined ? {} : { fixed_ips: [{ ip_address: fixedIp }] }),
        ...(groups?.length && network.port_security_enabled ? { security_groups: groups } : {}),
      });
      ids.push(created.id);
    }
  }
  return ids;
}

const portsOfServer = ({ db }: Context, serverId: string): Promise<Port[]> =>
  portTable.list(db, {
    where: { device_id: serverId },
    sort: ['created_at'],
  });

/**
 * Binds the ports of a server to a host; null unbinds them.
 * @param region the region of the host, if that is another one: the profile of the binding names it
 */
export async function bindServerPorts(
  context: Context,
  serverId: string,
  host: string | null,
  region?: string,
): Promise<void> {
  for (const port of await portsOfServer(context, serverId)) {
    const { region: before } = port['binding:profile'];
    const profile = { ...port['binding:profile'], region };
    const hasMoved = region !== undefined && region !== before && fitsProfile(profile);
    if (!hasMoved && port['binding:host_id'] === (host ?? '')) continue;
    await updatePort(elevated(context), port, {
      'binding:host_id': host ?? '',
      ...(hasMoved ? { 'binding:profile': profile } : {}),
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
  const { region, ...profile } = port['binding:profile'];
  await updatePort(elevated(context), port, {
    device_id: '',
    device_owner: '',
    'binding:host_id': '',
    ...(context.region.isCentral && region !== undefined ? { 'binding:profile': profile } : {}),
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
  const addresses = await addressesOf(db, ids);
  const groupIds = await groupsOfPorts(db, ids);
  const groups = new Map(
    (await groupTable.among(db, 'id', [...groupIds.values()].flat())).map((group) => [
      group.id,
      group.name,
    ]),
  );
  const networks = new Map(
    (
      await networkTable.among(
        db,
        'id',
        ports.map((port) => port.network_id),
      )
    ).map((one) => [one.id, one.name]),
  );
  const floating = groupedValues(
    await floatingipTable.among(db, 'port_id', ids),
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
    groups: (groupIds.get(port.id) ?? []).map((id) => groups.get(id)!),
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
