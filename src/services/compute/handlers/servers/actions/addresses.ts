// The actions that add and remove addresses of a server, until 2.43. Upstream:
// api/openstack/compute/floating_ips.py and multinic.py.
import { accepted } from '../../../../../kernel/http/reply.ts';
import { badRequest, conflict, ApiError } from '../../../../../kernel/errors.ts';
import { authorize } from '../../../../../kernel/http/steps.ts';
import { callNetwork, type Port, type NeutronPort } from '../../../clients/network.ts';
import type { Actions, ComputeCall, Handler, SpannedAction } from '../../../call.ts';
import { requireState } from '../../../domain/servers/checks.ts';
import { updateFields } from '../../../domain/servers/fields.ts';
import { attachedPorts } from '../../../domain/servers/networks.ts';
import { associate, floatingIpWith } from '../../proxies/floating-ips.ts';
import { serverOf } from '../subject.ts';
import { argumentsOf } from '../../action-body.ts';
import type { Reply } from '../../../../../kernel/model.ts';
import type { Server } from '../../../model.ts';

/** The port and the fixed IP to associate with a floating IP. @throws 400 */
function fixedIpFor(
  server: Server,
  ports: readonly Port[],
  address: string,
  requested: string | undefined,
): { id: string; ip: string } {
  const fixed = ports.flatMap(({ id, fixedIps }) => fixedIps.map(({ ip }) => ({ id, ip })));
  if (!ports.length) throw badRequest('Instance network is not ready yet');
  if (!fixed.length) throw badRequest('No fixed IPs associated to instance');
  if (requested !== undefined) {
    const found = fixed.find(({ ip }) => ip === requested);
    if (!found) throw badRequest('Specified fixed address not assigned to instance');
    return found;
  }
  const first = fixed.find(({ ip }) => !ip.includes(':'));
  if (first) return first;
  throw badRequest(
    `Unable to associate floating IP ${address} to any fixed IPs for instance ${server.uuid}. ` +
      'Instance has no fixed IPv4 addresses to associate.',
  );
}

async function addFloatingIp(call: ComputeCall): Promise<Reply> {
  const { address, fixed_address: requested } = argumentsOf<{
    address: string;
    fixed_address?: string;
  }>(call, 'addFloatingIp');
  const server = await serverOf(call, 'os-floating-ips:add');
  const { id, ip } = fixedIpFor(
    server,
    await attachedPorts(call, [server.uuid]),
    address,
    requested,
  );
  const floating = await floatingIpWith(call, address, 'floating IP not found');
  await associate(call, floating.id, { port_id: id, fixed_ip_address: ip }).catch(
    (error: unknown) => {
      if (!(error instanceof ApiError) || error.status === 403) throw error;
      throw badRequest(
        error.status === 409
          ? error.message
          : `Unable to associate floating IP ${address} to fixed IP ${ip} for instance ` +
              `${server.uuid}. Error: ${error.message}`,
      );
    },
  );
  return accepted();
}

async function removeFloatingIp(call: ComputeCall): Promise<Reply> {
  const { address } = argumentsOf<{ address: string }>(call, 'removeFloatingIp');
  const id = call.params['id']!;
  const floating = await floatingIpWith(
    call,
    address,
    `Floating IP not found for address ${address}.`,
  );
  const device = floating.port_details?.device_id;
  const server = device
    ? await serverOf({ ...call, params: { id: device } }, 'os-floating-ips:remove')
    : undefined;
  if (!server) authorize(call, 'os_compute_api:os-floating-ips:remove', {});
  if (server?.uuid !== id)
    throw conflict(`Floating IP ${address} is not associated with instance ${id}.`);
  await associate(call, floating.id, { port_id: null });
  return accepted();
}

type Pairs = readonly (readonly [string, string])[];

/** The server's ports that match a query. */
async function portsOf(
  call: ComputeCall,
  { uuid, zone }: Server,
  query: Pairs,
): Promise<readonly NeutronPort[]> {
  const all: Pairs = [['device_id', uuid], ['device_owner', `compute:${zone ?? ''}`], ...query];
  return (
    await callNetwork<{ ports: NeutronPort[] }>(call, {
      method: 'GET',
      path: '/v2.0/ports',
      query: all,
    })
  ).ports;
}

/**
 * Updates the fixed IPs of a port.
 * @returns whether Network accepts the update; upstream only logs an error
 */
async function updateFixedIps(
  call: ComputeCall,
  id: string,
  fixedIps: NeutronPort['fixed_ips'],
): Promise<boolean> {
  const body = { port: { fixed_ips: fixedIps } };
  return callNetwork(call, { method: 'PUT', path: `/v2.0/ports/${id}`, body }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ApiError) return false;
      throw error;
    },
  );
}

/** Updates `updated_at` of a server whose addresses have changed. */
async function touchServer(call: ComputeCall, server: Server): Promise<void> {
  if (!call.guest) await updateFields(call, server, {});
}

/** The server in the path. @throws 403, 404, 409 if it is locked */
async function unlockedServer(call: ComputeCall, verb: 'add' | 'remove'): Promise<Server> {
  const server = await serverOf(call, `os-multinic:${verb}`);
  requireState(call, server, { action: `${verb}FixedIp`, launched: false });
  return server;
}

/** Adds an address of the network to the first port and subnet for which Network accepts it. */
async function addFixedIp(call: ComputeCall): Promise<Reply> {
  const networkId = String(
    argumentsOf<{ networkId: string | number }>(call, 'addFixedIp').networkId,
  );
  const server = await unlockedServer(call, 'add');
  const query: Pairs = [['network_id', networkId]];
  const { subnets } = await callNetwork<{ subnets: { id: string }[] }>(call, {
    method: 'GET',
    path: '/v2.0/subnets',
    query,
  });
  for (const { id, fixed_ips: fixed } of subnets.length ? await portsOf(call, server, query) : [])
    for (const subnet of subnets) {
      if (!(await updateFixedIps(call, id, [...fixed, { subnet_id: subnet.id }]))) continue;
      await touchServer(call, server);
      return accepted();
    }
  return accepted();
}

async function removeFixedIp(call: ComputeCall): Promise<Reply> {
  const { address } = argumentsOf<{ address: string }>(call, 'removeFixedIp');
  const server = await unlockedServer(call, 'remove');
  const [port] = await portsOf(call, server, [['fixed_ips', `ip_address=${address}`]]);
  if (port) {
    const remaining = port.fixed_ips.filter(({ ip_address: ip }) => ip !== address);
    if (await updateFixedIps(call, port.id, remaining)) await touchServer(call, server);
  }
  return accepted();
}

const deprecated = (handler: Handler): SpannedAction => ({ span: ['2.1', '2.43'], handler });

/** The actions, by name. */
export const addressActions: Actions = {
  addFloatingIp: deprecated(addFloatingIp),
  removeFloatingIp: deprecated(removeFloatingIp),
  addFixedIp: deprecated(addFixedIp),
  removeFixedIp: deprecated(removeFixedIp),
};
