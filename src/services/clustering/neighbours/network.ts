// What Clustering asks of Network, as its client: networks, subnets, ports and floating IPs.
import { askWithin } from '../../../kernel/http/inward.ts';
import { Fault } from '../../../kernel/fault.ts';
import { isUuidLike } from '../../../kernel/ids.ts';
import type { Work } from '../../../kernel/model.ts';
import { network } from '../../network/index.ts';

type Json = Record<string, unknown>;

export interface Port extends Json {
  readonly id: string;
  readonly status: string;
  readonly network_id: string;
}

async function ask(
  work: Work,
  method: string,
  path: string,
  query: readonly (readonly [string, string])[] = [],
  body?: unknown,
): Promise<Json> {
  const reply = await askWithin(work, network, { method, path: `/v2.0${path}`, query, ...(body === undefined ? {} : { body }) });
  const told = typeof reply.body === 'string' ? (JSON.parse(reply.body) as unknown) : reply.body;
  return (told ?? {}) as Json;
}

/** Something by id or name; of several with the name, none. */
async function find(work: Work, collection: string, identity: string): Promise<Json | undefined> {
  const key = collection.replaceAll('-', '_');
  for (const field of isUuidLike(identity) ? ['id', 'name'] : ['name']) {
    const found = (await ask(work, 'GET', `/${collection}`, [[field, identity]]))[key] as Json[];
    if (found.length === 1) return found[0];
  }
  return undefined;
}

export const findNetwork = (work: Work, identity: string): Promise<Json | undefined> => find(work, 'networks', identity);
export const findSubnet = (work: Work, identity: string): Promise<Json | undefined> => find(work, 'subnets', identity);
export const findSecurityGroup = (work: Work, identity: string): Promise<Json | undefined> =>
  find(work, 'security-groups', identity);
export const findPort = async (work: Work, id: string): Promise<Port | undefined> =>
  (await find(work, 'ports', id)) as Port | undefined;
export const findFloatingIp = async (work: Work, address: string): Promise<Json | undefined> =>
  ((await ask(work, 'GET', '/floatingips', [['floating_ip_address', address]]))['floatingips'] as Json[])[0];

export async function createPort(work: Work, port: Json): Promise<Port> {
  return (await ask(work, 'POST', '/ports', [], { port }))['port'] as Port;
}

export const deletePort = (work: Work, id: string): Promise<void> => quietly(ask(work, 'DELETE', `/ports/${id}`));

/** @returns the id of the floating IP, and its address */
export async function createFloatingIp(work: Work, networkId: string, portId: string): Promise<{ id: string; address: string }> {
  const body = { floatingip: { floating_network_id: networkId, port_id: portId } };
  const made = (await ask(work, 'POST', '/floatingips', [], body))['floatingip'] as Json;
  return { id: made['id'] as string, address: made['floating_ip_address'] as string };
}

export const assignFloatingIp = (work: Work, id: string, portId: string): Promise<unknown> =>
  ask(work, 'PUT', `/floatingips/${id}`, [], { floatingip: { port_id: portId } });
export const deleteFloatingIp = (work: Work, id: string): Promise<void> => quietly(ask(work, 'DELETE', `/floatingips/${id}`));

/** What is gone already need not go. */
async function quietly(asked: Promise<unknown>): Promise<void> {
  try {
    await asked;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
  }
}
