// The views of routers and floating IPs.
import type { Floatingip, FloatingipDetails, Router, RouterDetails } from '../model.ts';
import { forwardingInFloatingipView } from './port-forwardings.ts';
import { standardView, tagsView, zones, type View } from './view.ts';

export function routerView(router: Router, details: RouterDetails): View {
  const { gw_port_id: portId, enable_snat, qos_policy_id, ...own } = router;
  const gateway = portId === null ? undefined : details.gateways.get(portId);
  const networkPolicy = gateway && details.networks.get(gateway.network_id)?.qos_policy_id;
  return {
    ...own,
    ...standardView(router),
    external_gateway_info: gateway
      ? {
          network_id: gateway.network_id,
          external_fixed_ips: details.fixedIps.get(gateway.id) ?? [],
          enable_snat,
          // As upstream, absent if neither the gateway nor its network has a policy.
          ...((qos_policy_id ?? networkPolicy ?? null) !== null && { qos_policy_id }),
        }
      : null,
    availability_zones: gateway ? zones : [],
    conntrack_helpers: (details.conntrackHelpers.get(router.id) ?? []).map(
      ({ protocol, port, helper }) => ({ protocol, port, helper }),
    ),
    ...tagsView(router, details),
  };
}

export const floatingipView = (
  { floating_port_id: _, ...own }: Floatingip,
  details: FloatingipDetails,
): View => ({
  ...own,
  ...standardView(own),
  port_details: own.port_id === null ? null : portDetailsView(own.port_id, details),
  port_forwardings: (details.forwardings.get(own.id) ?? []).map(forwardingInFloatingipView),
  ...tagsView(own, details),
});

/** Upstream: neutron_lib/api/definitions/fip_port_details.py. */
function portDetailsView(portId: string, { ports }: FloatingipDetails): View | null {
  const port = ports.get(portId);
  if (!port) return null;
  const { name, network_id, mac_address, admin_state_up, status, device_id, device_owner } = port;
  return { name, network_id, mac_address, admin_state_up, status, device_id, device_owner };
}
