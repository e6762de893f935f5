// The attributes of a port.
import { listable, unset, type AttributeMap } from '../attributes/definitions.ts';
import { isMac, parseCidr, parseIp } from '../../ip.ts';
import {
  fixedIps,
  mac,
  map,
  mapOf,
  oneOf,
  orNull,
  quoted,
  text,
  textList,
  uuid,
  uuidList,
} from '../attributes/checks.ts';
import {
  emptyMapToNull,
  nullToEmptyList,
  nullToEmptyMap,
  nullToEmptyText,
  toBoolean,
  toCanonicalMac,
} from '../attributes/convert.ts';
import { dhcpOptions } from './dhcp-options.ts';
import { bad, badInput } from '../refusals.ts';
import type { NetworkSettings } from '../settings.ts';
import {
  adminStateUp,
  id,
  name,
  project,
  qosPolicyId,
  standard,
  tags,
} from '../attributes/common.ts';

const owned = { ...listable, post: true, put: true, policy: true };

export const vnicTypes = [
  'normal',
  'direct',
  'macvtap',
  'baremetal',
  'direct-physical',
  'virtio-forwarder',
  'smart-nic',
  'vdpa',
  'accelerator-direct',
  'accelerator-direct-physical',
  'remote-managed',
];

/** Upstream: neutron_lib/api/validators/allowedaddresspairs.py. */
function addressPairs(
  value: unknown,
  { maxAllowedAddressPair: max }: NetworkSettings,
): string | undefined {
  if (!Array.isArray(value)) throw badInput('Allowed address pairs must be a list.');
  if (value.length > max) {
    throw bad(
      'AllowedAddressPairExhausted',
      `The number of allowed address pair exceeds the maximum ${max}.`,
    );
  }
  const seen = new Set<string>();
  for (const pair of value as unknown[]) {
    const problem = map(pair) ?? addressPair(pair as Record<string, unknown>, seen);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function addressPair(pair: Record<string, unknown>, seen: Set<string>): string | undefined {
  const { mac_address: hardware, ip_address: address } = pair;
  if ('mac_address' in pair && !isMac(hardware))
    throw badInput(`'${quoted(hardware)}' is not a valid MAC address`);
  if (!('ip_address' in pair))
    throw bad('AllowedAddressPairsMissingIP', 'AllowedAddressPair must contain ip_address');
  const key = JSON.stringify([hardware ?? null, address]);
  if (seen.has(key)) {
    throw bad(
      'DuplicateAddressPairInRequest',
      `Request contains duplicate address pair: mac_address ${quoted(hardware ?? null)} ` +
        `ip_address ${quoted(address)}.`,
    );
  }
  seen.add(key);
  const extra = Object.keys(pair).filter((name) => name !== 'mac_address' && name !== 'ip_address');
  if (extra.length) throw badInput(`Unrecognized attribute(s) '${extra.join(', ')}'`);
  const fits = String(address).includes('/') ? parseCidr(address) : parseIp(address);
  return fits
    ? undefined
    : `'${quoted(address)}' is not a valid IP ` +
        (String(address).includes('/') ? 'subnet' : 'address');
}

/** The hints that backends know. Upstream: neutron_lib/api/definitions/port_hints.py. */
const portHints = mapOf({
  openvswitch: mapOf({ other_config: mapOf({ 'tx-steering': oneOf('thread', 'hash') }) }),
});

export const portAttributes: AttributeMap = {
  resource: 'port',
  collection: 'ports',
  attributes: {
    id,
    name,
    network_id: { ...listable, post: true, check: uuid },
    admin_state_up: adminStateUp,
    mac_address: { ...owned, fallback: unset, convert: toCanonicalMac, check: orNull(mac) },
    fixed_ips: {
      post: true,
      put: true,
      policy: true,
      filter: true,
      fallback: unset,
      check: fixedIps,
    },
    device_id: { ...owned, fallback: '', convert: nullToEmptyText, check: text(255) },
    device_owner: { ...owned, fallback: '', convert: nullToEmptyText, check: text(255) },
    ...project,
    status: listable,
    security_groups: {
      post: true,
      put: true,
      filter: true,
      fallback: unset,
      convert: nullToEmptyList,
      check: uuidList,
    },
    port_security_enabled: {
      ...listable,
      post: true,
      put: true,
      policy: true,
      fallback: unset,
      convert: toBoolean,
    },
    allowed_address_pairs: {
      post: true,
      put: true,
      policy: true,
      fallback: unset,
      convert: nullToEmptyList,
      check: addressPairs,
    },
    extra_dhcp_opts: { post: true, put: true, fallback: null, check: dhcpOptions },
    'binding:vif_type': {},
    'binding:vif_details': {},
    'binding:vnic_type': { ...owned, fallback: 'normal', check: oneOf(...vnicTypes) },
    'binding:host_id': {
      ...owned,
      fallback: unset,
      convert: nullToEmptyText,
      check: orNull(text(255)),
    },
    'binding:profile': {
      post: true,
      put: true,
      policy: true,
      fallback: unset,
      convert: nullToEmptyMap,
      check: map,
    },
    trunk_details: { sparse: true },
    qos_policy_id: qosPolicyId,
    qos_network_policy_id: {},
    resource_request: {},
    ip_allocation: listable,
    propagate_uplink_status: { post: true, put: true, fallback: true, convert: toBoolean },
    hints: {
      post: true,
      put: true,
      policy: true,
      fallback: null,
      convert: emptyMapToNull,
      check: orNull(portHints),
    },
    ...tags,
    tags: { post: true, filter: true, fallback: [], check: textList(255) },
    ...standard,
  },
};
