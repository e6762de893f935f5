// What Compute asks of the Network, within its own transaction: which networks a server is on, its ports and their addresses.
import { badRequest, conflict, forbidden, type Fault } from '../../../../kernel/fault.ts';
import { isUuidLike } from '../../../../kernel/ids.ts';
import { elevated, type Work } from '../actor.ts';
import { subnetsOf } from './allocation.ts';
import { createPort, erasePort, updatePort } from './ports.ts';
import type { Network, Port, SecurityGroup } from '../records.ts';
import { ensureDefaultGroup } from '../security-groups/security-groups.ts';
import { holderOf, addressesOf } from '../../store/addresses.ts';
import { groupsOf } from '../../store/links.ts';
import { find, findAll, inParts, list } from '../../store/table.ts';
import { floatingipTable, groupTable, networkTable, portTable } from '../../store/tables.ts';
import { parseIp } from '../../ip.ts';
import { subnetOf } from '../subnets/subnets.ts';

/** One entry of what a server asks for. */
export interface NetworkRequest {
  readonly uuid?: string | undefined;
  readonly port?: string | undefined;
  readonly fixedIp?: string | undefined;
}

/** An interface that a server is to have: on a network, or with a port that is there. */
export interface NetworkPlan {
  readonly network: Network;
  readonly port?: Port;
  readonly fixedIp?: string;
}

/** An interface that a server has. */
export interface ServerPort {
  readonly portId: string;
  readonly networkId: string;
  readonly networkName: string;
  readonly macAddress: string;
  readonly status: string;
  readonly addresses: readonly ServerAddress[];
  /** Names of security groups. */
  readonly groups: readonly string[];
  readonly createdAt: number;
}

export interface ServerAddress {
  readonly ip: string;
  readonly version: 4 | 6;
  readonly subnetId: string;
  /** Floating IPs that lead here. */
  readonly floating: readonly string[];
}

/** A refusal in Compute's own words, which are those of upstream's nova/exception.py. */
const refused = (make: (message: string, details: { type: string }) => Fault, type: string, message: string): Fault =>
  make(message, { type });

/** The networks that servers of a project may be on: its own and shared ones. */
export async function networksFor({ db }: Work, projectId: string): Promise<Network[]> {
  const own = await list(db, networkTable, { where: { project_id: [projectId] } });
  const others = await list(db, networkTable, { where: { shared: [true] } });
  return [...new Map([...own, ...others].map((network) => [network.id, network])).values()];
}

/**
 * The interfaces that a new server is to have. Where nothing is asked for, or `auto`: on the only network that there is; on none
 * where there is none (`auto` wants one). @throws 400, 403, 409 with upstream's name for it in `details.type`
 */
export async function planNetworks(
  work: Work,
  projectId: string,
  asked: 'auto' | 'none' | readonly NetworkRequest[] | undefined,
): Promise<NetworkPlan[]> {
  if (asked === 'none') return [];
  if (asked === undefined || asked === 'auto' || !asked.length) return onlyNetwork(work, projectId, asked === 'auto');
  const available = await networksFor(work, projectId);
  const plans: NetworkPlan[] = [];
  for (const one of asked)
    plans.push(one.port === undefined ? await onNetwork(work, available, one) : await withPort(work, one.port));
  const ports = plans.flatMap(({ port }) => (port ? [port.id] : []));
  const twice = ports.find((id, index) => ports.indexOf(id) !== index);
  if (twice !== undefined) throw refused(badRequest, 'NetworkDuplicated', `Network ${twice} is duplicated.`);
  return plans;
}

async function onlyNetwork(work: Work, projectId: string, must: boolean): Promise<NetworkPlan[]> {
  const [network, ...more] = await networksFor(work, projectId);
  if (more.length) {
    throw refused(conflict, 'NetworkAmbiguous', 'Multiple possible networks found, use a Network ID to be more specific.');
  }
  if (network) return [{ network: await usable(work, network) }];
  if (!must) return [];
  throw refused(badRequest, 'UnableToAutoAllocateNetwork', `Unable to automatically allocate a network for project ${projectId}`);
}

async function onNetwork(
  work: Work,
  available: readonly Network[],
  { uuid = '', fixedIp }: NetworkRequest,
): Promise<NetworkPlan> {
  const known = work.actor.isAdmin ? await find(work.db, networkTable, uuid) : undefined;
  const network = available.find(({ id }) => id === uuid) ?? known ?? (await externalOne(work, uuid));
  if (!network) throw refused(badRequest, 'NetworkNotFound', `Network ${uuid} could not be found.`);
  await usable(work, network);
  if (fixedIp === undefined) return { network };
  const subnet = subnetOf(await subnetsOf(work, network.id), fixedIp);
  if (!subnet) {
    throw refused(
      badRequest,
      'FixedIpInvalidOnNetwork',
      `Fixed IP ${fixedIp} is not a valid ip address for network ${network.id}.`,
    );
  }
  const holder = await holderOf(work.db, subnet.id, parseIp(fixedIp)!);
  if (holder !== undefined) {
    const device = (await find(work.db, portTable, holder))?.device_id ?? '';
    throw refused(badRequest, 'FixedIpAlreadyInUse', `Fixed IP address ${fixedIp} is already in use on instance ${device}.`);
  }
  return { network, fixedIp };
}

async function externalOne({ db }: Work, id: string): Promise<Network | undefined> {
  const found = await find(db, networkTable, id);
  return found?.['router:external'] ? found : undefined;
}

/** @throws for a network that has no addresses, or leads out and is not for everybody */
async function usable(work: Work, network: Network): Promise<Network> {
  if (network['router:external'] && !network.shared && !work.actor.isAdmin) {
    throw refused(
      forbidden,
      'ExternalNetworkAttachForbidden',
      `It is not allowed to create an interface on external network ${network.id}`,
    );
  }
  if ((await subnetsOf(work, network.id)).length) return network;
  throw refused(badRequest, 'NetworkRequiresSubnet', `Network ${network.id} requires a subnet in order to boot instances on.`);
}

async function withPort(work: Work, id: string): Promise<NetworkPlan> {
  const port = await find(work.db, portTable, id);
  const network = port && (await find(work.db, networkTable, port.network_id));
  const { actor } = work;
  const visible = port && (actor.isAdmin || port.project_id === actor.projectId || network!.project_id === actor.projectId);
  if (!visible) throw refused(badRequest, 'PortNotFound', `Port id ${id} could not be found.`);
  if (port.device_id) throw refused(conflict, 'PortInUse', `Port ${id} is still in use.`);
  if (!(await addressesOf(work.db, [id])).get(id)?.length) {
    throw refused(badRequest, 'PortRequiresFixedIP', `Port ${id} requires a FixedIP in order to be used.`);
  }
  return { network: network!, port };
}

/** A server as its ports know it. */
export interface PortOwner {
  readonly serverId: string;
  readonly projectId: string;
  /** Of the zone, `nova`. */
  readonly zone: string;
  /** Where it runs, if that is known already. */
  readonly host?: string | undefined;
}

/** Gives a server its interfaces. `groups` are ids; none given means the project's default group. */
export async function createServerPorts(
  work: Work,
  owner: PortOwner,
  plans: readonly NetworkPlan[],
  groups?: readonly string[],
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const { network, port, fixedIp } of plans) {
    const device = {
      device_id: owner.serverId,
      device_owner: `compute:${owner.zone}`,
      ...(owner.host === undefined ? {} : { 'binding:host_id': owner.host }),
    };
    if (port) {
      await updatePort(elevated(work), port, (await groupsOf(work.db, [port.id])).get(port.id) ?? [], device);
      ids.push(port.id);
    } else {
      const made = await createPort(elevated(work), network, {
        ...device,
        project_id: owner.projectId,
        ...(fixedIp === undefined ? {} : { fixed_ips: [{ ip_address: fixedIp }] }),
        ...(groups?.length && network.port_security_enabled ? { security_groups: groups } : {}),
      });
      ids.push(made.id);
    }
  }
  return ids;
}

const portsOfServer = ({ db }: Work, serverId: string): Promise<Port[]> =>
  list(db, portTable, { where: { device_id: [serverId] }, sorts: [{ key: 'created_at', ascending: true }] });

/** Plugs the interfaces of a server in on a host; null takes them off theirs. */
export async function bindServerPorts(work: Work, serverId: string, host: string | null): Promise<void> {
  for (const port of await portsOfServer(work, serverId)) {
    if (port['binding:host_id'] === (host ?? '')) continue;
    const groups = (await groupsOf(work.db, [port.id])).get(port.id) ?? [];
    await updatePort(elevated(work), port, groups, { 'binding:host_id': host ?? '' });
  }
}

/** Takes the interfaces of a server away. Those of `kept` ports, which were there before it, are given free. */
export async function deleteServerPorts(work: Work, serverId: string, kept: readonly string[] = []): Promise<void> {
  for (const port of await portsOfServer(work, serverId)) await deleteServerPort(work, port.id, kept.includes(port.id));
}

/** The same with one interface. */
export async function deleteServerPort(work: Work, portId: string, keep = false): Promise<void> {
  const port = await find(work.db, portTable, portId);
  if (!port) return;
  if (!keep) return erasePort(elevated(work), port);
  const groups = (await groupsOf(work.db, [port.id])).get(port.id) ?? [];
  await updatePort(elevated(work), port, groups, { device_id: '', device_owner: '', 'binding:host_id': '' });
}

/** The interfaces of servers, by server, each in the order in which they were made. */
export async function portsOfServers({ db }: Pick<Work, 'db'>, serverIds: readonly string[]): Promise<Map<string, ServerPort[]>> {
  const ports = (await inParts(serverIds, (part) => list(db, portTable, { where: { device_id: part } }))).toSorted(
    (a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1),
  );
  const ids = ports.map((port) => port.id);
  const addresses = await addressesOf(db, ids);
  const groupIds = await groupsOf(db, ids);
  const groups = new Map((await findAll(db, groupTable, [...groupIds.values()].flat())).map((group) => [group.id, group.name]));
  const networks = new Map((await findAll(db, networkTable, ports.map((port) => port.network_id))).map((one) => [one.id, one.name])); // prettier-ignore
  const floating = await inParts(ids, (part) => list(db, floatingipTable, { where: { port_id: part } }));
  const found = new Map<string, ServerPort[]>();
  for (const port of ports) {
    const one: ServerPort = {
      portId: port.id,
      networkId: port.network_id,
      networkName: networks.get(port.network_id)!,
      macAddress: port.mac_address,
      status: port.status,
      addresses: (addresses.get(port.id) ?? []).map(({ ip_address: ip, subnet_id: subnetId }) => ({
        ip,
        version: parseIp(ip)!.version,
        subnetId,
        floating: floating
          .filter((address) => address.port_id === port.id && address.fixed_ip_address === ip)
          .map((address) => address.floating_ip_address),
      })),
      groups: (groupIds.get(port.id) ?? []).map((id) => groups.get(id)!),
      createdAt: port.created_at,
    };
    found.set(port.device_id, [...(found.get(port.device_id) ?? []), one]);
  }
  return found;
}

/** Servers that have an address which matches: `ip` is a regular expression on the text, as nova has it. */
export async function serversWithAddress({ db }: Pick<Work, 'db'>, matches: (ip: string) => boolean): Promise<Set<string>> {
  const ports = (await list(db, portTable)).filter((port) => port.device_owner.startsWith('compute:'));
  const addresses = await addressesOf(db, ports.map((port) => port.id)); // prettier-ignore
  return new Set(
    ports.filter((port) => addresses.get(port.id)?.some(({ ip_address: ip }) => matches(ip))).map((port) => port.device_id),
  );
}

/** The security groups of a project that names or ids mean. @throws 400, 409 */
export async function findSecurityGroups(work: Work, projectId: string, names: readonly string[]): Promise<SecurityGroup[]> {
  if (names.includes('default')) await ensureDefaultGroup(elevated(work), projectId);
  const own = await list(work.db, groupTable, { where: { project_id: [projectId] } });
  return [...new Set(names)].map((name) => {
    const byId = isUuidLike(name) ? own.find((group) => group.id === name) : undefined;
    const matching = byId ? [byId] : own.filter((group) => group.name === name);
    const [only, ...more] = matching;
    if (more.length) {
      throw refused(
        conflict,
        'NoUniqueMatch',
        `Multiple security groups found matching '${name}'. Use an ID to be more specific.`,
      );
    }
    if (only) return only;
    throw refused(badRequest, 'SecurityGroupNotFoundForProject', `Security group ${name} not found for project ${projectId}.`);
  });
}
