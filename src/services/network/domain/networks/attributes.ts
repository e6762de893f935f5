// The attributes of a network.
import { listable, unset, type AttributeMap } from '../attributes/definitions.ts';
import { oneOf, orNull, range, text } from '../attributes/checks.ts';
import { networkTypes } from '../segments/allocation.ts';
import { segmentList } from '../segments/requested-list.ts';
import { toBoolean, toInteger, toIntegerOrNull } from '../attributes/convert.ts';
import {
  adminStateUp,
  id,
  name,
  project,
  qosPolicyId,
  standard,
  tags,
  zones,
} from '../attributes/common.ts';

const provider = {
  ...listable,
  post: true,
  put: true,
  policy: true,
  fallback: unset,
  sparse: true,
};

export const networkAttributes: AttributeMap = {
  resource: 'network',
  collection: 'networks',
  attributes: {
    id,
    name,
    subnets: {},
    admin_state_up: adminStateUp,
    status: listable,
    ...project,
    shared: {
      filter: true,
      post: true,
      put: true,
      fallback: false,
      convert: toBoolean,
      policy: true,
    },
    'router:external': {
      ...listable,
      post: true,
      put: true,
      fallback: false,
      convert: toBoolean,
      policy: true,
    },
    is_default: {
      post: true,
      put: true,
      fallback: false,
      convert: toBoolean,
      policy: true,
      filter: true,
      sparse: true,
    },
    mtu: {
      ...listable,
      post: true,
      put: true,
      fallback: 0,
      convert: toInteger,
      check: range(0, 2147483647),
    },
    port_security_enabled: {
      ...listable,
      post: true,
      put: true,
      fallback: true,
      convert: toBoolean,
      policy: true,
    },
    'provider:network_type': {
      ...provider,
      check: orNull(oneOf(...networkTypes)),
    },
    'provider:physical_network': { ...provider, check: orNull(text(64)) },
    'provider:segmentation_id': { ...provider, convert: toIntegerOrNull },
    segments: {
      post: true,
      put: true,
      policy: true,
      fallback: unset,
      check: segmentList,
      sparse: true,
    },
    l2_adjacency: {},
    ...zones,
    ipv4_address_scope: {},
    ipv6_address_scope: {},
    qos_policy_id: qosPolicyId,
    ...tags,
    ...standard,
  },
};
