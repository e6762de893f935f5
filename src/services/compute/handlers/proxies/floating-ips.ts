// Floating IPs, and their pools, which are the external networks, until 2.35. Upstream:
// api/openstack/compute/floating_ips.py.
import { ok, reply } from '../../../../kernel/http/reply.ts';
import { badRequest, conflict, forbidden, notFound } from '../../../../kernel/errors.ts';
import { isUuidLike } from '../../../../kernel/ids.ts';
import {
  callNetwork,
  networkErrorType,
  networkErrorMessage,
  type NeutronFloatingIp,
  type NeutronNetwork,
} from '../../clients/network.ts';
import type { ComputeCall } from '../../call.ts';
import type { Reply } from '../../../../kernel/model.ts';

const collection = '/v2.0/floatingips';

/**
 * The pool of a request without one. Upstream: default_floating_pool in conf/neutron.py, with
 * DevStack's value.
 */
const defaultPool = 'public';

type Pairs = readonly (readonly [string, string])[];

/** The external networks that are visible to the caller. */
async function poolsOf(call: ComputeCall, query: Pairs = []): Promise<NeutronNetwork[]> {
  const request = {
    method: 'GET',
    path: '/v2.0/networks',
    query: [['router:external', 'True'] as const, ...query],
  };
  return (await callNetwork<{ networks: NeutronNetwork[] }>(call, request)).networks;
}

const floatingIpsWith = async (
  call: ComputeCall,
  name: string,
  value: string,
): Promise<NeutronFloatingIp[]> =>
  (
    await callNetwork<{ floatingips: NeutronFloatingIp[] }>(call, {
      method: 'GET',
      path: collection,
      query: [[name, value]],
    })
  ).floatingips;

/** The floating IP with an address. @throws 404, 409 if there are several */
export async function floatingIpWith(
  call: ComputeCall,
  address: string,
  missingMessage: string,
): Promise<NeutronFloatingIp> {
  const [only, ...more] = await floatingIpsWith(call, 'floating_ip_address', address);
  if (!only) throw notFound(missingMessage);
  if (more.length) throw conflict(`Multiple floating IPs are found for address ${address}.`);
  return only;
}

/** The views of floating IPs. */
async function viewsOf(
  call: ComputeCall,
  floatingIps: readonly NeutronFloatingIp[],
): Promise<object[]> {
  const pools = new Map(
    floatingIps.length ? (await poolsOf(call)).map((pool) => [pool.id, pool]) : [],
  );
  return floatingIps.map((floatingIp) => ({
    fixed_ip: floatingIp.fixed_ip_address,
    id: floatingIp.id,
    instance_id: floatingIp.port_details?.device_id ?? null,
    ip: floatingIp.floating_ip_address,
    pool: pools.get(floatingIp.floating_network_id)?.name || floatingIp.floating_network_id,
  }));
}

/** GET /os-floating-ip-pools */
export async function listPools(call: ComputeCall): Promise<Reply> {
  return ok({
    floating_ip_pools: (await poolsOf(call)).map(({ id, name }) => ({ name: name || id })),
  });
}

/** GET /os-floating-ips */
export async function list(call: ComputeCall): Promise<Reply> {
  const own = await floatingIpsWith(call, 'tenant_id', call.caller.projectId ?? '');
  return ok({ floating_ips: await viewsOf(call, own) });
}

/** The floating IP in the path. @throws 404 */
async function floatingIpOfPath(call: ComputeCall): Promise<NeutronFloatingIp> {
  const id = call.params['id']!;
  return (
    await callNetwork<{ floatingip: NeutronFloatingIp }>(
      call,
      { method: 'GET', path: `${collection}/${encodeURIComponent(id)}` },
      { 404: () => notFound(`Floating IP not found for ID ${id}`) },
    )
  ).floatingip;
}

const showFloatingIp = async (call: ComputeCall, floatingIp: NeutronFloatingIp): Promise<Reply> =>
  ok({ floating_ip: (await viewsOf(call, [floatingIp]))[0] });

/** GET /os-floating-ips/{id} */
export const show = async (call: ComputeCall): Promise<Reply> =>
  showFloatingIp(call, await floatingIpOfPath(call));

/** POST /os-floating-ips */
export async function create(call: ComputeCall): Promise<Reply> {
  const pool = (call.body as { pool?: string | null } | null)?.pool || undefined;
  const name = pool ?? defaultPool;
  const [only, ...more] = await poolsOf(call, [[isUuidLike(name) ? 'id' : 'name', name]]);
  if (!only) throw notFound('Floating IP pool not found.');
  if (more.length) throw conflict(`Multiple floating IP pools matches found for name '${name}'`);
  const { floatingip: floatingIp } = await callNetwork<{ floatingip: NeutronFloatingIp }>(
    call,
    { method: 'POST', path: collection, body: { floatingip: { floating_network_id: only.id } } },
    {
      400: (error) =>
        networkErrorType(error) === 'ExternalIpAddressExhausted'
          ? noMoreFloatingIps(pool)
          : badRequest(networkErrorMessage(call, error)),
      409: (error) =>
        networkErrorType(error) === 'OverQuota' ? overQuota(pool) : noMoreFloatingIps(pool),
    },
  );
  return showFloatingIp(call, floatingIp);
}

const noMoreFloatingIps = (pool: string | undefined) =>
  notFound(pool ? `No more floating IPs in pool ${pool}.` : 'No more floating IPs available.');

const overQuota = (pool: string | undefined) =>
  forbidden(pool ? `IP allocation over quota in pool ${pool}.` : 'IP allocation over quota.');

/** DELETE /os-floating-ips/{id} */
export async function remove(call: ComputeCall): Promise<Reply> {
  const { id, floating_ip_address: address } = await floatingIpOfPath(call);
  const missingMessage = `Floating IP not found for address ${address}.`;
  await floatingIpWith(call, address, missingMessage);
  await callNetwork(
    call,
    { method: 'DELETE', path: `${collection}/${id}` },
    { 404: () => notFound(missingMessage) },
  );
  return reply(202);
}

/** Associates a floating IP with an address of a port, or disassociates it. */
export async function associate(
  call: ComputeCall,
  id: string,
  to: { port_id: string; fixed_ip_address: string } | { port_id: null },
): Promise<void> {
  await callNetwork(call, { method: 'PUT', path: `${collection}/${id}`, body: { floatingip: to } });
}
