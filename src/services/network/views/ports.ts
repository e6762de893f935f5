// The view of a port.
import type { Port, PortDetails } from '../model.ts';
import { standardView, tagsView, type View } from './view.ts';

/** How a port is connected on its host. */
const bindingView = ({ 'binding:host_id': host }: Port): View => ({
  'binding:vif_type': host ? 'ovs' : 'unbound',
  'binding:vif_details': host
    ? {
        connectivity: 'l2',
        port_filter: true,
        ovs_hybrid_plug: false,
        datapath_type: 'system',
        bridge_name: 'br-int',
      }
    : {},
});

export const portView = (port: Port, details: PortDetails): View => ({
  ...port,
  ...standardView(port),
  ...bindingView(port),
  fixed_ips: details.fixedIps.get(port.id) ?? [],
  security_groups: details.securityGroups.get(port.id) ?? [],
  ...tagsView(port, details),
});
