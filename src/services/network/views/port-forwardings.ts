// The views of a port forwarding: of its own, and as a part of its floating IP.
import type { PortForwarding } from '../model.ts';
import type { View } from './view.ts';

/** A single port, or null for a range of ports. */
const single = (start: number, end: number): number | null => (start === end ? start : null);

export const portForwardingView = (forwarding: PortForwarding): View => ({
  id: forwarding.id,
  protocol: forwarding.protocol,
  internal_port_id: forwarding.internal_port_id,
  internal_ip_address: forwarding.internal_ip_address,
  internal_port: single(forwarding.internal_port_start, forwarding.internal_port_end),
  internal_port_range: `${forwarding.internal_port_start}:${forwarding.internal_port_end}`,
  external_port: single(forwarding.external_port_start, forwarding.external_port_end),
  external_port_range: `${forwarding.external_port_start}:${forwarding.external_port_end}`,
  description: forwarding.description,
});

/** Upstream shows no ranges here, and leaves out the ports that are ranges. */
export function forwardingInFloatingipView(forwarding: PortForwarding): View {
  const { id, protocol, internal_port_id, internal_ip_address, internal_port, external_port } =
    portForwardingView(forwarding);
  return {
    id,
    protocol,
    internal_port_id,
    internal_ip_address,
    ...(internal_port === null ? {} : { internal_port }),
    ...(external_port === null ? {} : { external_port }),
  };
}
