// The client of Network: networks, subnets, security groups, ports and floating IPs.
import { ApiError } from '../../../kernel/errors.ts';
import { callService } from '../../../kernel/http/call-service.ts';
import { isUuidLike } from '../../../kernel/ids.ts';
import type { Context } from '../../../kernel/model.ts';
import { network } from '../../network/index.ts';

type Json = Record<string, unknown>;

interface Resource extends Json {
  readonly id: string;
}

interface Subnet extends Resource {
  readonly network_id: string;
}

export interface Port extends Resource {
  readonly status: string;
  readonly network_id: string;
  readonly fixed_ips: readonly { readonly ip_address: string }[];
}

interface FloatingIp extends Resource {
  readonly status: string;
  readonly floating_ip_address: string;
}

/** The bodies of all replies: each has the keys of its own collection or resource. */
interface Body {
  readonly networks: readonly Resource[];
  readonly subnets: readonly Subnet[];
  readonly security_groups: readonly Resource[];
  readonly ports: readonly Port[];
  readonly floatingips: readonly FloatingIp[];
  readonly port: Port;
  readonly floatingip: FloatingIp;
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly query?: readonly (readonly [string, string])[];
  readonly body?: Json;
}

async function send(context: Context, { path, ...request }: Request): Promise<Body> {
  const reply = await callService(context, network, { ...request, path: `/v2.0${path}` });
  return (typeof reply.body === 'string' ? JSON.parse(reply.body) : (reply.body ?? {})) as Body;
}

const list = (
  context: Context,
  path: string,
  ...query: readonly (readonly [string, string])[]
): Promise<Body> => send(context, { method: 'GET', path, query });

/** Finds a resource by id or name. @returns undefined if no resource, or several, have the name */
async function find<K extends 'networks' | 'subnets' | 'security_groups' | 'ports'>(
  context: Context,
  key: K,
  identity: string,
): Promise<Body[K][number] | undefined> {
  const path = `/${key.replaceAll('_', '-')}`;
  for (const field of isUuidLike(identity) ? ['id', 'name'] : ['name']) {
    const found = (await list(context, path, [field, identity]))[key];
    if (found.length === 1) return found[0];
  }
  return undefined;
}

export const findNetwork = (context: Context, identity: string): Promise<Resource | undefined> =>
  find(context, 'networks', identity);
export const findSubnet = (context: Context, identity: string): Promise<Subnet | undefined> =>
  find(context, 'subnets', identity);
export const findSecurityGroup = (
  context: Context,
  identity: string,
): Promise<Resource | undefined> => find(context, 'security_groups', identity);
export const findPort = (context: Context, id: string): Promise<Port | undefined> =>
  find(context, 'ports', id);
export const findFloatingIp = async (
  context: Context,
  address: string,
): Promise<FloatingIp | undefined> =>
  (await list(context, '/floatingips', ['floating_ip_address', address])).floatingips[0];

export const createPort = async (context: Context, port: Json): Promise<Port> =>
  (await send(context, { method: 'POST', path: '/ports', body: { port } })).port;

export const deletePort = (context: Context, id: string): Promise<void> =>
  ignoreErrors(send(context, { method: 'DELETE', path: `/ports/${id}` }));

/** Creates a floating IP on a network, for a port. */
export async function createFloatingIp(
  context: Context,
  networkId: string,
  portId: string,
): Promise<{ id: string; address: string }> {
  const body = { floatingip: { floating_network_id: networkId, port_id: portId } };
  const { floatingip } = await send(context, { method: 'POST', path: '/floatingips', body });
  return { id: floatingip.id, address: floatingip.floating_ip_address };
}

export const assignFloatingIp = (context: Context, id: string, portId: string): Promise<unknown> =>
  send(context, {
    method: 'PUT',
    path: `/floatingips/${id}`,
    body: { floatingip: { port_id: portId } },
  });
export const deleteFloatingIp = (context: Context, id: string): Promise<void> =>
  ignoreErrors(send(context, { method: 'DELETE', path: `/floatingips/${id}` }));

/** Waits for a deletion, and ignores its errors: the resource may have been deleted before. */
async function ignoreErrors(deletion: Promise<unknown>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}
