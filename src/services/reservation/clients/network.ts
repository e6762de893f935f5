// What Reservation wants of Network: subnets that floating IPs come from, and the floating IPs
// themselves.
import { ApiError } from '../../../kernel/errors.ts';
import { callService } from '../../../kernel/http/call-service.ts';
import type { Reply, Context } from '../../../kernel/model.ts';
import { network, parseCidr } from '../../network/index.ts';
import { asService } from './identity.ts';

const ask = (
  context: Context,
  method: string,
  path: string,
  body?: unknown,
  query?: readonly [string, string][],
): Promise<Reply> =>
  callService(asService(context), network, {
    method,
    path: `/v2.0${path}`,
    ...(body === undefined ? {} : { body }),
    ...(query ? { query } : {}),
  });

export interface Subnet {
  readonly id: string;
  readonly cidr: string;
  readonly gateway_ip: string | null;
  readonly allocation_pools: readonly { readonly start: string; readonly end: string }[];
}

/** The subnets of a network; undefined where there is no such network. */
export async function subnetsOf(
  context: Context,
  networkId: string,
): Promise<readonly Subnet[] | undefined> {
  const networks = await ask(context, 'GET', '/networks', undefined, [['id', networkId]]);
  if (!(networks.body as { networks: unknown[] }).networks.length) return undefined;
  const { body } = await ask(context, 'GET', '/subnets', undefined, [['network_id', networkId]]);
  return (body as { subnets: Subnet[] }).subnets;
}

export interface NewFloatingIp {
  readonly networkId: string;
  readonly subnetId: string;
  readonly address: string;
  readonly projectId: string;
  readonly tags: readonly string[];
}

/** Makes a floating IP for a project. @throws 400, 404, 409 in Network's words */
export async function createFloatingIp(
  context: Context,
  { networkId, subnetId, address, projectId, tags }: NewFloatingIp,
): Promise<void> {
  const { body } = await ask(context, 'POST', '/floatingips', {
    floatingip: {
      floating_network_id: networkId,
      subnet_id: subnetId,
      floating_ip_address: address,
      project_id: projectId,
    },
  });
  const { id } = (body as { floatingip: { id: string } }).floatingip;
  await ask(context, 'PUT', `/floatingips/${id}/tags`, { tags });
}

/**
 * Deletes the floating IP of that address, wherever it is attached; with a tag, only where it has
 * that.
 */
export async function deleteFloatingIp(
  context: Context,
  { networkId, address }: { readonly networkId: string; readonly address: string },
  tag?: string,
): Promise<void> {
  const query: [string, string][] = [
    ['floating_network_id', networkId],
    ['floating_ip_address', address],
  ];
  if (tag !== undefined) query.push(['tags', tag]);
  const { body } = await ask(context, 'GET', '/floatingips', undefined, query);
  for (const { id } of (body as { floatingips: { id: string }[] }).floatingips) {
    await ask(context, 'DELETE', `/floatingips/${id}`).catch((error: unknown) => {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    });
  }
}

/**
 * The subnet that an address is of, and whether Network may hand it out by itself; undefined where
 * it is of none.
 */
export function placeOf(
  subnets: readonly Subnet[],
  address: string,
): { subnetId: string; isTaken: boolean } | undefined {
  const asked = parseCidr(address, true);
  if (!asked) return undefined;
  const within = (first: string, last: string): boolean => {
    const [from, to] = [parseCidr(first, true), parseCidr(last, true)];
    return (
      from?.ip.version === asked.ip.version &&
      asked.first >= from.first &&
      to !== undefined &&
      asked.first <= to.last
    );
  };
  const subnet = subnets.find(({ cidr }) => {
    const range = parseCidr(cidr);
    return (
      range?.ip.version === asked.ip.version &&
      asked.first >= range.first &&
      asked.first <= range.last
    );
  });
  if (!subnet) return undefined;
  const { id, gateway_ip: gateway, allocation_pools: pools } = subnet;
  return {
    subnetId: id,
    isTaken: gateway === address || pools.some(({ start, end }) => within(start, end)),
  };
}
