// Address scopes. A project sees its own and those that others share with it.
import { addressScopeAttributes } from '../domain/subnetpools/address-scope-attributes.ts';
import {
  createAddressScope,
  deleteAddressScope,
  updateAddressScope,
} from '../domain/subnetpools/address-scopes.ts';
import type { AddressScope } from '../model.ts';
import { getAddressScope, visibility } from '../domain/visibility.ts';
import { addressScopeTable } from '../store/tables.ts';
import { plainView } from '../views/view.ts';
import { sequentially, resourceHandlers, type UpdatableResource } from './resources.ts';

export const addressScopeResource: UpdatableResource<AddressScope> = {
  map: addressScopeAttributes,
  table: addressScopeTable,
  visibility: visibility.addressScope,
  sharing: true,
  get: getAddressScope,
  create: sequentially(createAddressScope),
  update: updateAddressScope,
  delete: deleteAddressScope,
  views: (_db, scopes) => Promise.resolve(scopes.map(plainView)),
};

export const { list, show, create, update, remove } = resourceHandlers(addressScopeResource);
