// Sample requests of Network about port forwardings of floating IPs.
import type { Client } from '../../support/raw.ts';
import type { Sample } from './model.ts';

export type Body = Record<string, unknown>;
export type Put = (path: string, body: object) => Promise<void>;
export type Make = (noun: string, fields: object) => Promise<Body & { id: string }>;

export function forwardingSamples(
  client: Client,
  make: Make,
  put: Put,
): Record<string, () => Promise<Sample>> {
  let count = 0;
  const fields = {
    protocol: 'tcp',
    internal_port: 80,
    internal_port_range: null,
    external_port: 8080,
    external_port_range: null,
    description: 'd',
  };
  /** A floating IP behind the router of a port, and the body that forwards to that port. */
  const floatingip = async (): Promise<{ id: string; body: object }> => {
    const ip_version = 4;
    const outside = await make('network', { 'router:external': true });
    const cidr = `172.30.${count++}.0/24`;
    await make('subnet', { network_id: outside.id, cidr, ip_version });
    const inside = await make('network', {});
    const subnet = await make('subnet', { network_id: inside.id, cidr: '10.7.0.0/24', ip_version });
    const external_gateway_info = { network_id: outside.id };
    const router = await make('router', { external_gateway_info });
    await put(`/routers/${router.id}/add_router_interface`, { subnet_id: subnet.id });
    const port = await make('port', { network_id: inside.id });
    const [fixed] = port['fixed_ips'] as { ip_address: string }[];
    const { id } = await make('floatingip', { floating_network_id: outside.id });
    const internal = { internal_port_id: port.id, internal_ip_address: fixed!.ip_address };
    return { id, body: { port_forwarding: { ...fields, ...internal } } };
  };
  const forwarding = async (): Promise<{ id: string; port_forwarding_id: string }> => {
    const { id, body } = await floatingip();
    const path = `/network/v2.0/floatingips/${id}/port_forwardings`;
    const reply = await client.ask('network', 'POST', path, { body });
    const created = (reply.body as { port_forwarding: { id: string } }).port_forwarding;
    return { id, port_forwarding_id: created.id };
  };
  return {
    'port_forwardings:list': async () => {
      const { id } = await forwarding();
      return { params: { id }, query: 'limit=2&sort_key=external_port&sort_dir=asc&fields=id' };
    },
    'port_forwardings:create': async () => {
      const { id, body } = await floatingip();
      return { params: { id }, body };
    },
    'port_forwardings:show': async () => ({ params: await forwarding() }),
    'port_forwardings:update': async () => ({
      params: await forwarding(),
      body: { port_forwarding: { external_port: 8081, description: 'e' } },
    }),
    'port_forwardings:delete': async () => ({ params: await forwarding() }),
  };
}
