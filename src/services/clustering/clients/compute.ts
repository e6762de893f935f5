// The client of Compute: servers, flavors, keypairs, zones, server groups and hypervisors.
import { ApiError } from '../../../kernel/errors.ts';
import { callService } from '../../../kernel/http/call-service.ts';
import type { Context } from '../../../kernel/model.ts';
import { compute } from '../../compute/index.ts';

export { countServers } from '../../compute/index.ts';

type Json = Record<string, unknown>;

export interface Server extends Json {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly fault?: { readonly message: string };
  readonly 'OS-EXT-AZ:availability_zone': string;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

export interface Flavor extends Named {
  readonly 'OS-FLV-DISABLED:disabled'?: boolean;
}

export interface ServerGroup extends Named {
  readonly policies: readonly string[];
}

export interface Hypervisor {
  readonly hypervisor_hostname: string;
  readonly state: string;
  readonly status: string;
}

/** The bodies of all replies: each has the key of its own collection or resource. */
interface Body {
  readonly server: Server;
  readonly flavor: Flavor;
  readonly flavors: readonly Flavor[];
  readonly availabilityZoneInfo: readonly {
    readonly zoneName: string;
    readonly zoneState: { readonly available: boolean };
  }[];
  readonly server_group: ServerGroup;
  readonly server_groups: readonly ServerGroup[];
  readonly hypervisors: readonly Hypervisor[];
}

async function send(
  context: Context,
  method: string,
  path: string,
  body?: unknown,
  version = '2.1',
): Promise<Body> {
  const reply = await callService(context, compute, {
    method,
    path: `/v2.1${path}`,
    version,
    ...(body === undefined ? {} : { body }),
  });
  return (typeof reply.body === 'string' ? JSON.parse(reply.body) : (reply.body ?? {})) as Body;
}

/** The result of a request; undefined if it returns 404. */
async function ignoreNotFound<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** @returns the server's id. @throws ApiError with Compute's message */
export async function createServer(context: Context, server: Json, hints?: Json): Promise<string> {
  const body = { server, ...(hints ? { 'os:scheduler_hints': hints } : {}) };
  return (await send(context, 'POST', '/servers', body)).server.id;
}

/** @param version 2.9 for all the fields of a node's details */
export async function findServer(
  context: Context,
  id: string,
  version = '2.1',
): Promise<Server | undefined> {
  const path = `/servers/${encodeURIComponent(id)}`;
  return (await ignoreNotFound(send(context, 'GET', path, undefined, version)))?.server;
}

export const deleteServer = (context: Context, id: string): Promise<unknown> =>
  ignoreNotFound(send(context, 'DELETE', `/servers/${id}`));
export const renameServer = (context: Context, id: string, name: string): Promise<unknown> =>
  send(context, 'PUT', `/servers/${id}`, { server: { name } });
export const actOnServer = (
  context: Context,
  id: string,
  action: Json,
  version?: string,
): Promise<unknown> => send(context, 'POST', `/servers/${id}/action`, action, version);
export const setServerMetadata = (context: Context, id: string, metadata: Json): Promise<unknown> =>
  send(context, 'PUT', `/servers/${id}/metadata`, { metadata });
export const deleteServerMetadata = (context: Context, id: string, key: string): Promise<unknown> =>
  ignoreNotFound(send(context, 'DELETE', `/servers/${id}/metadata/${encodeURIComponent(key)}`));
export const attachPort = (context: Context, id: string, port: string): Promise<unknown> =>
  send(context, 'POST', `/servers/${id}/os-interface`, { interfaceAttachment: { port_id: port } });
export const detachPort = (context: Context, id: string, port: string): Promise<unknown> =>
  ignoreNotFound(send(context, 'DELETE', `/servers/${id}/os-interface/${port}`));

/** Finds a flavor by id or name. */
export async function findFlavor(context: Context, identity: string): Promise<Flavor | undefined> {
  const path = `/flavors/${encodeURIComponent(identity)}`;
  const byId = await ignoreNotFound(send(context, 'GET', path));
  if (byId) return byId.flavor;
  const { flavors } = await send(context, 'GET', '/flavors/detail');
  return flavors.find(({ name }) => name === identity);
}

export async function hasKeypair(context: Context, name: string): Promise<boolean> {
  const path = `/os-keypairs/${encodeURIComponent(name)}`;
  return (await ignoreNotFound(send(context, 'GET', path))) !== undefined;
}

/** Lists the zones with hosts that are up and enabled. */
export async function availableZones(context: Context): Promise<string[]> {
  const { availabilityZoneInfo } = await send(context, 'GET', '/os-availability-zone');
  return availabilityZoneInfo
    .filter(({ zoneState }) => zoneState.available)
    .map(({ zoneName }) => zoneName);
}

/** Finds a server group by id or name. */
export async function findServerGroup(
  context: Context,
  identity: string,
): Promise<ServerGroup | undefined> {
  const path = '/os-server-groups';
  const { server_groups: groups } = await send(context, 'GET', path, undefined, '2.15');
  return groups.find(({ id }) => id === identity) ?? groups.find(({ name }) => name === identity);
}

export async function createServerGroup(
  context: Context,
  name: string,
  policy: string,
): Promise<ServerGroup> {
  const body = { server_group: { name, policies: [policy] } };
  return (await send(context, 'POST', '/os-server-groups', body, '2.15')).server_group;
}

export const deleteServerGroup = (context: Context, id: string): Promise<unknown> =>
  ignoreNotFound(send(context, 'DELETE', `/os-server-groups/${id}`));

export const hypervisors = async (context: Context): Promise<readonly Hypervisor[]> =>
  (await send(context, 'GET', '/os-hypervisors/detail')).hypervisors;
