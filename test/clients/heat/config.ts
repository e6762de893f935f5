// The configuration of a real Heat that uses the emulator as its cloud.

/** Options by section, each as a line of the file. */
type Options = Readonly<Record<string, readonly string[]>>;

interface Addresses {
  /** The URL of Keystone. */
  readonly keystone: string;
  /** The URL of Heat's database. */
  readonly database: string;
  /** The file that Heat writes its log to. */
  readonly log: string;
}

/** The file heat.conf. */
export function heatConf({ keystone, database, log }: Addresses): string {
  const account = [
    'auth_type = password',
    `auth_url = ${keystone}`,
    'username = heat',
    'password = secret',
    'user_domain_name = Default',
  ];
  const sections: Options = {
    DEFAULT: [
      'transport_url = fake://',
      `log_file = ${log}`,
      'auth_encryption_key = 32 characters, only for tests ..',
      'num_engine_workers = 1',
      // Agents in guests would ask there. No server is started for them.
      'heat_metadata_server_url = http://127.0.0.1:8000',
      // Heat otherwise asks for the latest version, in which flavors have no rxtx_factor.
      'max_nova_api_microversion = 2.93',
      'stack_user_domain_name = heat',
      'stack_domain_admin = heat_domain_admin',
      'stack_domain_admin_password = secret',
    ],
    heat_all: ['enabled_services = engine,api'],
    heat_api: ['bind_host = 127.0.0.1', 'bind_port = 0', 'workers = 1'],
    paste_deploy: ['api_paste_config = /etc/heat/api-paste.ini'],
    database: [`connection = ${database}`],
    keystone_authtoken: [
      ...account,
      'project_name = service',
      'project_domain_name = Default',
      `www_authenticate_uri = ${keystone}`,
    ],
    trustee: account,
    clients_keystone: [`auth_uri = ${keystone}`],
    oslo_messaging_notifications: ['driver = noop'],
  };
  return Object.entries(sections)
    .map(([section, lines]) => `[${section}]\n${lines.join('\n')}\n`)
    .join('\n');
}
