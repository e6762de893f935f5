// Identity providers. Upstream: keystone/api/os_federation.py.
import { plainHandlers } from '../../../../kernel/http/plain-resource.ts';
import type { Call } from '../../../../kernel/model.ts';
import type { Fields } from '../../domain/attributes.ts';
import {
  createIdentityProvider,
  deleteIdentityProvider,
  updateIdentityProvider,
} from '../../domain/federation/identity-providers.ts';
import type { IdentityProvider } from '../../model.ts';
import {
  findIdentityProvider,
  listIdentityProviders,
} from '../../store/federation/identity-providers.ts';
import { identityProviderView } from '../../views/federation/federation.ts';
import { bodiesOf, lookupsOf, type Shape } from '../plain.ts';

const shape: Shape<IdentityProvider> = {
  noun: 'identity_provider',
  collection: 'identity_providers',
  filters: ['id', 'enabled'],
  view: identityProviderView,
};

/** The operations of /v3/OS-FEDERATION/identity_providers. */
export const { list, show, create, update, remove } = plainHandlers<Call, IdentityProvider, Fields>(
  {
    ...lookupsOf({ ...shape, list: (db) => listIdentityProviders(db), find: findIdentityProvider }),
    ...bodiesOf(shape),
    create: (call, fields) =>
      createIdentityProvider(call, call.params['identity_provider_id']!, fields),
    update: updateIdentityProvider,
    remove: deleteIdentityProvider,
  },
);
