// The networks of servers: which are asked for, and the ports that come of it. Upstream: network/neutron.py.
import type { Micros } from '../../../../kernel/clock.ts';
import { badRequest, type Fault } from '../../../../kernel/fault.ts';
import { deleteServerPort, insertServerPort, listServerPorts } from '../../store/servers/devices.ts';
import type { Server } from '../../store/servers/servers.ts';
import {
  addPort,
  bindPorts,
  dropPort,
  planNetworks,
  portsOfServers,
  type NetworkRequest,
  type NetworkWish,
  type Viewer,
} from '../../neighbours/servers.ts';
import type { Db } from '../../../../kernel/db/database.ts';

export type { NetworkRequest, NetworkWish };

export const portNotFound = (id: string): string => `Port id ${id} could not be found.`;

/** Whether the networks can be had, for so many servers; what a request leaves open is settled. @throws 400, 403, 409 */
export async function settleNetworks(
  db: Db,
  viewer: Viewer,
  request: NetworkRequest,
  { count, now }: { count: number; now: Micros },
): Promise<readonly NetworkWish[]> {
  if (count > 1 && typeof request === 'object') checkSeveral(request);
  return planNetworks(db, viewer, request, now);
}

function checkSeveral(wishes: readonly NetworkWish[]): void {
  const refuse = (why: string): Fault => badRequest(`Failed to launch instances: ${why}`);
  if (wishes.some(({ fixedIp }) => fixedIp !== undefined))
    throw refuse('max_count cannot be greater than 1 if an fixed_ip is specified.');
  if (wishes.some(({ portId }) => portId !== undefined)) {
    throw refuse(
      'Unable to launch multiple instances with a single configured port ID. Please launch your instance one by one with different ports.',
    );
  }
}

/** Gives a server its ports. @returns the id of the last one. @throws Fault where a network has no address left */
export async function plugIn(db: Db, server: Server, wishes: readonly NetworkWish[], now: Micros): Promise<string | undefined> {
  const { uuid, projectId, host, zone, securityGroups } = server;
  const known = new Set((await portsOfServers(db, [uuid])).map(({ id }) => id));
  let last: string | undefined;
  for (const wish of wishes) {
    await addPort(db, { server: uuid, projectId, host: host!, zone: zone! }, wish, securityGroups, now);
    const port = (await portsOfServers(db, [uuid])).find(({ id }) => !known.has(id))!;
    known.add(port.id);
    await insertServerPort(db, { serverUuid: uuid, portId: port.id, tag: wish.tag ?? null, own: wish.portId === undefined });
    last = port.id;
  }
  return last;
}

/** Tells the ports of a server that it is on another host, or on none. */
export const replug = (db: Db, server: string, host: string | null, now: Micros): Promise<void> =>
  bindPorts(db, server, host, now);

/** Takes a port, or all ports, from a server: those that were made for it go. */
export async function unplug(db: Db, server: string, now: Micros, only?: string): Promise<void> {
  const own = new Map((await listServerPorts(db, [server])).map((port) => [port.portId, port.own]));
  for (const { id } of await portsOfServers(db, [server])) {
    if (only === undefined || id === only) await dropPort(db, id, !(own.get(id) ?? false), now);
  }
  for (const id of own.keys()) if (only === undefined || id === only) await deleteServerPort(db, server, id);
}
