// Requests that make operations check the rules that apply only to certain attributes, filters or
// targets.
import { cirrosId } from '../../../src/services/image/index.ts';
import { ids } from '../../services/identity/support.ts';

/**
 * Resources that earlier requests have created, by the name given in `as`: the only member of their
 * replies.
 */
export type Created = Readonly<Record<string, Readonly<Record<string, string>>>>;

type Given<T> = T | ((created: Created) => T);

/** A request. The requests of a service are sent sequentially. */
export interface MoreRequest {
  readonly operation: string;
  /** The newest version by default. */
  readonly version?: string;
  readonly query?: string;
  /** The operation whose sample provides the path parameters. */
  readonly of?: string;
  /** Resources of earlier requests, by the name of the path parameter that gets their id. */
  readonly on?: Readonly<Record<string, string>>;
  /** Remembers the resource of the reply under this name. */
  readonly as?: string;
  /** The body. `over` instead overrides fields of the only member of the sample's body. */
  readonly body?: Given<unknown>;
  readonly over?: Given<object>;
  /** The caller and its roles; by default the administrator of the samples. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const id = '11111111-1111-1111-1111-111111111111';
const provider = {
  'provider:network_type': 'vlan',
  'provider:physical_network': 'p',
  'provider:segmentation_id': 5,
};
const ofNetwork = {
  shared: true,
  'router:external': true,
  port_security_enabled: false,
  ...provider,
};
const ofPort = {
  mac_address: 'fa:16:3e:00:00:01',
  port_security_enabled: false,
  'binding:vnic_type': 'direct',
  'binding:host_id': 'h',
  fixed_ips: [{ subnet_id: id, ip_address: '10.0.0.9' }],
  allowed_address_pairs: [{ ip_address: '10.0.0.8', mac_address: 'fa:16:3e:00:00:02' }],
};
const lists = ['networks', 'subnetpools', 'address_scopes', 'ports', 'floatingips'];

/** Creates a resource and lists them without a filter. */
const network: readonly MoreRequest[] = [
  ...lists.flatMap((noun) => [
    { operation: `${noun}:create`, over: {} },
    { operation: `${noun}:list`, query: '' },
  ]),
  { operation: 'networks:create', over: ofNetwork },
  { operation: 'networks:update', over: ofNetwork },
  { operation: 'subnetpools:create', over: { shared: true, is_default: true } },
  { operation: 'subnetpools:update', over: { is_default: true } },
  { operation: 'address_scopes:create', over: { shared: true } },
  { operation: 'ports:create', over: ofPort },
  { operation: 'ports:update', over: ofPort },
  { operation: 'ports:create', over: { 'binding:profile': { a: 1 } } },
  { operation: 'ports:update', over: { 'binding:profile': { a: 1 } } },
  { operation: 'floatingips:create', over: { floating_ip_address: '172.16.0.9' } },
  {
    operation: 'routers:update',
    over: {
      external_gateway_info: {
        network_id: id,
        enable_snat: false,
        external_fixed_ips: [{ ip_address: '172.16.0.8' }],
      },
    },
  },
];

const act = (name: string, body: unknown, of = 'servers:delete'): MoreRequest => ({
  operation: 'servers:act',
  of,
  body: { [name]: body },
});
const certificates = { trusted_image_certificates: ['a'] };

const compute: readonly MoreRequest[] = [
  { operation: 'servers:list', query: 'all_tenants=1' },
  { operation: 'servers:create', over: { availability_zone: 'nova:compute-1' } },
  { operation: 'servers:create', over: { host: 'compute-1' } },
  { operation: 'servers:create', over: { networks: [{ uuid: id }] } },
  { operation: 'servers:create', over: certificates },
  {
    operation: 'servers:create',
    over: {
      block_device_mapping_v2: [
        { uuid: id, source_type: 'volume', destination_type: 'volume', boot_index: 0 },
      ],
    },
  },
  act('rebuild', { imageRef: cirrosId, ...certificates }),
  act('rebuild', { imageRef: cirrosId }),
  act('migrate', { host: 'compute-2' }),
  act('os-migrateLive', { host: 'compute-2', block_migration: 'auto' }),
  act('unshelve', { host: 'compute-2' }),
  {
    operation: 'servers:create',
    as: 'onVolume',
    over: {
      block_device_mapping_v2: [
        {
          uuid: cirrosId,
          source_type: 'image',
          destination_type: 'volume',
          volume_size: 1,
          boot_index: 0,
        },
      ],
    },
  },
  { operation: 'servers:act', on: { id: 'onVolume' }, body: { createImage: { name: 'image' } } },
  {
    operation: 'servers:act',
    on: { id: 'onVolume' },
    body: { lock: null },
    token: 'boss:other',
    headers: { 'x-roles': 'admin' },
  },
  { operation: 'servers:act', on: { id: 'onVolume' }, body: { unlock: null } },
  { operation: 'floating_ips:create', version: '2.1', as: 'address' },
  {
    operation: 'servers:act',
    version: '2.1',
    on: { id: 'onVolume' },
    body: ({ address }: Created) => ({ removeFloatingIp: { address: address!['ip'] } }),
  },
];

const onVolume = (name: string, action: string, body: Given<unknown>): MoreRequest => ({
  operation: 'volumes:act',
  on: { volume_id: name },
  body: (created: Created) => ({
    [action]: typeof body === 'function' ? (body as (created: Created) => unknown)(created) : body,
  }),
});
const attachment = (name: string): MoreRequest => ({
  operation: 'attachments:create',
  as: name,
  over: ({ several }: Created) => ({ volume_uuid: several!['id'] }),
});

const volume: readonly MoreRequest[] = [
  { operation: 'volumes:create', as: 'ofImage', over: { imageRef: cirrosId } },
  { operation: 'volumes:show', on: { volume_id: 'ofImage' } },
  { operation: 'volumes:list_detail', query: '' },
  { operation: 'volumes:delete', query: 'force=true' },
  {
    operation: 'volumes:act',
    body: { 'os-volume_upload_image': { image_name: 'i', visibility: 'public' } },
  },
  {
    operation: 'attachments:create',
    body: ({ ofImage }: Created) => ({
      attachment: { volume_uuid: ofImage!['id'], instance_uuid: id },
    }),
  },
  onVolume('ofImage', 'os-reimage', { image_id: cirrosId, reimage_reserved: true }),
  { operation: 'volumes:create', as: 'plain', over: {} },
  {
    operation: 'snapshots:create',
    as: 'snapshot',
    over: ({ plain }: Created) => ({ volume_id: plain!['id'] }),
  },
  onVolume('plain', 'revert', ({ snapshot }: Created) => ({ snapshot_id: snapshot!['id'] })),
  {
    operation: 'types:create',
    over: { name: 'several', extra_specs: { multiattach: '<is> True' } },
  },
  { operation: 'volumes:create', as: 'several', over: { volume_type: 'several' } },
  onVolume('several', 'os-set_bootable', { bootable: true }),
  attachment('first'),
  { operation: 'attachments:update', on: { attachment_id: 'first' } },
  { operation: 'attachments:act', on: { attachment_id: 'first' }, body: { 'os-complete': {} } },
  onVolume('several', 'os-extend', { new_size: 5 }),
  attachment('second'),
];

const image: readonly MoreRequest[] = [
  { operation: 'images:update', body: [{ op: 'replace', path: '/visibility', value: 'public' }] },
  {
    operation: 'images:update',
    body: [{ op: 'replace', path: '/visibility', value: 'community' }],
  },
];

const identity: readonly MoreRequest[] = [
  { operation: 'roles:list', query: 'domain_id=default' },
  { operation: 'roles:check_list', query: 'domain_id=default' },
  { operation: 'roles:create', over: { domain_id: 'default' } },
  { operation: 'roles:create', as: 'role', over: { domain_id: 'default' } },
  ...['show', 'check', 'update', 'delete'].map((verb) => ({
    operation: `roles:${verb}`,
    on: { role_id: 'role' },
  })),
  {
    operation: 'role_assignments:list',
    query: `scope.project.id=${ids.adminProject}&include_subtree`,
  },
  {
    operation: 'role_assignments:check',
    query: `scope.project.id=${ids.adminProject}&include_subtree`,
  },
  { operation: 'trusts:list', query: '' },
  { operation: 'trusts:list', query: `trustee_user_id=${ids.demo}` },
  { operation: 'trusts:check_list', query: `trustor_user_id=${ids.admin}` },
  { operation: 'trusts:check_list', query: `trustee_user_id=${ids.demo}` },
];

/** The requests of each service. */
export const moreRequests: Readonly<Record<string, readonly MoreRequest[]>> = {
  network,
  compute,
  volume,
  image,
  identity,
};
