// What Clustering asks of Network, as its client: networks, subnets, ports and floating IPs.
import { callService } from '../../../kernel/http/call-service.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { isUuidLike } from '../../../kernel/ids.ts';
import type { Context } from '../../../kernel/model.ts';
import { network } from '../../network/index.ts';

type Json = Record<string, unknown>;

export interface Port extends Json {
  readonly id: string;
  readonly status: string;
  readonly network_id: string;
}

async function ask(
  context: Context,
  method: string,
  path: string,
  query: readonly (readonly [string, string])[] = [],
  body?: unknown,
): Promise<Json> {
  const reply = await callService(context, network, {
    method,
    path: `/v2.0${path}`,
    query,
    ...(body === undefined ? {} : { body }),
  });
  const told = typeof reply.body === 'string' ? (JSON.parse(reply.body) as unknown) : reply.body;
  return (told ?? {}) as Json;
}

/** Something by id or name; of several with the name, none. */
async function find(
  context: Context,
  collection: string,
  identity: string,
): Promise<Json | undefined> {
  const key = collection.replaceAll('-', '_');
  for (const field of isUuidLike(identity) ? ['id', 'name'] : ['name']) {
    const found = (await ask(context, 'GET', `/${collection}`, [[field, identity]]))[key] as Json[];
    if (found.length === 1) return found[0];
  }
  return undefined;
}

export const findNetwork = (context: Context, identity: string): Promise<Json | undefined> =>
  find(context, 'networks', identity);
export const findSubnet = (context: Context, identity: string): Promise<Json | undefined> =>
  find(context, 'subnets', identity);
export const findSecurityGroup = (context: Context, identity: string): Promise<Json | undefined> =>
  find(context, 'security-groups', identity);
export const findPort = async (context: Context, id: string): Promise<Port | undefined> =>
  (await find(context, 'ports', id)) as Port | undefined;
export const findFloatingIp = async (
  context: Context,
  address: string,
): Promise<Json | undefined> =>
  (
    (await ask(context, 'GET', '/floatingips', [['floating_ip_address', address]]))[
      'floatingips'
    ] as Json[]
  )[0];

export async function createPort(context: Context, port: Json): Promise<Port> {
  return (await ask(context, 'POST', '/ports', [], { port }))['port'] as Port;
}

export const deletePort = (context: Context, id: string): Promise<void> =>
  quietly(ask(context, 'DELETE', `/ports/${id}`));

/** @returns the id of the floating IP, and its address */
export async function createFloatingIp(
  context: Context,
  networkId: string,
  portId: string,
): Promise<{ id: string; address: string }> {
  const body = { floatingip: { floating_network_id: networkId, port_id: portId } };
  const made = (await ask(context, 'POST', '/floatingips', [], body))['floatingip'] as Json;
  return { id: made['id'] as string, address: made['floating_ip_address'] as string };
}

export const assignFloatingIp = (context: Context, id: string, portId: string): Promise<unknown> =>
  ask(context, 'PUT', `/floatingips/${id}`, [], { floatingip: { port_id: portId } });
export const deleteFloatingIp = (context: Context, id: string): Promise<void> =>
  quietly(ask(context, 'DELETE', `/floatingips/${id}`));

/** What is gone already need not go. */
async function quietly(asked: Promise<unknown>): Promise<void> {
  try {
    await asked;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}
