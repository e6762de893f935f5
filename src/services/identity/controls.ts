// The routes that Identity adds to the emulator's own API, below `/_emulator`.
import type { Route } from '../../kernel/model.ts';
import * as users from './handlers/oidc/users.ts';
import * as providers from './handlers/saml/trusted-providers.ts';

export const identityControls: readonly Route[] = [
  { method: 'GET', path: '/oidc/:issuer/users', handler: users.list, single: true },
  { method: 'PUT', path: '/oidc/:issuer/users/:name', handler: users.update, single: true },
  { method: 'DELETE', path: '/oidc/:issuer/users/:name', handler: users.remove, single: true },
  { method: 'GET', path: '/saml/providers', handler: providers.list, single: true },
  { method: 'PUT', path: '/saml/providers/:name', handler: providers.update, single: true },
  { method: 'DELETE', path: '/saml/providers/:name', handler: providers.remove, single: true },
];
