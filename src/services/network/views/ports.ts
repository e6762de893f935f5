// The view of a port.
import type { Port, PortDetails } from '../model.ts';
import { vifView } from './port-bindings.ts';
import { standardView, tagsView, type View } from './view.ts';

export function portView(port: Port, details: PortDetails): View {
  const { vif_type, vif_details } = vifView(port['binding:host_id'] !== '');
  return {
    ...port,
    ...standardView(port),
    'binding:vif_type': vif_type,
    'binding:vif_details': vif_details,
    fixed_ips: details.fixedIps.get(port.id) ?? [],
    security_groups: details.securityGroups.get(port.id) ?? [],
    ...tagsView(port, details),
  };
}
