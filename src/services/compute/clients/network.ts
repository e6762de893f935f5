// The client of Network: the networks and ports of servers, security groups, and the hosts on which
// Network has agents.
import type { ApiError } from '../../../kernel/errors.ts';
import type { ServiceRequest } from '../../../kernel/http/call-service.ts';
import type { Context } from '../../../kernel/model.ts';
import { elevated } from '../../../kernel/context.ts';
import * as network from '../../network/index.ts';
import { callApi, type ErrorTranslations } from './client.ts';

export {
  allHostsRemoved,
  hostRemoved,
  hostsAdded,
  hostsCaptured,
  parseCidr,
  reportProviders,
  requestsOfPorts,
  requestsOfServer,
  segmentSupply,
  serversWithAddress,
} from '../../network/index.ts';

export type { PortAllocations, PortRequest } from '../../network/index.ts';

/** A network in the replies of Network's API. */
export type NeutronNetwork = Pick<network.Network, 'id' | 'name'>;

/** A port in the replies of Network's API, which lists its addresses and its security groups. */
export interface NeutronPort extends Pick<network.Port, 'id' | 'port_security_enabled'> {
  readonly security_groups: readonly string[];
  readonly fixed_ips: readonly { readonly subnet_id: string; readonly ip_address?: string }[];
}

/** A floating IP in the replies of Network's API. */
export interface NeutronFloatingIp extends Pick<
  network.Floatingip,
  'id' | 'floating_ip_address' | 'fixed_ip_address' | 'floating_network_id' | 'port_id'
> {
  readonly port_details: Pick<network.Port, 'device_id'> | null;
}

/** A rule of a security group in the replies of Network's API. */
export type NeutronRule = Pick<
  network.SecurityGroupRule,
  | 'id'
  | 'security_group_id'
  | 'direction'
  | 'protocol'
  | 'port_range_min'
  | 'port_range_max'
  | 'remote_group_id'
  | 'remote_ip_prefix'
>;

/** A security group in the replies of Network's API. */
export interface NeutronSecurityGroup extends Pick<
  network.SecurityGroup,
  'id' | 'name' | 'description'
> {
  readonly tenant_id: network.SecurityGroup['project_id'];
  readonly security_group_rules: readonly NeutronRule[];
}

/** Calls the API of Network as the actor. @throws ApiError */
export const callNetwork = <T>(
  context: Context,
  request: ServiceRequest,
  translations?: ErrorTranslations,
): Promise<T> => callApi(context, network.network, request, translations);

/**
 * The message that Network's client gives an error. Upstream: neutronclient/common/exceptions.py.
 */
export const networkErrorMessage = (
  { requestId }: Pick<Context, 'requestId'>,
  { message }: ApiError,
): string => `${message}\nNeutron server returns request_ids: ['${requestId}']`;

/** The name of Network's exception, if the error has one. */
export const networkErrorType = (error: ApiError): string | undefined =>
  error instanceof network.NetworkError ? error.type : undefined;

/** A port of a server. */
export interface Port extends Pick<network.ServerPort, 'networkId' | 'networkName' | 'status'> {
  readonly id: string;
  readonly mac: string;
  readonly deviceId: string;
  readonly fixedIps: readonly Pick<network.ServerAddress, 'subnetId' | 'ip'>[];
  readonly floatingIps: readonly string[];
  /** The names of its security groups. */
  readonly securityGroups: readonly string[];
}

/** Lists the ports of servers, in the order in which they were created. */
export async function portsOfServers(
  context: Context,
  servers: readonly string[],
): Promise<Port[]> {
  const byServer = await network.portsOfServers(context, servers);
  return [...byServer].flatMap(([deviceId, ports]) =>
    ports.map((port) => ({
      id: port.portId,
      networkId: port.networkId,
      networkName: port.networkName,
      mac: port.macAddress,
      status: port.status,
      deviceId,
      fixedIps: port.addresses.map(({ ip, subnetId }) => ({ ip, subnetId })),
      floatingIps: port.addresses.flatMap(({ floating }) => floating),
      securityGroups: port.groups,
    })),
  );
}

/** Lists the ids of a server's ports, in the order in which they were created. */
export const portIdsOfServer = (context: Context, server: string): Promise<string[]> =>
  network.portIdsOfServer(context, server);

/** A network or a port that a request assigns to a server. Upstream: objects/network_request.py. */
export interface NetworkRequest {
  readonly networkId?: string;
  readonly portId?: string;
  readonly fixedIp?: string;
  readonly tag?: string;
}

/** The networks of a request: unspecified, chosen by Network, none, or a list. */
export type NetworkRequests = 'auto' | 'none' | undefined | readonly NetworkRequest[];

const entryOf = ({ networkId, portId, fixedIp }: NetworkRequest): network.NetworkRequest => ({
  uuid: networkId,
  port: portId,
  fixedIp,
});

/**
 * Validates the networks and ports of a request, and chooses those that the request leaves open.
 * @throws 400, 403, 409 with the name of upstream's exception
 */
export async function planNetworks(
  context: Context,
  projectId: string,
  requests: NetworkRequests,
): Promise<NetworkRequest[]> {
  const entries = typeof requests === 'object' ? requests.map(entryOf) : requests;
  const plans = await network.planNetworks(context, projectId, entries);
  return plans.map((plan, index) => {
    const tag = typeof requests === 'object' ? requests[index]?.tag : undefined;
    return {
      ...requestOf(plan),
      ...(tag === undefined ? {} : { tag }),
    };
  });
}

const requestOf = (plan: network.NetworkPlan): NetworkRequest =>
  'port' in plan
    ? { portId: plan.port.id }
    : {
        networkId: plan.network.id,
        ...(plan.fixedIp === undefined ? {} : { fixedIp: plan.fixedIp }),
      };

/** Returns the segments on which a server may get its addresses. */
export const segmentsFor = (
  context: Context,
  request: NetworkRequest,
): ReturnType<typeof network.segmentsFor> => network.segmentsFor(context, entryOf(request));

/**
 * Attaches a port to a server, after creating it if the request names a network.
 * @param allocations the providers that serve what existing ports request
 * @returns its id
 * @throws ApiError if no address is free, or the requested address is taken
 */
export async function createServerPort(
  context: Context,
  owner: network.PortOwner,
  request: NetworkRequest,
  groups: readonly string[],
  allocations: network.PortAllocations,
): Promise<string> {
  const own = elevated(context);
  const plans = await network.planNetworks(own, owner.projectId, [entryOf(request)]);
  const [id] = await network.createServerPorts(own, owner, plans, groups, allocations);
  return id!;
}

/** Binds the ports of a server to a host; null unbinds them. */
export const bindServerPorts = (
  context: Context,
  server: string,
  host: string | null,
  details?: network.BindingDetails,
): Promise<void> => network.bindServerPorts(elevated(context), server, host, details);

/** Gives the ports of a server to another one. */
export const movePorts = (context: Context, from: string, to: string): Promise<void> =>
  network.moveServerPorts(context, from, to);

/** Detaches a port from its server, and deletes it unless `keep` is set. */
export const deleteServerPort = (context: Context, id: string, keep: boolean): Promise<void> =>
  network.deleteServerPort(elevated(context), id, keep);

/** Finds the ids of a project's security groups by name or id. @throws 400, 409 */
export async function findSecurityGroups(
  context: Context,
  projectId: string,
  names: readonly string[],
): Promise<string[]> {
  if (!names.length) return [];
  return (await network.findSecurityGroups(elevated(context), projectId, names)).map(
    ({ id }) => id,
  );
}
