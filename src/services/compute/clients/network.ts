// What Compute asks of Network: the networks and ports of servers, security groups, and that its
// hosts are known there.
import type { ApiError } from '../../../kernel/errors.ts';
import type { ServiceRequest } from '../../../kernel/http/call-service.ts';
import type { Context } from '../../../kernel/model.ts';
import { elevated } from '../../../kernel/context.ts';
import * as network from '../../network/index.ts';
import { askAs, type Rewording } from './client.ts';

export {
  allHostsRemoved,
  hostAdded,
  hostRemoved,
  parseCidr,
  serversWithAddress,
} from '../../network/index.ts';

/** Asks Network as the actor of the work would. @throws Fault */
export const askNetwork = <T>(
  context: Context,
  request: ServiceRequest,
  rewording?: Rewording,
): Promise<T> => askAs(context, network.network, request, rewording);

/**
 * A refusal of Network in the words of its client. Upstream: neutronclient/common/exceptions.py.
 */
export const networkSays = (
  { requestId }: Pick<Context, 'requestId'>,
  { message }: ApiError,
): string => `${message}\nNeutron server returns request_ids: ['${requestId}']`;

/** The name of Network's exception, if the error has one. */
export const networkErrorType = (error: ApiError): string | undefined =>
  error instanceof network.NetworkError ? error.type : undefined;

/** A port of a server. */
export interface Port {
  readonly id: string;
  readonly networkId: string;
  readonly networkName: string;
  readonly mac: string;
  readonly status: string;
  readonly deviceId: string;
  readonly fixedIps: readonly { readonly subnetId: string; readonly ip: string }[];
  readonly floatingIps: readonly string[];
  /** Names. */
  readonly securityGroups: readonly string[];
}

/** The ports of servers, in the order in which they were created. */
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

/** One network, or one port, that a server is to have. Upstream: objects/network_request.py. */
export interface NetworkRequest {
  readonly networkId?: string;
  readonly portId?: string;
  readonly fixedIp?: string;
  readonly tag?: string;
}

/** What a request says of networks: nothing at all, any, none, or these. */
export type NetworkRequests = 'auto' | 'none' | undefined | readonly NetworkRequest[];

const entryOf = ({ networkId, portId, fixedIp }: NetworkRequest): network.NetworkRequest => ({
  uuid: networkId,
  port: portId,
  fixedIp,
});

/**
 * Whether the project may have these networks and ports, and which they are where that was left
 * open.
 * @throws 400, 403, 409 with the name of the case
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
    const what = plan.port ? { portId: plan.port.id } : { networkId: plan.network.id };
    return {
      ...what,
      ...(plan.fixedIp === undefined ? {} : { fixedIp: plan.fixedIp }),
      ...(tag === undefined ? {} : { tag }),
    };
  });
}

/** Whose a port is to be, and where it is plugged in. */
export interface PortOwner {
  readonly serverId: string;
  readonly projectId: string;
  readonly host: string;
  readonly zone: string;
}

/**
 * Gives a server a port, created for it or not.
 * @returns its id.
 * @throws Fault where no address is left, or the one that is requested is taken
 */
export async function createServerPort(
  context: Context,
  owner: PortOwner,
  request: NetworkRequest,
  groups: readonly string[],
): Promise<string> {
  const own = elevated(context);
  const plans = await network.planNetworks(own, owner.projectId, [entryOf(request)]);
  const [id] = await network.createServerPorts(own, owner, plans, groups);
  return id!;
}

/** Binds the ports of a server to a host; null unbinds them. */
export const bindServerPorts = (
  context: Context,
  server: string,
  host: string | null,
): Promise<void> => network.bindServerPorts(elevated(context), server, host);

/** Takes a port from its server, and deletes it unless it is to be kept. */
export const deleteServerPort = (context: Context, id: string, keep: boolean): Promise<void> =>
  network.deleteServerPort(elevated(context), id, keep);

/** The ids of a project's security groups by name or id. @throws 400, 409 */
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
