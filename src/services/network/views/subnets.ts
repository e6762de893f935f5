// The view of a subnet.
import type { SubnetDetails } from '../domain/details.ts';
import type { Subnet } from '../model.ts';
import { standardView, tagsView, type View } from './view.ts';

export const subnetView = (subnet: Subnet, details: SubnetDetails): View => ({
  ...subnet,
  ...standardView(subnet),
  'router:external': details.externalNetworks.has(subnet.network_id),
  ...tagsView(subnet, details),
});
