// Runs the functional tests of novaclient, which use its library and its command `nova`, against a
// started server with what DevStack creates.
import { declare } from '../suites/declare.ts';

/** Each is a test of its own, because some take minutes. */
const modules = [
  'api',
  'test_auth',
  'v2.legacy',
  ...[
    'aggregates',
    'consoles',
    'device_tagging',
    'extended_attributes',
    'flavor',
    'flavor_access',
    'hypervisors',
    'image_meta',
    'instance_action',
    'instance_usage_audit_log',
    'instances',
    'keypairs',
    'migrations',
    'networks',
    'os_services',
    'quota_classes',
    'quotas',
    'resize',
    'server_groups',
    'servers',
    'trigger_crash_dump',
    'usage',
  ].map((name) => `v2.test_${name}`),
];

declare({
  title: 'novaclient',
  distribution: 'python-novaclient',
  inside: 'novaclient.tests.functional',
  packages: modules.map((name) => `novaclient.tests.functional.${name}`),
  exceptions: [new URL('exceptions.yaml', import.meta.url)],
  flags: ['--preset', 'devstack'],
  async configure(origin) {
    const auth = {
      auth_url: `${origin}/identity/v3`,
      username: 'admin',
      password: 'secret',
      project_name: 'admin',
      // The tests read the ids of the domains, not their names.
      user_domain_id: 'default',
      project_domain_id: 'default',
    };
    const cloud = { auth, region_name: 'RegionOne', identity_api_version: '3', cacert: '' };
    const files = { 'clouds.yaml': JSON.stringify({ clouds: { functional_admin: cloud } }) };
    const environment = {
      OS_CLIENT_CONFIG_FILE: '${folder}/clouds.yaml',
      OS_NOVACLIENT_EXEC_DIR: '/usr/bin',
    };
    return { files, environment };
  },
});
