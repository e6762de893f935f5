// The configuration of a real Nova that uses the emulator as its cloud.

/** The addresses that Nova's programs need. */
export interface Addresses {
  /** `http://host:port` of the emulator. */
  readonly cloud: string;
  /** A MySQL server, as `mysql://user@host:port`. */
  readonly mysql: string;
  /** The port of RabbitMQ. */
  readonly rabbit: number;
  /** The port of Nova's API. */
  readonly api: number;
}

/** The password of the user `nova`. */
export const password = 'nova-secret';

/** The databases of Nova. */
export const databases = { api: 'nova_api', cell0: 'nova_cell0', cell1: 'nova_cell1' } as const;

export const databaseUrl = ({ mysql }: Addresses, name: string): string =>
  `${mysql.replace('mysql://', 'mysql+pymysql://')}/${name}?charset=utf8`;

export const transportUrl = ({ rabbit }: Addresses): string =>
  `rabbit://guest:guest@127.0.0.1:${rabbit}/`;

/** Options by section, each as a line of the file. */
export type Options = Readonly<Record<string, readonly string[]>>;

/**
 * The options of all programs. A compute has a host of its own, and no database. `database` is that
 * of the cell, or of cell0 for the API, as in DevStack.
 */
export function novaConf(
  addresses: Addresses,
  {
    folder,
    database,
    host,
    more,
  }: { folder: string; database?: string; host: string; more: Options },
): string {
  const { cloud, api } = addresses;
  const account = [
    'auth_type = password',
    `auth_url = ${cloud}/identity/v3`,
    'username = nova',
    `password = ${password}`,
    'project_name = service',
    'user_domain_name = Default',
    'project_domain_name = Default',
    'region_name = RegionOne',
  ];
  const sections: Options = {
    DEFAULT: [
      `host = ${host}`,
      `my_ip = 127.0.0.1`,
      `state_path = ${folder}`,
      `log_file = ${folder}/${host}.log`,
      'debug = true',
      `transport_url = ${transportUrl(addresses)}`,
      'compute_driver = fake.FakeDriver',
      'osapi_compute_listen = 127.0.0.1',
      `osapi_compute_listen_port = ${api}`,
      'osapi_compute_workers = 1',
      'enabled_apis = osapi_compute',
      'force_config_drive = false',
    ],
    api: ['auth_strategy = keystone'],
    wsgi: [`api_paste_config = ${folder}/api-paste.ini`],
    ...(database
      ? {
          api_database: [`connection = ${databaseUrl(addresses, databases.api)}`],
          database: [`connection = ${databaseUrl(addresses, database)}`],
        }
      : {}),
    conductor: ['workers = 1'],
    scheduler: ['workers = 1', 'discover_hosts_in_cells_interval = 2'],
    filter_scheduler: ['track_instance_changes = false'],
    keystone_authtoken: [...account, `www_authenticate_uri = ${cloud}/identity/v3`],
    service_user: ['send_service_user_token = true', ...account],
    placement: account,
    neutron: account,
    cinder: [...account, 'os_region_name = RegionOne', 'catalog_info = volumev3::publicURL'],
    glance: account,
    vnc: ['enabled = false'],
    oslo_concurrency: [`lock_path = ${folder}/locks`],
    oslo_messaging_notifications: ['driver = noop'],
    workarounds: ['disable_rootwrap = true'],
  };
  return Object.entries(sections)
    .map(([section, lines]) => [section, ...lines, ...(more[section] ?? [])])
    .map(([section, ...lines]) => `[${section}]\n${lines.join('\n')}\n`)
    .join('\n');
}

/** The API's pipeline: upstream's etc/nova/api-paste.ini without filters that tests do not need. */
export const apiPaste = `[composite:osapi_compute]
use = call:nova.api.openstack.urlmap:urlmap_factory
/: oscomputeversions
/v2.1: openstack_compute_api_v21

[composite:openstack_compute_api_v21]
use = call:nova.api.auth:pipeline_factory_v21
keystone = compute_req_id faultwrap request_log sizelimit authtoken keystonecontext app_v21

[pipeline:oscomputeversions]
pipeline = faultwrap request_log versions

[app:versions]
paste.app_factory = nova.api.openstack.compute.versions:Versions.factory

[app:app_v21]
paste.app_factory = nova.api.openstack.compute:APIRouterV21.factory

[filter:compute_req_id]
paste.filter_factory = nova.api.compute_req_id:ComputeReqIdMiddleware.factory

[filter:faultwrap]
paste.filter_factory = nova.api.openstack:FaultWrapper.factory

[filter:request_log]
paste.filter_factory = nova.api.openstack.requestlog:RequestLog.factory

[filter:sizelimit]
paste.filter_factory = oslo_middleware:RequestBodySizeLimiter.factory

[filter:authtoken]
paste.filter_factory = keystonemiddleware.auth_token:filter_factory

[filter:keystonecontext]
paste.filter_factory = nova.api.auth:NovaKeystoneContext.factory
`;
