// Subnets. A project sees its own, and those of the networks that it sees.
import { parentNetworks } from '../domain/networks/parent-networks.ts';
import { subnetAttributes } from '../domain/subnets/attributes.ts';
import { createSubnets, deleteSubnet, updateSubnet } from '../domain/subnets/subnets.ts';
import type { Subnet } from '../model.ts';
import { getSubnet, visibility } from '../domain/visibility.ts';
import { loadSubnetDetails } from '../store/details.ts';
import { subnetTable } from '../store/tables.ts';
import { subnetView } from '../views/subnets.ts';
import { resourceHandlers, viewsWith, type UpdatableResource } from './resources.ts';
import { tagHandlers } from './tags.ts';

export const subnetResource: UpdatableResource<Subnet> = {
  map: subnetAttributes,
  table: subnetTable,
  visibility: visibility.subnet,
  get: getSubnet,
  parents: parentNetworks,
  create: createSubnets,
  update: updateSubnet,
  delete: deleteSubnet,
  views: viewsWith(loadSubnetDetails, subnetView),
};

export const { list, show, create, update, remove } = resourceHandlers(subnetResource);
export const tags = tagHandlers(subnetResource);
