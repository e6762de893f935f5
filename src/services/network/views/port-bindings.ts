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

/** The most characters in the name of a bridge. */
const maxBridgeName = 14;

/**
 * The type and the details of a virtual interface. That of a trunk's parent port is on a bridge of
 * its own.
 */
export const vifView = (
  isBound: boolean,
  trunkId?: string,
): { vif_type: string; vif_details: View } => ({
  vif_type: isBound ? 'ovs' : 'unbound',
  vif_details: isBound ? detailsOf(trunkId) : {},
});

const detailsOf = (trunkId: string | undefined): View =>
  trunkId === undefined
    ? details
    : { ...details, bridge_name: `tbr-${trunkId}`.slice(0, maxBridgeName) };

export const bindingView = ({ host, vnic_type, profile, is_bound, status }: PortBinding): View => ({
  host,
  ...vifView(is_bound),
  vnic_type,
  profile,
  status,
});
