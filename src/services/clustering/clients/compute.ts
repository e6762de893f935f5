// What Clustering asks of Compute, as its client: servers, flavors, keypairs, zones, server groups
// and hypervisors.
import { callService } from '../../../kernel/http/call-service.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import { compute } from '../../compute/index.ts';

type Json = Record<string, unknown>;

export interface Server extends Json {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly fault?: { readonly message: string };
}

async function ask(
  context: Context,
  method: string,
  path: string,
  body?: unknown,
  version = '2.1',
): Promise<Json> {
  const query = path.split('?')[1];
  const reply = await callService(context, compute, {
    method,
    path: `/v2.1${path.split('?')[0]!}`,
    version,
    ...(query ? { query: [...new URLSearchParams(query)] } : {}),
    ...(body === undefined ? {} : { body }),
  });
  const told = typeof reply.body === 'string' ? (JSON.parse(reply.body) as unknown) : reply.body;
  return (told ?? {}) as Json;
}

/** The value, or undefined for what is not there. */
async function unlessGone<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** @returns the server's id. @throws Fault in Compute's words */
export async function createServer(context: Context, server: Json, hints?: Json): Promise<string> {
  const body = { server, ...(hints ? { 'os:scheduler_hints': hints } : {}) };
  return ((await ask(context, 'POST', '/servers', body))['server'] as Server).id;
}

/** @param version 2.9 for all that details show */
export async function findServer(
  context: Context,
  id: string,
  version = '2.1',
): Promise<Server | undefined> {
  const found = await unlessGone(
    ask(context, 'GET', `/servers/${encodeURIComponent(id)}`, undefined, version),
  );
  return found && (found['server'] as Server);
}

export const deleteServer = (context: Context, id: string): Promise<unknown> =>
  unlessGone(ask(context, 'DELETE', `/servers/${id}`));
export const renameServer = (context: Context, id: string, name: string): Promise<unknown> =>
  ask(context, 'PUT', `/servers/${id}`, { server: { name } });
export const actOnServer = (
  context: Context,
  id: string,
  action: Json,
  version?: string,
): Promise<unknown> => ask(context, 'POST', `/servers/${id}/action`, action, version);
export const setServerMetadata = (context: Context, id: string, metadata: Json): Promise<unknown> =>
  ask(context, 'PUT', `/servers/${id}/metadata`, { metadata });
export const deleteServerMetadata = (context: Context, id: string, key: string): Promise<unknown> =>
  unlessGone(ask(context, 'DELETE', `/servers/${id}/metadata/${encodeURIComponent(key)}`));
export const attachPort = (context: Context, id: string, port: string): Promise<unknown> =>
  ask(context, 'POST', `/servers/${id}/os-interface`, { interfaceAttachment: { port_id: port } });
export const detachPort = (context: Context, id: string, port: string): Promise<unknown> =>
  unlessGone(ask(context, 'DELETE', `/servers/${id}/os-interface/${port}`));

interface Named {
  readonly id: string;
  readonly name: string;
}

export interface Flavor extends Named {
  readonly 'OS-FLV-DISABLED:disabled'?: boolean;
}

/** A flavor by id or name. */
export async function findFlavor(context: Context, identity: string): Promise<Flavor | undefined> {
  const byId = await unlessGone(ask(context, 'GET', `/flavors/${encodeURIComponent(identity)}`));
  if (byId) return byId['flavor'] as Flavor;
  const { flavors } = (await ask(context, 'GET', '/flavors/detail')) as { flavors: Flavor[] };
  return flavors.find(({ name }) => name === identity);
}

export const hasKeypair = async (context: Context, name: string): Promise<boolean> =>
  (await unlessGone(ask(context, 'GET', `/os-keypairs/${encodeURIComponent(name)}`))) !== undefined;

/** The zones that have hosts which are up and enabled. */
export async function availableZones(context: Context): Promise<string[]> {
  const { availabilityZoneInfo } = (await ask(context, 'GET', '/os-availability-zone')) as {
    availabilityZoneInfo: { zoneName: string; zoneState: { available: boolean } }[];
  };
  return availabilityZoneInfo
    .filter(({ zoneState }) => zoneState.available)
    .map(({ zoneName }) => zoneName);
}

export interface ServerGroup extends Named {
  readonly policies: readonly string[];
}

/** A server group by id or name. */
export async function findServerGroup(
  context: Context,
  identity: string,
): Promise<ServerGroup | undefined> {
  const { server_groups: groups } = (await ask(
    context,
    'GET',
    '/os-server-groups',
    undefined,
    '2.15',
  )) as {
    server_groups: ServerGroup[];
  };
  return groups.find(({ id }) => id === identity) ?? groups.find(({ name }) => name === identity);
}

export async function createServerGroup(
  context: Context,
  name: string,
  policy: string,
): Promise<ServerGroup> {
  const body = { server_group: { name, policies: [policy] } };
  return (await ask(context, 'POST', '/os-server-groups', body, '2.15'))[
    'server_group'
  ] as ServerGroup;
}

export const deleteServerGroup = (context: Context, id: string): Promise<unknown> =>
  unlessGone(ask(context, 'DELETE', `/os-server-groups/${id}`));

export interface Hypervisor {
  readonly hypervisor_hostname: string;
  readonly state: string;
  readonly status: string;
}

export async function hypervisors(context: Context): Promise<Hypervisor[]> {
  return (await ask(context, 'GET', '/os-hypervisors/detail'))['hypervisors'] as Hypervisor[];
}
