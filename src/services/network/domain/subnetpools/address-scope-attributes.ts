// The attributes of an address scope. It has no standard attributes. Upstream:
// neutron_lib/api/definitions/address_scope.py.
import { listable, type AttributeMap } from '../attributes/definitions.ts';
import { oneOf } from '../attributes/checks.ts';
import { toBoolean, toInteger } from '../attributes/convert.ts';
import { id, name, project } from '../attributes/common.ts';

export const addressScopeAttributes: AttributeMap = {
  resource: 'address_scope',
  collection: 'address_scopes',
  attributes: {
    id,
    name,
    ...project,
    shared: {
      filter: true,
      post: true,
      put: true,
      policy: true,
      fallback: false,
      convert: toBoolean,
    },
    ip_version: { ...listable, post: true, convert: toInteger, check: oneOf(4, 6) },
  },
};
