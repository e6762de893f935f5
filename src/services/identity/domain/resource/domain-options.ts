// The options in the configuration of a domain, with their defaults. Upstream: DomainConfigManager
// in resource/core.py.

export type OptionValues = Readonly<Record<string, unknown>>;

/** The options that can be written and read, by group. */
export const readable: Readonly<Record<string, OptionValues>> = {
  identity: {
    driver: 'sql',
    list_limit: null,
  },
  ldap: {
    url: 'ldap://localhost',
    user: null,
    suffix: 'cn=example,cn=com',
    query_scope: 'one',
    page_size: 0,
    alias_dereferencing: 'default',
    debug_level: null,
    chase_referrals: null,
    user_tree_dn: null,
    user_filter: null,
    user_objectclass: 'inetOrgPerson',
    user_id_attribute: 'cn',
    user_name_attribute: 'sn',
    user_mail_attribute: 'mail',
    user_description_attribute: 'description',
    user_pass_attribute: 'userPassword',
    user_enabled_attribute: 'enabled',
    user_enabled_invert: false,
    user_enabled_mask: 0,
    user_enabled_default: 'True',
    user_attribute_ignore: ['default_project_id'],
    user_default_project_id_attribute: null,
    user_enabled_emulation: false,
    user_enabled_emulation_dn: null,
    user_enabled_emulation_use_group_config: false,
    user_additional_attribute_mapping: [],
    group_tree_dn: null,
    group_filter: null,
    group_objectclass: 'groupOfNames',
    group_id_attribute: 'cn',
    group_name_attribute: 'ou',
    group_members_are_ids: false,
    group_member_attribute: 'member',
    group_desc_attribute: 'description',
    group_attribute_ignore: [],
    group_additional_attribute_mapping: [],
    tls_cacertfile: null,
    tls_cacertdir: null,
    use_tls: false,
    tls_req_cert: 'demand',
    use_pool: true,
    pool_size: 10,
    pool_retry_max: 3,
    pool_retry_delay: 0.1,
    pool_connection_timeout: -1,
    pool_connection_lifetime: 600,
    use_auth_pool: true,
    auth_pool_size: 100,
    auth_pool_connection_lifetime: 60,
  },
};

/** The options that can only be written, by group. */
export const sensitive: Readonly<Record<string, readonly string[]>> = { ldap: ['password'] };
