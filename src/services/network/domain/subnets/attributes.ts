// The attributes of a subnet.
import { listable, unset, type AttributeMap } from '../attributes/definitions.ts';
import {
  cidr,
  hostRoutes,
  ipAddress,
  nameservers,
  oneOf,
  orNull,
  pools,
  uuid,
  type Check,
} from '../attributes/checks.ts';
import {
  nullToEmptyList,
  toBoolean,
  toInteger,
  toCanonicalCidr,
  toCanonicalIp,
  toCanonicalPools,
} from '../attributes/convert.ts';
import { id, name, project, standard, tags } from '../attributes/common.ts';
import { toServiceTypes } from './service-types.ts';

const ipv6Mode = {
  ...listable,
  post: true,
  fallback: unset,
  check: oneOf('dhcpv6-stateful', 'dhcpv6-stateless', 'slaac'),
};
const notNegative: Check = (value) =>
  (value as number) < 0 ? `'${String(value)}' should be non-negative` : undefined;
const list = { post: true, put: true, fallback: unset, convert: nullToEmptyList };

export const subnetAttributes: AttributeMap = {
  resource: 'subnet',
  collection: 'subnets',
  attributes: {
    id,
    name,
    ip_version: { ...listable, post: true, convert: toInteger, check: oneOf(4, 6) },
    network_id: { ...listable, post: true, check: uuid },
    subnetpool_id: { ...listable, post: true, fallback: unset, check: orNull(uuid) },
    prefixlen: {
      post: true,
      fallback: unset,
      visible: false,
      convert: toInteger,
      check: notNegative,
    },
    use_default_subnetpool: { post: true, fallback: false, visible: false, convert: toBoolean },
    cidr: {
      ...listable,
      post: true,
      fallback: unset,
      convert: toCanonicalCidr,
      check: orNull(cidr),
    },
    gateway_ip: {
      ...listable,
      post: true,
      put: true,
      fallback: unset,
      convert: toCanonicalIp,
      check: orNull(ipAddress),
    },
    allocation_pools: { ...list, convert: toCanonicalPools, check: pools },
    dns_nameservers: { ...list, check: nameservers },
    host_routes: { ...list, check: hostRoutes },
    service_types: { ...list, convert: toServiceTypes },
    segment_id: {
      ...listable,
      post: true,
      put: true,
      policy: true,
      fallback: null,
      check: orNull(uuid),
    },
    ...project,
    enable_dhcp: { ...listable, post: true, put: true, fallback: true, convert: toBoolean },
    ipv6_ra_mode: ipv6Mode,
    ipv6_address_mode: ipv6Mode,
    shared: { visible: false, filter: true, convert: toBoolean },
    'router:external': { visible: true, filter: true, convert: toBoolean },
    ...tags,
    ...standard,
  },
};
