// Lists the intended differences between Cumulet's policy rules and upstream's, with the reasons.

const referred = 'a name of Cumulet for a rule that others refer to';
const attribute = 'the attribute is not served';
const gateways = 'multiple gateways of a router are not served';
const locations = 'locations and stores of images are not served';
const attached = 'actions on clusters check clusters:action, as upstream does';

const attributes = (reason: string, ...names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, reason]));

/** The reasons by service and rule. */
export const intended: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  identity: {
    'identity:list_projects_for_user':
      'upstream checks identity:get_auth_projects and never this one',
    'identity:list_domains_for_user':
      'upstream checks identity:get_auth_domains and never this one',
  },
  compute: {
    'network:attach_external_network':
      'Network refuses the port on such a network by another rule, create_port',
    'compute:servers:resize:cross_cell': 'there is one cell',
  },
  network: {
    ...['create', 'update', 'get'].reduce<Record<string, string>>(
      (all, verb) => ({
        ...all,
        ...attributes(
          attribute,
          ...['segments', 'is_default', 'pvlan'].map((name) => `${verb}_network:${name}`),
        ),
        ...attributes(
          attribute,
          ...['hints', 'trusted', 'pvlan_type', 'pvlan_community'].map(
            (name) => `${verb}_port:${name}`,
          ),
        ),
        ...attributes(
          attribute,
          ...[
            'distributed',
            'ha',
            'evpn_vni',
            'enable_default_route_bfd',
            'enable_default_route_ecmp',
          ].map((name) => `${verb}_router:${name}`),
        ),
        ...attributes(
          attribute,
          ...['segment_id', 'service_types'].map((name) => `${verb}_subnet:${name}`),
        ),
      }),
      attributes(attribute, 'get_port:resource_request', 'update_port:data_plane_status'),
    ),
    ...['add', 'update', 'remove'].reduce<Record<string, string>>(
      (all, verb) => ({
        ...all,
        ...attributes(
          gateways,
          ...[
            '',
            ':external_gateways',
            ...['network_id', 'enable_snat', 'external_fixed_ips'].map(
              (name) => `:external_gateways:${name}`,
            ),
          ].map((name) => `${verb}_external_gateways${name}`),
        ),
      }),
      {},
    ),
  },
  volume: {
    ...attributes(referred, 'admin_or_project_reader', 'admin_or_project_member'),
    'volume:update_volume_admin_metadata':
      'upstream checks it only for an elevated context, which it always allows',
  },
  image: attributes(
    locations,
    'download_from_store',
    'delete_image_location',
    'get_image_location',
    'set_image_location',
    'add_image_location',
    'fetch_image_location',
  ),
  reservation: {
    context_is_admin: referred,
    'cumulet:availability:get': 'an operation of the emulator only',
  },
  clustering: {
    'actions:create': 'upstream serves the path without a rule, and so refuses everyone',
    ...attributes(
      attached,
      'cluster_policies:attach',
      'cluster_policies:detach',
      'cluster_policies:update',
    ),
  },
};
