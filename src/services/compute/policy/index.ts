// The rules of Compute and their defaults. Upstream: nova/policies, with the new defaults enforced.
import type { RuleDefaults } from '../../../kernel/oslo/policy.ts';
import { proxyPolicy } from './proxies.ts';
import { admin, inProject, manager, member, reader, rules } from './rules.ts';
import { serverPolicy } from './servers.ts';

const anyone = '@';
const service = 'rule:service_or_admin';

/**
 * All API rules have the scope `project`: a token of another scope is rejected before its rule is
 * evaluated.
 */
export const computePolicy: RuleDefaults = {
  context_is_admin: 'role:admin',
  project_manager_api: 'role:manager and project_id:%(project_id)s',
  project_member_api: 'role:member and project_id:%(project_id)s',
  project_reader_api: 'role:reader and project_id:%(project_id)s',
  service_api: 'role:service',
  project_manager_or_admin: 'rule:project_manager_api or rule:context_is_admin',
  project_member_or_admin: 'rule:project_member_api or rule:context_is_admin',
  project_reader_or_admin: 'rule:project_reader_api or rule:context_is_admin',
  service_or_admin: 'rule:service_api or rule:context_is_admin',

  ...rules('os-server-groups', ['create', 'delete'], member),
  ...rules('os-server-groups', ['index', 'show'], reader),
  ...rules('os-server-groups', ['index:all_projects'], admin),
  ...rules('os-flavor-manage', ['create', 'update', 'delete'], admin),
  ...rules('os-flavor-access', ['', 'add_tenant_access', 'remove_tenant_access'], admin),
  ...rules('os-flavor-extra-specs', ['index', 'show'], reader),
  ...rules('os-flavor-extra-specs', ['create', 'update', 'delete'], admin),
  ...rules(
    'os-keypairs',
    ['index', 'show', 'create', 'delete'],
    `(${admin}) or user_id:%(user_id)s`,
  ),
  ...rules(
    'os-hypervisors',
    ['list', 'list-detail', 'statistics', 'show', 'uptime', 'search', 'servers'],
    admin,
  ),
  ...rules('os-services', ['list', 'update', 'delete'], admin),
  ...rules(
    'os-aggregates',
    ['index', 'show', 'create', 'update', 'delete', 'add_host', 'remove_host', 'set_metadata'],
    admin,
  ),
  'compute:aggregates:images': inProject(admin),
  ...rules('os-availability-zone', ['list'], anyone),
  ...rules('os-availability-zone', ['detail'], admin),
  ...rules('limits', [''], anyone),
  ...rules('limits', ['other_project'], admin),
  ...rules('os-quota-sets', ['defaults'], anyone),
  ...rules('os-quota-sets', ['show', 'detail'], reader),
  ...rules('os-quota-sets', ['update', 'delete'], admin),
  ...rules('os-quota-class-sets', ['show', 'update'], admin),
  ...rules('os-simple-tenant-usage', ['list'], admin),
  ...rules('os-simple-tenant-usage', ['show'], reader),
  ...rules('os-hosts', ['list', 'show', 'update', 'start', 'shutdown', 'reboot'], admin),
  ...rules('os-instance-usage-audit-log', ['list', 'show'], admin),
  ...rules('os-migrations', ['index'], manager),
  ...rules('os-migrations', ['index:all_projects', 'index:host'], admin),
  ...rules('extensions', [''], anyone),
  ...rules('os-server-external-events', ['create'], service),
  ...rules('os-assisted-volume-snapshots', ['create', 'delete'], service),
  ...serverPolicy,
  ...proxyPolicy,
};
