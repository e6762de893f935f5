// The rules for servers and all that hangs on one. Upstream: nova/policies/servers.py and others.
import type { RuleDefault, RuleDefaults } from '../../../kernel/oslo/policy.ts';

const inProject = (rule: string): RuleDefault => ({ rule, scopes: ['project'] });

const named = (noun: string, verbs: readonly string[], rule: string): RuleDefaults =>
  Object.fromEntries(
    verbs.map((verb) => [`os_compute_api:${noun}${verb ? `:${verb}` : ''}`, inProject(rule)]),
  );

const admin = 'rule:context_is_admin';
const manager = 'rule:project_manager_or_admin';
const member = 'rule:project_member_or_admin';
const reader = 'rule:project_reader_or_admin';

export const serverPolicy: RuleDefaults = {
  ...named('servers', ['index', 'detail', 'show', 'show:flavor-extra-specs'], reader),
  ...named(
    'servers',
    ['index:get_all_tenants', 'detail:get_all_tenants', 'allow_all_filters'],
    admin,
  ),
  ...named('servers', ['show:host_status', 'show:host_status:unknown-only'], admin),
  ...named(
    'servers',
    ['create', 'create:attach_volume', 'create:attach_network', 'create:trusted_certs'],
    member,
  ),
  ...named('servers', ['create:forced_host', 'create:zero_disk_flavor'], admin),
  ...named(
    'servers',
    [
      'delete',
      'update',
      'confirm_resize',
      'revert_resize',
      'reboot',
      'resize',
      'rebuild',
      'rebuild:trusted_certs',
    ],
    member,
  ),
  ...named(
    'servers',
    ['create_image', 'create_image:allow_volume_backed', 'start', 'stop', 'trigger_crash_dump'],
    member,
  ),
  'compute:servers:create:requested_destination': inProject(admin),
  ...named('os-extended-server-attributes', [''], admin),
  ...named('server-metadata', ['index', 'show'], reader),
  ...named('server-metadata', ['create', 'update', 'update_all', 'delete'], member),
  ...named('os-server-tags', ['index', 'show'], reader),
  ...named('os-server-tags', ['update', 'update_all', 'delete', 'delete_all'], member),
  ...named('os-pause-server', ['pause', 'unpause'], member),
  ...named('os-suspend-server', ['suspend', 'resume'], member),
  ...named('os-rescue', [''], member),
  ...named('os-unrescue', [''], member),
  ...named('os-admin-password', [''], member),
  ...named('os-shelve', ['shelve', 'unshelve'], member),
  ...named('os-shelve', ['shelve_offload', 'unshelve_to_host'], admin),
  ...named('os-migrate-server', ['migrate', 'migrate_live'], manager),
  ...named('os-migrate-server', ['migrate:host', 'migrate_live:host'], admin),
  ...named('os-evacuate', [''], admin),
  ...named('os-lock-server', ['lock', 'unlock'], member),
  ...named('os-lock-server', ['unlock:unlock_override'], admin),
  ...named('os-admin-actions', ['reset_state', 'inject_network_info'], admin),
  ...named('os-deferred-delete', ['restore', 'force'], member),
  ...named('os-console-output', [''], member),
  ...named('os-remote-consoles', [''], member),
  ...named('os-create-backup', [''], member),
  ...named('os-server-password', ['show'], reader),
  ...named('os-server-password', ['clear'], member),
  ...named('os-server-diagnostics', [''], admin),
  'compute:server:topology:index': inProject(reader),
  'compute:server:topology:host:index': inProject(admin),
  ...named('os-security-groups', ['list'], reader),
  ...named('os-security-groups', ['add', 'remove'], member),
  ...named('os-instance-actions', ['list', 'show'], reader),
  ...named('os-instance-actions', ['events', 'events:details'], admin),
  ...named('servers:migrations', ['index', 'force_complete', 'delete'], manager),
  ...named('servers:migrations', ['index:host', 'show'], admin),
  ...named('os-attach-interfaces', ['list', 'show'], reader),
  ...named('os-attach-interfaces', ['create', 'delete'], member),
  ...named('os-volumes-attachments', ['index', 'show'], reader),
  ...named('os-volumes-attachments', ['create', 'update', 'delete'], member),
  ...named('os-volumes-attachments', ['swap'], 'rule:service_or_admin'),
  ...named('ips', ['index', 'show'], reader),
};
