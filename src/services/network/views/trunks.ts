// The views of trunks and their subports.
import type { SubPort, Trunk, TrunkDetails } from '../model.ts';
import { standardView, tagsView, type View } from './view.ts';

export const subPortView = ({ port_id, segmentation_type, segmentation_id }: SubPort): View => ({
  port_id,
  segmentation_type,
  segmentation_id,
});

export const trunkView = (trunk: Trunk, details: TrunkDetails): View => ({
  ...trunk,
  ...standardView(trunk),
  sub_ports: (details.subPorts.get(trunk.id) ?? []).map(subPortView),
  ...tagsView(trunk, details),
});
