// How a port is bound to a host.
import type { PortBinding } from '../model.ts';
import type { View } from './view.ts';

const details = {
  connectivity: 'l2',
  port_filter: true,
  ovs_hybrid_plug: false,
  datapath_type: 'system',
  bridge_name: 'br-int',
};

/** The type and the details of a virtual interface. */
export const vifView = (isBound: boolean): { vif_type: string; vif_details: View } => ({
  vif_type: isBound ? 'ovs' : 'unbound',
  vif_details: isBound ? details : {},
});

export const bindingView = ({ host, vnic_type, profile, is_bound, status }: PortBinding): View => ({
  host,
  ...vifView(is_bound),
  vnic_type,
  profile,
  status,
});
