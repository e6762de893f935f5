// Address scopes.
import { createAddressScope, deleteAddressScope, updateAddressScope } from '../domain/subnetpools/address-scopes.ts';
import { getAddressScope, scopes } from '../domain/visibility.ts';
import { addressScopeKind } from '../domain/subnetpools/address-scope-attributes.ts';
import { addressScopeTable } from '../store/tables.ts';
import { showAddressScopes } from '../views/things.ts';
import { each } from './networks.ts';
import { handlersFor } from './resources.ts';

export const addressScopes = handlersFor({
  kind: addressScopeKind,
  table: addressScopeTable,
  scope: scopes.pool,
  get: getAddressScope,
  create: (work, items) => each(items, (fields) => createAddressScope(work, fields)),
  update: updateAddressScope,
  remove: deleteAddressScope,
  show: showAddressScopes,
});
