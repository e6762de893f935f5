// The default policy rules. Upstream: keystone/common/policies, as of 2025 (admins, system readers,
// domain managers).
import type { RuleDefault, RuleDefaults, Scope } from '../../kernel/oslo/policy.ts';

const admin = 'rule:admin_required';
const systemReader = '(role:reader and system_scope:all)';
const adminOrSystemReader = `${admin} or ${systemReader}`;

/** Matches a role on the domain that each of the target attributes in `checks` names. */
const onDomain = (role: string, ...checks: string[]): string =>
  `(role:${role} and ${checks.map((check) => `domain_id:%(${check})s`).join(' and ')})`;

const anyScope: readonly Scope[] = ['system', 'domain', 'project'];
const notDomain: readonly Scope[] = ['system', 'project'];

const forAll = (rule: string): RuleDefault => ({ rule, scopes: anyScope });
const forAdmins = (rule: string): RuleDefault => ({ rule, scopes: notDomain });

/** Several names with the same rule. */
const each = (
  names: readonly string[],
  entry: RuleDefault | string,
): Record<string, RuleDefault | string> =>
  Object.fromEntries(names.map((name) => [`identity:${name}`, entry]));

const projectReader =
  `${adminOrSystemReader} or (role:reader and ` +
  'domain_id:%(target.project.domain_id)s and not ' +
  'None:%(target.project.domain_id)s) or project_id:%(target.project.id)s';
const projectManager =
  `${admin} or (role:manager and domain_id:%(target.project.domain_id)s and not ` +
  'None:%(target.project.domain_id)s)';
const userManager = `${admin} or (role:manager and token.domain.id:%(target.user.domain_id)s)`;
const domainReader = `${adminOrSystemReader} or ${onDomain('reader', 'target.domain_id')}`;
const groupReader = `${adminOrSystemReader} or ${onDomain('reader', 'target.group.domain_id')}`;
const groupManager = `${admin} or ${onDomain('manager', 'target.group.domain_id')}`;
const memberManager =
  `${admin} or ` + onDomain('manager', 'target.group.domain_id', 'target.user.domain_id');

/** Matches a role on the domain of a grant's actor and on the domain of its target. */
function onActorAndTarget(role: string): string {
  const checks = ['user', 'group'].flatMap((actor) =>
    ['project.domain_id', 'domain.id'].map((target) =>
      onDomain(role, `target.${actor}.domain_id`, `target.${target}`),
    ),
  );
  return `(${checks.join(' or ')})`;
}

const roleOfDomain = '(domain_id:%(target.role.domain_id)s or None:%(target.role.domain_id)s)';
const granter =
  `${admin} or (${onActorAndTarget('admin')} and ${roleOfDomain}) or ` +
  `(${onActorAndTarget('manager')} and rule:domain_managed_target_role)`;

const owner = 'rule:owner';
const credentialOwner = 'user_id:%(target.credential.user_id)s';
const userItself = 'user_id:%(target.user.id)s';

const trustor = 'user_id:%(target.trust.trustor_user_id)s';
const trustee = 'user_id:%(target.trust.trustee_user_id)s';

const sharedRules = {
  admin_required: 'role:admin or is_admin:1',
  service_role: 'role:service',
  service_or_admin: `${admin} or rule:service_role`,
  owner: 'user_id:%(user_id)s',
  admin_or_owner: `${admin} or ${owner}`,
  token_subject: 'user_id:%(target.token.user_id)s',
  admin_or_token_subject: `${admin} or rule:token_subject`,
  service_admin_or_token_subject: 'rule:service_or_admin or rule:token_subject',
  domain_managed_target_role: ['manager', 'member', 'reader']
    .map((name) => `'${name}':%(target.role.name)s`)
    .join(' or '),
};

const userRules: RuleDefaults = {
  'identity:get_user': forAll(
    `${adminOrSystemReader} or (role:reader and ` +
      `token.domain.id:%(target.user.domain_id)s) or ${userItself}`,
  ),
  'identity:list_users': forAll(domainReader),
  ...each(['create_user', 'update_user', 'delete_user'], forAll(userManager)),
  'identity:list_user_projects': forAll(
    `${adminOrSystemReader} or ${onDomain('reader', 'target.user.domain_id')} or ${userItself}`,
  ),
  ...each(['get_group', 'list_groups', 'list_users_in_group'], forAll(groupReader)),
  'identity:list_groups_for_user': forAll(
    `${adminOrSystemReader} or ${onDomain('reader', 'target.user.domain_id')} or ${owner}`,
  ),
  ...each(['create_group', 'update_group', 'delete_group'], forAll(groupManager)),
  ...each(['add_user_to_group', 'remove_user_from_group'], forAll(memberManager)),
  'identity:check_user_in_group': forAll(
    `${adminOrSystemReader} or ` +
      onDomain('reader', 'target.group.domain_id', 'target.user.domain_id'),
  ),
};

const projectRules: RuleDefaults = {
  ...each(['get_project', 'list_project_tags', 'get_project_tag'], forAll(projectReader)),
  'identity:list_projects': forAll(domainReader),
  ...each(['create_project', 'update_project', 'delete_project'], forAll(projectManager)),
  ...each(
    ['update_project_tags', 'create_project_tag', 'delete_project_tags', 'delete_project_tag'],
    forAll(projectManager),
  ),
  'identity:get_domain': forAll(
    `${adminOrSystemReader} or token.domain.id:%(target.domain.id)s or ` +
      'token.project.domain.id:%(target.domain.id)s',
  ),
  'identity:list_domains': forAll(
    `${adminOrSystemReader} or ${onDomain('reader', 'target.domain.id')}`,
  ),
  ...each(['create_domain', 'update_domain', 'delete_domain'], forAdmins(admin)),
};

const roleRules: RuleDefaults = {
  'identity:get_role': forAll(
    `${adminOrSystemReader} or (role:manager and rule:domain_managed_target_role)`,
  ),
  'identity:list_roles': forAll(`${adminOrSystemReader} or (role:manager and not domain_id:None)`),
  ...each(['create_role', 'update_role', 'delete_role'], forAdmins(admin)),
  ...each(['get_domain_role', 'list_domain_roles'], forAdmins(adminOrSystemReader)),
  ...each(['create_domain_role', 'update_domain_role', 'delete_domain_role'], forAdmins(admin)),
  ...each(
    ['get_implied_role', 'list_implied_roles', 'check_implied_role', 'list_role_inference_rules'],
    forAdmins(adminOrSystemReader),
  ),
  ...each(['create_implied_role', 'delete_implied_role'], forAdmins(admin)),
  'identity:check_grant': forAll(
    `${adminOrSystemReader} or (${onActorAndTarget('reader')} and ${roleOfDomain})`,
  ),
  'identity:list_grants': forAll(`${adminOrSystemReader} or ${onActorAndTarget('reader')}`),
  ...each(['create_grant', 'revoke_grant'], forAll(granter)),
  ...each(
    [
      'list_system_grants_for_user',
      'check_system_grant_for_user',
      'list_system_grants_for_group',
      'check_system_grant_for_group',
    ],
    forAdmins(adminOrSystemReader),
  ),
  ...each(
    [
      'create_system_grant_for_user',
      'revoke_system_grant_for_user',
      'create_system_grant_for_group',
      'revoke_system_grant_for_group',
    ],
    forAdmins(admin),
  ),
  ...each(['list_role_assignments', 'list_role_assignments_for_tree'], forAll(domainReader)),
};

const catalogRules: RuleDefaults = {
  ...each(
    ['get_service', 'list_services', 'get_endpoint', 'list_endpoints'],
    forAdmins(adminOrSystemReader),
  ),
  ...each(['create_service', 'update_service', 'delete_service'], forAdmins(admin)),
  ...each(['create_endpoint', 'update_endpoint', 'delete_endpoint'], forAdmins(admin)),
  ...each(['get_region', 'list_regions'], forAll('')),
  ...each(['create_region', 'update_region', 'delete_region'], forAdmins(admin)),
};

const endpointFilterRules: RuleDefaults = {
  ...each(
    ['list_endpoint_groups', 'get_endpoint_group', 'list_endpoint_groups_for_project'],
    forAdmins(adminOrSystemReader),
  ),
  ...each(
    ['list_projects_associated_with_endpoint_group', 'get_endpoint_group_in_project'],
    forAdmins(adminOrSystemReader),
  ),
  'identity:list_endpoints_associated_with_endpoint_group': forAdmins(adminOrSystemReader),
  ...each(
    ['create_endpoint_group', 'update_endpoint_group', 'delete_endpoint_group'],
    forAdmins(admin),
  ),
  ...each(
    ['add_endpoint_group_to_project', 'remove_endpoint_group_from_project'],
    forAdmins(admin),
  ),
  ...each(
    ['list_projects_for_endpoint', 'list_endpoints_for_project', 'check_endpoint_in_project'],
    forAdmins(adminOrSystemReader),
  ),
  ...each(['add_endpoint_to_project', 'remove_endpoint_from_project'], forAdmins(admin)),
};

const policyRules: RuleDefaults = {
  ...each(
    ['get_policy', 'list_policies', 'get_policy_for_endpoint', 'list_endpoints_for_policy'],
    forAdmins(adminOrSystemReader),
  ),
  ...each(['create_policy', 'update_policy', 'delete_policy'], forAdmins(admin)),
  ...['endpoint', 'service', 'region_and_service'].reduce<RuleDefaults>(
    (all, type) => ({
      ...all,
      [`identity:check_policy_association_for_${type}`]: forAdmins(adminOrSystemReader),
      ...each(
        [`create_policy_association_for_${type}`, `delete_policy_association_for_${type}`],
        forAdmins(admin),
      ),
    }),
    {},
  ),
  ...each(['get_domain_config', 'get_domain_config_default'], forAdmins(adminOrSystemReader)),
  ...each(
    ['create_domain_config', 'update_domain_config', 'delete_domain_config'],
    forAdmins(admin),
  ),
  'identity:get_security_compliance_domain_config': forAll(''),
};

const limitRules: RuleDefaults = {
  ...each(
    ['get_limit_model', 'list_limits', 'get_registered_limit', 'list_registered_limits'],
    forAll(''),
  ),
  'identity:get_limit': forAll(
    `${adminOrSystemReader} or (domain_id:%(target.limit.domain.id)s or ` +
      'domain_id:%(target.limit.project.domain_id)s) or ' +
      '(project_id:%(target.limit.project_id)s and not ' +
      'None:%(target.limit.project_id)s)',
  ),
  ...each(['create_limits', 'update_limit', 'delete_limit'], forAdmins(admin)),
  ...each(
    ['create_registered_limits', 'update_registered_limit', 'delete_registered_limit'],
    forAdmins(admin),
  ),
};

const credentialRules: RuleDefaults = {
  ...each(['get_auth_catalog', 'get_auth_projects', 'get_auth_domains', 'get_auth_system'], ''),
  'identity:check_token': forAll(`${adminOrSystemReader} or rule:token_subject`),
  'identity:validate_token': forAll(
    `${adminOrSystemReader} or rule:service_role or rule:token_subject`,
  ),
  'identity:revoke_token': forAll(`${admin} or rule:token_subject`),
  'identity:list_revoke_events': forAdmins('rule:service_or_admin'),
  ...each(
    ['get_application_credential', 'list_application_credentials'],
    forAdmins(`${adminOrSystemReader} or ${owner}`),
  ),
  'identity:create_application_credential': { rule: 'user_id:%(user_id)s', scopes: ['project'] },
  'identity:delete_application_credential': forAdmins('rule:admin_or_owner'),
  ...each(['get_access_rule', 'list_access_rules'], forAdmins(`${systemReader} or ${userItself}`)),
  'identity:delete_access_rule': forAdmins(`(role:admin and system_scope:all) or ${userItself}`),
  ...each(['ec2_get_credential'], forAdmins(`${adminOrSystemReader} or ${credentialOwner}`)),
  ...each(['ec2_list_credentials'], forAdmins(`${adminOrSystemReader} or ${owner}`)),
  ...each(
    ['ec2_create_credential', 'ec2_delete_credential'],
    forAdmins(`${admin} or (role:member and ${credentialOwner})`),
  ),
  ...each(['ec2tokens_validate', 's3tokens_validate'], forAll('rule:service_or_admin')),
  ...each(
    ['get_credential', 'list_credentials'],
    forAll(`${adminOrSystemReader} or ${credentialOwner}`),
  ),
  ...each(
    ['create_credential', 'update_credential', 'delete_credential'],
    forAll(`${admin} or ${credentialOwner}`),
  ),
};

const trustRules: RuleDefaults = {
  'identity:create_trust': { rule: trustor, scopes: ['project'] },
  'identity:list_trusts': forAdmins(adminOrSystemReader),
  'identity:list_trusts_for_trustor': forAdmins(`${adminOrSystemReader} or ${trustor}`),
  'identity:list_trusts_for_trustee': forAdmins(`${adminOrSystemReader} or ${trustee}`),
  ...each(
    ['get_trust', 'list_roles_for_trust', 'get_role_for_trust'],
    forAdmins(`${adminOrSystemReader} or ${trustor} or ${trustee}`),
  ),
  'identity:delete_trust': forAdmins(`${admin} or ${trustor}`),
};

const oauthRules: RuleDefaults = {
  ...each(['get_consumer', 'list_consumers'], forAdmins(adminOrSystemReader)),
  ...each(['create_consumer', 'update_consumer', 'delete_consumer'], forAdmins(admin)),
  ...each(
    ['authorize_request_token', 'list_access_tokens', 'get_access_token', 'delete_access_token'],
    { rule: admin, scopes: ['project'] },
  ),
  ...each(['list_access_token_roles', 'get_access_token_role'], {
    rule: admin,
    scopes: ['project'],
  }),
};

const federationRules: RuleDefaults = [
  ['identity_provider', 'identity_providers'],
  ['protocol', 'protocols'],
  ['mapping', 'mappings'],
  ['service_provider', 'service_providers'],
].reduce<RuleDefaults>(
  (all, [one, many]) => ({
    ...all,
    ...each([`get_${one}`, `list_${many}`], forAdmins(adminOrSystemReader)),
    ...each([`create_${one}`, `update_${one}`, `delete_${one}`], forAdmins(admin)),
  }),
  {},
);

export const identityPolicy: RuleDefaults = {
  ...sharedRules,
  ...userRules,
  ...projectRules,
  ...roleRules,
  ...catalogRules,
  ...endpointFilterRules,
  ...policyRules,
  ...limitRules,
  ...credentialRules,
  ...trustRules,
  ...oauthRules,
  ...federationRules,
};
