// The view of a port.
import { resourceRequestOf } from '../domain/qos/resource-requests.ts';
import {
  effectivePolicy,
  type Network,
  type Port,
  type PortDetails,
  type Trunk,
} from '../model.ts';
import { vifView } from './port-bindings.ts';
import { subPortView } from './trunks.ts';
import { standardView, tagsView, type View } from './view.ts';

export function portView(port: Port, details: PortDetails): View {
  const network = details.networks.get(port.network_id);
  const trunk = details.trunks.get(port.id);
  const { vif_type, vif_details } = vifView(port['binding:host_id'] !== '', trunk?.id);
  return {
    ...port,
    ...standardView(port),
    'binding:vif_type': vif_type,
    'binding:vif_details': vif_details,
    fixed_ips: details.fixedIps.get(port.id) ?? [],
    qos_network_policy_id: network?.qos_policy_id ?? null,
    resource_request: network ? requestOf(port, network, details) : null,
    security_groups: details.securityGroups.get(port.id) ?? [],
    ...(trunk && { trunk_details: trunkDetailsView(trunk, details) }),
    ...tagsView(port, details),
  };
}

const requestOf = (port: Port, network: Network, { guarantees, physicalNetworks }: PortDetails) =>
  resourceRequestOf(
    port,
    physicalNetworks.get(network.id) ?? null,
    guarantees.get(effectivePolicy(port, network) ?? '') ?? [],
  );

const trunkDetailsView = ({ id }: Trunk, { subPorts, macAddresses }: PortDetails): View => ({
  trunk_id: id,
  sub_ports: (subPorts.get(id) ?? []).map((subPort) => ({
    ...subPortView(subPort),
    mac_address: macAddresses.get(subPort.port_id),
  })),
});
