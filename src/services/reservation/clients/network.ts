// The client of Network: the subnets that floating IPs belong to, and the floating IPs themselves.
import { ApiError } from '../../../kernel/errors.ts';
import { callService, type ServiceRequest } from '../../../kernel/http/call-service.ts';
import type { Reply, Context } from '../../../kernel/model.ts';
import * as network from '../../network/index.ts';
import { asService } from './identity.ts';

/** Calls Network as the user `blazar`, an administrator. The path is below `/v2.0`. */
const call = (context: Context, request: ServiceRequest): Promise<Reply> =>
  callService(asService(context), network.network, { ...request, path: `/v2.0${request.path}` });

const list = (context: Context, path: string, query: readonly [string, string][]): Promise<Reply> =>
  call(context, { method: 'GET', path, query });

/** A subnet in the replies of Network's API. */
export type Subnet = Pick<network.Subnet, 'id' | 'cidr' | 'gateway_ip' | 'allocation_pools'>;

/** Lists the subnets of a network; undefined if the network does not exist. */
export async function subnetsOf(
  context: Context,
  networkId: string,
): Promise<readonly Subnet[] | undefined> {
  const networks = await list(context, '/networks', [['id', networkId]]);
  if (!(networks.body as { networks: unknown[] }).networks.length) return undefined;
  const { body } = await list(context, '/subnets', [['network_id', networkId]]);
  return (body as { subnets: Subnet[] }).subnets;
}

export interface NewFloatingIp {
  readonly networkId: string;
  readonly subnetId: string;
  readonly address: string;
  readonly projectId: string;
  readonly tags: readonly string[];
}

/** Creates a floating IP for a project. @throws 400, 404, 409 with Network's message */
export async function createFloatingIp(
  context: Context,
  { networkId, subnetId, address, projectId, tags }: NewFloatingIp,
): Promise<void> {
  const floatingip = {
    floating_network_id: networkId,
    subnet_id: subnetId,
    floating_ip_address: address,
    project_id: projectId,
  };
  const { body } = await call(context, {
    method: 'POST',
    path: '/floatingips',
    body: { floatingip },
  });
  const { id } = (body as { floatingip: { id: string } }).floatingip;
  await call(context, { method: 'PUT', path: `/floatingips/${id}/tags`, body: { tags } });
}

/**
 * Deletes the floating IP with this address, even if a port uses it; with a tag, only if it has it.
 */
export async function deleteFloatingIp(
  context: Context,
  { networkId, address }: Pick<NewFloatingIp, 'networkId' | 'address'>,
  tag?: string,
): Promise<void> {
  const query: [string, string][] = [
    ['floating_network_id', networkId],
    ['floating_ip_address', address],
  ];
  if (tag !== undefined) query.push(['tags', tag]);
  const { body } = await list(context, '/floatingips', query);
  for (const { id } of (body as { floatingips: { id: string }[] }).floatingips) {
    await call(context, { method: 'DELETE', path: `/floatingips/${id}` }).catch(
      (error: unknown) => {
        if (!(error instanceof ApiError && error.status === 404)) throw error;
      },
    );
  }
}

/**
 * Finds the subnet that an address belongs to, and whether the subnet uses the address as its
 * gateway or in an allocation pool.
 */
export function findSubnet(
  subnets: readonly Subnet[],
  address: string,
): { subnetId: string; isUsed: boolean } | undefined {
  const parsed = network.parseCidr(address, true);
  if (!parsed) return undefined;
  const isWithin = (first: string, last: string): boolean => {
    const [from, to] = [network.parseCidr(first, true), network.parseCidr(last, true)];
    return (
      from?.ip.version === parsed.ip.version &&
      parsed.first >= from.first &&
      to !== undefined &&
      parsed.first <= to.last
    );
  };
  const subnet = subnets.find(({ cidr }) => {
    const range = network.parseCidr(cidr);
    return (
      range?.ip.version === parsed.ip.version &&
      parsed.first >= range.first &&
      parsed.first <= range.last
    );
  });
  if (!subnet) return undefined;
  const { id, gateway_ip: gateway, allocation_pools: pools } = subnet;
  return {
    subnetId: id,
    isUsed: gateway === address || pools.some(({ start, end }) => isWithin(start, end)),
  };
}
