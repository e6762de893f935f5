// Networks in the format of nova-network, until 2.35. Only the id and the name have values.
// Upstream: networks.py and tenant_networks.py.
import { ok } from '../../../../kernel/http/reply.ts';
import { notFound } from '../../../../kernel/errors.ts';
import { callNetwork, type NeutronNetwork } from '../../clients/network.ts';
import type { ComputeCall } from '../../call.ts';
import type { Reply } from '../../../../kernel/model.ts';

const fields = [
  'id',
  'cidr',
  'netmask',
  'gateway',
  'broadcast',
  'dns1',
  'dns2',
  'cidr_v6',
  'gateway_v6',
  'label',
  'netmask_v6',
];

/** The fields that only administrators see. */
const adminFields = [
  'created_at',
  'updated_at',
  'deleted_at',
  'deleted',
  'injected',
  'bridge',
  'vlan',
  'vpn_public_address',
  'vpn_public_port',
  'vpn_private_address',
  'dhcp_start',
  'project_id',
  'host',
  'bridge_interface',
  'multi_host',
  'priority',
  'rxtx_base',
  'mtu',
  'dhcp_server',
  'enable_dhcp',
  'share_address',
];

type View = (call: ComputeCall, network: NeutronNetwork) => object;

const fullView: View = (call, { id, name }) => ({
  ...Object.fromEntries(
    [...fields, ...(call.actor.isAdmin ? adminFields : [])].map((field) => [field, null]),
  ),
  id,
  label: name,
});

/** The CIDR is always the text None, like upstream's. */
const shortView: View = (_call, { id, name }) => ({ id, cidr: 'None', label: name });

async function listReply(call: ComputeCall, view: View): Promise<Reply> {
  const { networks } = await callNetwork<{ networks: NeutronNetwork[] }>(call, {
    method: 'GET',
    path: '/v2.0/networks',
  });
  return ok({ networks: networks.map((network) => view(call, network)) });
}

async function showReply(call: ComputeCall, view: View): Promise<Reply> {
  const request = {
    method: 'GET',
    path: `/v2.0/networks/${encodeURIComponent(call.params['id']!)}`,
  };
  const { network } = await callNetwork<{ network: NeutronNetwork }>(call, request, {
    404: () => notFound('Network not found'),
  });
  return ok({ network: view(call, network) });
}

/** GET /os-networks */
export const list = (call: ComputeCall): Promise<Reply> => listReply(call, fullView);

/** GET /os-networks/{id} */
export const show = (call: ComputeCall): Promise<Reply> => showReply(call, fullView);

/** GET /os-tenant-networks */
export const listOfTenant = (call: ComputeCall): Promise<Reply> => listReply(call, shortView);

/** GET /os-tenant-networks/{id} */
export const showOfTenant = (call: ComputeCall): Promise<Reply> => showReply(call, shortView);
