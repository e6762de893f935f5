// Subnet pools. A project sees its own and shared ones.
import { subnetpoolAttributes } from '../domain/subnetpools/attributes.ts';
import {
  createSubnetpool,
  deleteSubnetpool,
  updateSubnetpool,
} from '../domain/subnetpools/subnetpools.ts';
import type { Subnetpool } from '../model.ts';
import { getSubnetpool, visibility } from '../domain/visibility.ts';
import { loadTags } from '../store/details.ts';
import { subnetpoolTable } from '../store/tables.ts';
import { subnetpoolView } from '../views/subnetpools.ts';
import { sequentially, resourceHandlers, viewsWith, type UpdatableResource } from './resources.ts';
import { tagHandlers } from './tags.ts';

export const subnetpoolResource: UpdatableResource<Subnetpool> = {
  map: subnetpoolAttributes,
  table: subnetpoolTable,
  visibility: visibility.sharable,
  get: getSubnetpool,
  create: sequentially(createSubnetpool),
  update: updateSubnetpool,
  delete: deleteSubnetpool,
  views: viewsWith(loadTags, subnetpoolView),
};

export const { list, show, create, update, remove } = resourceHandlers(subnetpoolResource);
export const tags = tagHandlers(subnetpoolResource);
