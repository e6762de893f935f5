// The ports of DHCP agents, which are the addresses of their DHCP servers. Upstream, the agents
// create, update and delete them: setup_dhcp_port in neutron/agent/linux/dhcp.py, and
// neutron/api/rpc/handlers/dhcp_rpc.py.
import { elevated } from '../../../../kernel/context.ts';
import { dnsUuid } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import {
  deviceOwners,
  isAutoAddressed,
  type Agent,
  type Network,
  type Port,
  type Subnet,
} from '../../model.ts';
import { addressesOf } from '../../store/addresses.ts';
import { agentsHosting, listAgentsOfType } from '../../store/agents.ts';
import { networkTable, portTable } from '../../store/tables.ts';
import { hasFreeAddress, replaceAddresses } from '../ports/allocation.ts';
import { candidatesAmong, subnetsOf, subnetsOnHost } from '../ports/candidate-subnets.ts';
import { createPort, deletePort, deletePortUnchecked, touchPort } from '../ports/ports.ts';

/** The device of a port whose agent no longer hosts the network; the next agent adopts it. */
const reservedDevice = 'reserved_dhcp_port';

/** The device of an agent's port on a network. The domain of the host's name does not matter. */
const deviceIdOf = ({ host }: Agent, networkId: string): string =>
  `dhcp${dnsUuid(host.split('.')[0]!)}-${networkId}`;

const dhcpPortsOn = ({ db }: Context, networkId: string): Promise<Port[]> =>
  portTable.list(db, { where: { network_id: networkId, device_owner: deviceOwners.dhcp } });

/**
 * Brings the DHCP ports of a network up to date: one for each enabled agent that hosts the network,
 * with an address on each subnet with DHCP. The caller protects the network against concurrent
 * changes of its subnets and agents.
 * @param known all subnets of the network, if the caller has read them
 */
export async function refreshDhcpPorts(
  context: Context,
  network: Network,
  known?: readonly Subnet[],
): Promise<void> {
  const { db } = context;
  const hosting = new Set(await agentsHosting(db, network.id));
  const subnets = known ?? (await subnetsOf(context, network.id));
  const served = subnets.filter((subnet) => subnet.enable_dhcp);
  const ports = new Map(
    (await dhcpPortsOn(context, network.id)).map((port) => [port.device_id, port]),
  );
  for (const agent of await listAgentsOfType(db, 'DHCP agent')) {
    const deviceId = deviceIdOf(agent, network.id);
    const port = ports.get(deviceId);
    const reached = await subnetsOnHost(context, served, agent.host);
    const isServing =
      network.admin_state_up && agent.up && hosting.has(agent.id) && reached.length > 0;
    if (!isServing) {
      if (port) await deletePortUnchecked(elevated(context), port);
      continue;
    }
    const reserved = port ? undefined : ports.get(reservedDevice);
    ports.delete(reservedDevice);
    const own = port ?? (reserved && (await adopt(context, reserved, deviceId, agent)));
    if (own) await updateAddresses(context, own, subnets, reached);
    else await createDhcpPort(context, network, deviceId, agent, reached);
  }
}

const adopt = (
  { db, now }: Context,
  port: Port,
  deviceId: string,
  { host }: Agent,
): Promise<Port> =>
  portTable.change(db, port, { device_id: deviceId, 'binding:host_id': host }, now);

/** Creates the port of an agent, unless no subnet has an address for it. */
async function createDhcpPort(
  context: Context,
  network: Network,
  deviceId: string,
  { host }: Agent,
  served: readonly Subnet[],
): Promise<void> {
  const subnets = await withFreeAddress(context, served);
  if (!subnets.length) return;
  await createPort(elevated(context), network, {
    project_id: network.project_id,
    device_id: deviceId,
    device_owner: deviceOwners.dhcp,
    'binding:host_id': host,
    fixed_ips: subnets.map(({ id }) => ({ subnet_id: id })),
  });
}

/** Gives a port an address on each subnet that it serves, and on no other. */
async function updateAddresses(
  context: Context,
  port: Port,
  subnets: readonly Subnet[],
  served: readonly Subnet[],
): Promise<void> {
  const before = (await addressesOf(context.db, [port.id])).get(port.id) ?? [];
  const [present, wanted] = [
    new Set(before.map((fixed) => fixed.subnet_id)),
    new Set(served.map(({ id }) => id)),
  ];
  const kept = before.filter((fixed) => wanted.has(fixed.subnet_id));
  const missing = served.filter(({ id }) => !present.has(id));
  const added = await withFreeAddress(context, missing);
  if (kept.length === before.length && !added.length) return;
  const requested = [...kept, ...added.map(({ id }) => ({ subnet_id: id }))];
  const candidates = await candidatesAmong(context, subnets, port, requested);
  const current = { before, subnets: candidates };
  await replaceAddresses(elevated(context), port, current, requested);
  await touchPort(context, port);
}

async function withFreeAddress(context: Context, subnets: readonly Subnet[]): Promise<Subnet[]> {
  const found: Subnet[] = [];
  for (const subnet of subnets)
    if (isAutoAddressed(subnet) || (await hasFreeAddress(context, subnet))) found.push(subnet);
  return found;
}

/** Keeps the port of an agent that stops hosting a network, and its addresses, for the next one. */
export async function reserveDhcpPort(
  context: Context,
  agent: Agent,
  networkId: string,
): Promise<void> {
  const { db, now } = context;
  const deviceId = deviceIdOf(agent, networkId);
  const port = (await dhcpPortsOn(context, networkId)).find((one) => one.device_id === deviceId);
  if (port) await portTable.change(db, port, { device_id: reservedDevice }, now);
}

/**
 * Deletes a port for a client. An agent whose port is deleted creates another one.
 * @throws 409 if it belongs to a router or a floating IP
 */
export async function deletePortOfClient(context: Context, port: Port): Promise<void> {
  const { db } = context;
  await deletePort(context, port);
  if (port.device_owner !== deviceOwners.dhcp) return;
  const network = (await networkTable.find(db, { id: port.network_id }))!;
  await networkTable.checkUnchanged(db, network);
  await refreshDhcpPorts(context, network);
}
