// Validates the networks that a request names for servers, and attaches and detaches ports.
// Upstream: network/neutron.py.
import { pipelined } from '../../../../kernel/db/pipelined.ts';
import { badRequest, type ApiError } from '../../../../kernel/errors.ts';
import { isUuidLike } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import {
  createServerPort,
  deleteServerPort,
  planNetworks,
  portIdsOfServer,
  portsOfServers,
  type NetworkRequest,
  type NetworkRequests,
  type Port,
} from '../../clients/network.ts';
import {
  deleteServerPort as deleteServerPortRow,
  insertServerPort,
  listServerPorts,
} from '../../store/servers/devices.ts';
import type { Server, ServerPort } from '../../model.ts';
import { providersOfPorts, releaseForPort, requestsFor } from '../port-resources.ts';

/** The networks in the body of POST /servers. */
export type RequestedNetworks = 'auto' | 'none' | readonly RequestedNetwork[];

interface RequestedNetwork {
  readonly uuid?: string;
  readonly port?: string | null;
  readonly fixed_ip?: string;
  readonly tag?: string;
}

export const portNotFound = (id: string): string => `Port id ${id} could not be found.`;

/** The requested networks and ports. @throws 400 */
export function readNetworks(networks: RequestedNetworks | undefined): NetworkRequests {
  if (networks === undefined || typeof networks === 'string') return networks;
  const ports = new Set<string>();
  return networks.map(({ uuid, port, fixed_ip: fixedIp, tag }): NetworkRequest => {
    const tagged = tag === undefined ? {} : { tag };
    if (port) {
      if (ports.has(port))
        throw badRequest(
          `Port ID '${port}' was specified twice: you cannot attach a port multiple times.`,
        );
      if (fixedIp !== undefined) {
        throw badRequest(
          `Specified Fixed IP '${fixedIp}' cannot be used with port '${port}': the two cannot be ` +
            'specified together.',
        );
      }
      ports.add(port);
      return { portId: port, ...tagged };
    }
    if (uuid === undefined) throw badRequest("Bad network format: missing 'uuid'");
    if (!isUuidLike(uuid))
      throw badRequest(`Bad networks format: network uuid is not in proper format (${uuid})`);
    return { networkId: uuid, ...(fixedIp === undefined ? {} : { fixedIp }), ...tagged };
  });
}

/**
 * Validates the networks for `count` servers, and chooses those that the request leaves open.
 * @throws 400, 403, 409
 */
export async function validateNetworks(
  context: Context,
  requests: NetworkRequests,
  count: number,
): Promise<readonly NetworkRequest[]> {
  if (count > 1 && typeof requests === 'object') checkSeveral(requests);
  return planNetworks(context, context.actor.projectId ?? '', requests);
}

function checkSeveral(requests: readonly NetworkRequest[]): void {
  const refuse = (why: string): ApiError => badRequest(`Failed to launch instances: ${why}`);
  if (requests.some(({ fixedIp }) => fixedIp !== undefined))
    throw refuse('max_count cannot be greater than 1 if an fixed_ip is specified.');
  if (requests.some(({ portId }) => portId !== undefined)) {
    throw refuse(
      'Unable to launch multiple instances with a single configured port ID. ' +
        'Please launch your instance one by one with different ports.',
    );
  }
}

/**
 * Lists the ports of servers, each server's in the order in which they were attached: Nova keeps
 * the order of the request in its cache of network information. Ports that only Network knows
 * follow.
 */
export async function attachedPorts(context: Context, servers: readonly string[]): Promise<Port[]> {
  const [ports, attached] = await pipelined([
    portsOfServers(context, servers),
    listServerPorts(context.db, servers),
  ]);
  return inOrder(ports, attached);
}

/** As `attachedPorts`, if the caller has read what is attached to the servers. */
export const portsOfGuests = async (
  context: Context,
  attached: readonly ServerPort[],
): Promise<Port[]> =>
  inOrder(
    await portsOfServers(context, [...new Set(attached.map(({ serverUuid }) => serverUuid))]),
    attached,
  );

function inOrder(ports: readonly Port[], attached: readonly ServerPort[]): Port[] {
  const positions = new Map(attached.map(({ portId }, index) => [portId, index]));
  const positionOf = ({ id }: Port): number => positions.get(id) ?? attached.length;
  return ports.toSorted((a, b) => positionOf(a) - positionOf(b));
}

/** What ports get from their server. */
export type PortServer = Pick<Server, 'uuid' | 'projectId' | 'host' | 'zone' | 'securityGroups'>;

/**
 * Attaches ports to a server on a host, and creates those that do not exist yet.
 * @returns the id of the last one
 * @throws ApiError if a network has no free address, or if ports request resources that the server
 *   cannot have
 */
export async function attachPorts(
  context: Context,
  server: PortServer,
  requests: readonly NetworkRequest[],
): Promise<string | undefined> {
  const { uuid, projectId, host, zone, securityGroups } = server;
  const wanted = await requestsFor(context, requests);
  const allocations = await providersOfPorts(context, uuid, host, wanted);
  let last: string | undefined;
  for (const request of requests) {
    const owner = { serverId: uuid, projectId, host: host ?? undefined, zone: zone ?? '' };
    last = await createServerPort(context, owner, request, securityGroups, allocations);
    const own = request.portId === undefined;
    await insertServerPort(context.db, {
      serverUuid: uuid,
      portId: last,
      tag: request.tag ?? null,
      own,
    });
  }
  return last;
}

/**
 * Detaches one or all ports from a server, and deletes those that were created for it. A single one
 * loses what the server has allocated for it.
 */
export async function detachPorts(context: Context, server: string, only?: string): Promise<void> {
  if (only !== undefined) await releaseForPort(context, server, only);
  const [attached, ids] = await pipelined([
    listServerPorts(context.db, [server]),
    portIdsOfServer(context, server),
  ]);
  const own = new Map(attached.map((port) => [port.portId, port.own]));
  for (const id of ids) {
    if (only === undefined || id === only)
      await deleteServerPort(context, id, !(own.get(id) ?? false));
  }
  for (const id of own.keys())
    if (only === undefined || id === only) await deleteServerPortRow(context.db, server, id);
}
