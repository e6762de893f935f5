// Address scopes, which are shown to who owns them, and shared ones to all.
import { addressScopeAttributes } from '../domain/subnetpools/address-scope-attributes.ts';
import {
  createAddressScope,
  deleteAddressScope,
  updateAddressScope,
} from '../domain/subnetpools/address-scopes.ts';
import type { AddressScope } from '../model.ts';
import { getAddressScope, visibility } from '../domain/visibility.ts';
import { addressScopeTable } from '../store/tables.ts';
import { addressScopeView } from '../views/subnetpools.ts';
import { each, resourceHandlers, type UpdatableResource } from './resources.ts';

export const addressScopeResource: UpdatableResource<AddressScope> = {
  map: addressScopeAttributes,
  table: addressScopeTable,
  visibility: visibility.sharable,
  get: getAddressScope,
  create: each(createAddressScope),
  update: updateAddressScope,
  delete: deleteAddressScope,
  views: (_db, scopes) => Promise.resolve(scopes.map(addressScopeView)),
};

export const { list, show, create, update, remove } = resourceHandlers(addressScopeResource);
