// Validates the networks of an os.nova.server profile, and creates a port on each.
import type { Context } from '../../../../kernel/model.ts';
import * as network from '../../clients/network.ts';
import type { Json } from '../../model.ts';
import { invalidSpec } from '../refusals.ts';
import { DriverFailure } from './types.ts';

/** A port in the data of a node. */
export interface InternalPort extends Json {
  readonly id: string;
  /** Whether the port is deleted with the server. */
  readonly remove: boolean;
  readonly floating?: { id: string; address: string; remove: boolean } | undefined;
}

type Request = Json & {
  readonly network?: string | null;
  readonly port?: string | null;
  readonly fixed_ip?: string | null;
  readonly vnic_type?: string | null;
  readonly subnet?: string | null;
  readonly security_groups?: readonly string[] | null;
  readonly floating_network?: string | null;
  readonly floating_ip?: string | null;
};

export const networksOf = (properties: Json): readonly Request[] =>
  (properties['networks'] ?? []) as readonly Request[];

const missing = (key: string, value: string): Error =>
  invalidSpec(`The ${key} ${value} could not be found.`);

/** Checks that the resources which a network request names exist. @throws 400 */
export async function checkNetwork(context: Context, request: Request): Promise<void> {
  const {
    network: name,
    port,
    fixed_ip: fixed,
    vnic_type: vnic,
    floating_network: floating,
    floating_ip: address,
    subnet,
    security_groups: groups,
  } = request;
  if (name && !(await network.findNetwork(context, name))) throw missing('specified network', name);
  if (subnet && !(await network.findSubnet(context, subnet)))
    throw missing('specified subnet', subnet);
  if (port) await checkPort(context, port);
  if (!port && !name) throw invalidSpec("One of 'port' and 'network' must be provided");
  if (port && fixed)
    throw invalidSpec(
      "The 'port' property and the 'fixed_ip' property cannot be specified at the same time",
    );
  if (vnic && !['normal', 'direct', 'macvtap'].includes(vnic))
    throw invalidSpec(
      `vnic_type: '${vnic}' is not supported.(supported types are: normal, direct, macvtap)`,
    );
  for (const group of groups ?? [])
    if (!(await network.findSecurityGroup(context, group)))
      throw missing('specified security_group', group);
  if (floating && !(await network.findNetwork(context, floating)))
    throw missing('floating network', floating);
  if (!address) return;
  const existing = await network.findFloatingIp(context, address);
  if (existing?.status === 'ACTIVE') throw invalidSpec(`the floating IP ${address} has been used.`);
  if (!floating) throw invalidSpec('Must specify a network to create floating IP');
}

/** @throws 400 */
async function checkPort(context: Context, port: string): Promise<void> {
  const found = await network.findPort(context, port);
  if (!found) throw missing('specified port', port);
  if (found.status !== 'DOWN') throw invalidSpec(`The status of the port ${port} must be DOWN`);
}

/** The ids of the networks by name. @throws DriverFailure for an unknown network */
export async function networkIds(
  context: Context,
  requests: readonly Request[],
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { network: name, port } of requests) {
    if (port || !name) continue;
    const record = await network.findNetwork(context, name);
    if (!record) throw new DriverFailure(`The specified network '${name}' could not be found.`);
    found[name] = record.id;
  }
  return found;
}

/**
 * Creates the ports of a server, with the floating IPs that the profile requests.
 * @param ids the ids of their networks, by name
 * @throws DriverFailure, ApiError
 */
export async function createPorts(
  context: Context,
  requests: readonly Request[],
  ids: Readonly<Record<string, string>>,
): Promise<InternalPort[]> {
  const created: InternalPort[] = [];
  for (const request of requests) created.push(await createPort(context, request, ids));
  return created;
}

async function createPort(
  context: Context,
  request: Request,
  ids: Readonly<Record<string, string>>,
): Promise<InternalPort> {
  const floating = request.floating_network
    ? await network.findNetwork(context, request.floating_network)
    : undefined;
  if (request.floating_network && !floating)
    throw new DriverFailure(
      `The specified floating_network '${request.floating_network}' could not be found.`,
    );
  const port = request.port
    ? { id: request.port, remove: false }
    : {
        ...portData(await network.createPort(context, await portBody(context, request, ids))),
        remove: true,
      };
  return floating
    ? { ...port, floating: await addFloatingIp(context, request, floating.id, port.id) }
    : port;
}

const portData = ({
  id,
  network_id,
  fixed_ips,
  security_groups,
}: network.Port): { id: string } & Json => ({
  id,
  network_id,
  fixed_ips,
  security_group_ids: security_groups,
});

/** Associates an existing floating IP with a port, or creates one. */
async function addFloatingIp(
  context: Context,
  { floating_ip: address }: Request,
  networkId: string,
  portId: string,
): Promise<InternalPort['floating']> {
  const existing = address ? await network.findFloatingIp(context, address) : undefined;
  if (existing) {
    await network.assignFloatingIp(context, existing.id, portId);
    return { id: existing.id, address: address!, remove: false };
  }
  return { ...(await network.createFloatingIp(context, networkId, portId)), remove: true };
}

async function portBody(
  context: Context,
  { network: name, fixed_ip, vnic_type, subnet, security_groups: groups }: Request,
  ids: Readonly<Record<string, string>>,
): Promise<Json> {
  const inSubnet = subnet ? await network.findSubnet(context, subnet) : undefined;
  const groupIds = await Promise.all(
    (groups ?? []).map((group) => network.findSecurityGroup(context, group)),
  );
  const fixed = {
    ...(inSubnet ? { subnet_id: inSubnet.id } : {}),
    ...(fixed_ip ? { ip_address: fixed_ip } : {}),
  };
  return {
    network_id: ids[name!],
    ...(Object.keys(fixed).length ? { fixed_ips: [fixed] } : {}),
    ...(vnic_type ? { 'binding:vnic_type': vnic_type } : {}),
    ...(groups ? { security_groups: groupIds.map((group) => group?.id) } : {}),
  };
}

/** Deletes the ports and floating IPs that `createPorts` has created. */
export async function deletePorts(context: Context, ports: readonly InternalPort[]): Promise<void> {
  for (const { id, remove, floating } of ports) {
    if (floating?.remove) await network.deleteFloatingIp(context, floating.id);
    if (remove) await network.deletePort(context, id);
  }
}
