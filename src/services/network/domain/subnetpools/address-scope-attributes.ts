// The attributes of an address scope: it has neither a description nor times. Upstream: neutron_lib/api/definitions/address_scope.py.
import { shown, type Kind } from '../attributes/definitions.ts';
import { oneOf } from '../attributes/checks.ts';
import { toBoolean, toInteger } from '../attributes/convert.ts';
import { id, name, project } from '../attributes/common.ts';

export const addressScopeKind: Kind = {
  noun: 'address_scope',
  plural: 'address_scopes',
  attributes: {
    id,
    name,
    ...project,
    shared: { ...shown, post: true, put: true, policy: true, fallback: false, convert: toBoolean },
    ip_version: { ...shown, post: true, convert: toInteger, check: oneOf(4, 6) },
  },
};
