// The view of a subnet.
import type { Subnet, SubnetDetails } from '../model.ts';
import { standardView, tagsView, type View } from './view.ts';

export const subnetView = (subnet: Subnet, details: SubnetDetails): View => ({
  ...subnet,
  ...standardView(subnet),
  'router:external': details.externalNetworks.has(subnet.network_id),
  ...tagsView(subnet, details),
});
