// The types of Neutron's resources that are carried to pods: what each depends on, and its fields
// in a pod. A resource in a pod is named after its id in the central region and belongs to the same
// project.
import type { NetworkRecord, NetworkType } from '../../clients/network.ts';

/** A resource by its id in the central region. */
export interface Reference {
  readonly type: NetworkType;
  readonly id: string;
}

/** Returns the id in the pod of a resource that has been carried there. */
export type IdInPod = (type: NetworkType, id: string) => string;

type Fields = Readonly<Record<string, unknown>>;

export interface Kind {
  /** The resources that must be in the pod before this one. */
  readonly references: (record: NetworkRecord) => readonly Reference[];
  /** The fields in the pod, besides the name and the project. */
  readonly fields: (record: NetworkRecord, idInPod: IdInPod) => Fields;
  /** The fields that cannot change. */
  readonly fixed: readonly string[];
  /** Whether Neutron accepts several of the same name and fields. */
  readonly mayRepeat: boolean;
}

interface FixedIp {
  readonly subnet_id: string;
  readonly ip_address: string;
}

interface Gateway {
  readonly network_id: string;
  readonly enable_snat: boolean;
  readonly external_fixed_ips: readonly FixedIp[];
}

const pick = (record: Fields, ...names: readonly string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, record[name]]));

const referencesTo = (type: NetworkType, ids: readonly unknown[]): Reference[] =>
  [...new Set(ids)].map((id) => ({ type, id: id as string }));

export const fixedIpsOf = (record: Fields): readonly FixedIp[] =>
  record['fixed_ips'] as readonly FixedIp[];

const addressesInPod = (addresses: readonly FixedIp[], idInPod: IdInPod): FixedIp[] =>
  addresses.map(({ subnet_id: id, ip_address }) => ({
    subnet_id: idInPod('subnet', id),
    ip_address,
  }));

const gatewayOf = (record: Fields): Gateway | null =>
  record['external_gateway_info'] as Gateway | null;

/** Whether a network is one that Neutron creates for tenants, and not a provider's. */
const isTunnel = (record: Fields): boolean =>
  ['geneve', 'gre', 'local', 'vxlan'].includes(record['provider:network_type'] as string);

/** From what others depend on to what depends on others. */
export const kinds: Readonly<Record<NetworkType, Kind>> = {
  network: {
    references: () => [],
    // A shared network is not shared in the pod: servers there get ports that already exist.
    fields: (record) => ({
      ...pick(record, 'admin_state_up', 'description', 'port_security_enabled', 'router:external'),
      // The pod's network is a tunnel, which carries smaller packets than a provider's network.
      ...(isTunnel(record) ? pick(record, 'mtu') : {}),
    }),
    fixed: [],
    mayRepeat: true,
  },
  subnet: {
    references: ({ network_id: id }) => referencesTo('network', [id]),
    // The central region gives all addresses. DHCP in the pod would take one of its own.
    fields: (record, idInPod) => ({
      ...pick(record, 'ip_version', 'cidr', 'gateway_ip', 'allocation_pools', 'description'),
      ...pick(record, 'dns_nameservers', 'host_routes'),
      network_id: idInPod('network', record['network_id'] as string),
      enable_dhcp: false,
    }),
    fixed: ['network_id', 'ip_version', 'cidr'],
    mayRepeat: false,
  },
  security_group: {
    references: () => [],
    fields: (record) => pick(record, 'description', 'stateful'),
    fixed: [],
    mayRepeat: true,
  },
  port: {
    references: (record) => [
      ...referencesTo('network', [record['network_id']]),
      ...referencesTo(
        'subnet',
        fixedIpsOf(record).map(({ subnet_id: id }) => id),
      ),
      ...referencesTo('security_group', record['security_groups'] as string[]),
    ],
    fields: (record, idInPod) => ({
      ...pick(record, 'mac_address', 'admin_state_up', 'description', 'port_security_enabled'),
      ...pick(record, 'allowed_address_pairs', 'binding:vnic_type'),
      network_id: idInPod('network', record['network_id'] as string),
      fixed_ips: addressesInPod(fixedIpsOf(record), idInPod),
      security_groups: (record['security_groups'] as string[]).map((id) =>
        idInPod('security_group', id),
      ),
    }),
    fixed: ['network_id'],
    mayRepeat: false,
  },
  router: {
    references: (record) => {
      const gateway = gatewayOf(record);
      return gateway
        ? [
            ...referencesTo('network', [gateway.network_id]),
            ...referencesTo(
              'subnet',
              gateway.external_fixed_ips.map(({ subnet_id: id }) => id),
            ),
          ]
        : [];
    },
    fields: (record, idInPod) => {
      const gateway = gatewayOf(record);
      return {
        ...pick(record, 'admin_state_up', 'description'),
        external_gateway_info: gateway && {
          network_id: idInPod('network', gateway.network_id),
          enable_snat: gateway.enable_snat,
          external_fixed_ips: addressesInPod(gateway.external_fixed_ips, idInPod),
        },
      };
    },
    fixed: [],
    mayRepeat: true,
  },
  floatingip: {
    references: (record) => [
      ...referencesTo('network', [record['floating_network_id']]),
      ...referencesTo('router', record['router_id'] === null ? [] : [record['router_id']]),
      ...referencesTo('port', [record['port_id']]),
    ],
    fields: (record, idInPod) => ({
      ...pick(record, 'floating_ip_address', 'fixed_ip_address', 'description'),
      floating_network_id: idInPod('network', record['floating_network_id'] as string),
      port_id: idInPod('port', record['port_id'] as string),
    }),
    fixed: ['floating_network_id', 'floating_ip_address'],
    mayRepeat: false,
  },
};

/** The fields of a resource that a pod gets when it is created. */
export function newFields(type: NetworkType, record: NetworkRecord, idInPod: IdInPod): Fields {
  // A floating IP has no name.
  const name = type === 'floatingip' ? {} : { name: record.id };
  return { ...name, project_id: record.project_id, ...kinds[type].fields(record, idInPod) };
}

/** The fields of a resource in a pod that differ from those that it should have. */
export function changedFields(type: NetworkType, expected: Fields, current: Fields): Fields {
  const unchangeable = new Set(['project_id', ...kinds[type].fixed]);
  return Object.fromEntries(
    Object.entries(expected).filter(
      ([name, value]) =>
        !unchangeable.has(name) &&
        canonical(value, name !== 'dns_nameservers') !==
          canonical(current[name], name !== 'dns_nameservers'),
    ),
  );
}

/** JSON that is equal for equal values. The order of lists counts only where Neutron keeps it. */
function canonical(value: unknown, isUnordered: boolean): string {
  if (Array.isArray(value)) {
    const items = value.map((item) => canonical(item, isUnordered));
    return `[${(isUnordered ? items.toSorted() : items).join(',')}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const fields = Object.entries(value)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, field]) => `${name}:${canonical(field, isUnordered)}`);
  return `{${fields.join(',')}}`;
}
