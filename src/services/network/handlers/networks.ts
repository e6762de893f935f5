// Networks. A project sees its own, and shared and external ones.
import { createNetwork, deleteNetwork, updateNetwork } from '../domain/networks/networks.ts';
import { networkAttributes } from '../domain/networks/attributes.ts';
import type { Network } from '../model.ts';
import { getNetwork, visibility } from '../domain/visibility.ts';
import { loadNetworkDetails } from '../store/details.ts';
import { networkTable } from '../store/tables.ts';
import { networkView } from '../views/networks.ts';
import { sequentially, resourceHandlers, viewsWith, type UpdatableResource } from './resources.ts';
import { tagHandlers } from './tags.ts';

export const networkResource: UpdatableResource<Network> = {
  map: networkAttributes,
  table: networkTable,
  visibility: visibility.network,
  sharing: true,
  get: getNetwork,
  create: sequentially(createNetwork),
  update: updateNetwork,
  delete: deleteNetwork,
  views: viewsWith(loadNetworkDetails, networkView),
};

export const { list, show, create, update, remove } = resourceHandlers(networkResource);
export const tags = tagHandlers(networkResource);
