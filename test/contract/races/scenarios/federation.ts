// Concurrent writes of identity providers, protocols, mappings and service providers.
import { mustSucceed, type RequestSpec, type Scenario } from '../races.ts';

const root = '/identity/v3/OS-FEDERATION';
const rules = (type: string): object => ({
  rules: [{ local: [{ user: { name: '{0}' } }], remote: [{ type }] }],
});
const urls = { auth_url: 'https://other/v3', sp_url: 'https://other/saml' };

const issuer = '/identity/oidc/partner';
const signIn = (name: string, assertion: string): RequestSpec => [
  'POST',
  `${root}/identity_providers/${name}/protocols/openid/auth`,
  { assertion },
];

const dashboard = 'http://dashboard/auth/websso/';
const singleSignOn = (name: string, assertion: string): RequestSpec => [
  'POST',
  `/identity/v3/auth/OS-FEDERATION/identity_providers/${name}/protocols/openid/websso` +
    `?origin=${encodeURIComponent(dashboard)}`,
  { assertion },
];

export const federationScenarios: readonly Scenario[] = [
  {
    name: 'an identity provider, its domain, its protocol and its mapping',
    async setup(send, name) {
      const made: RequestSpec = [
        'POST',
        '/identity/v3/domains',
        { domain: { name, enabled: false } },
      ];
      const domain = await mustSucceed(send, made, 'domain.id');
      const provider = { domain_id: domain, remote_ids: [`r-${name}`] };
      const at = `${root}/identity_providers/${name}`;
      await mustSucceed(send, ['PUT', at, { identity_provider: provider }]);
      await mustSucceed(send, ['PUT', `${root}/mappings/${name}`, { mapping: rules('A') }]);
      const protocol = { mapping_id: name };
      await mustSucceed(send, ['PUT', `${at}/protocols/openid`, { protocol }]);
      return { domain };
    },
    writes: ({ domain }, name) => {
      const at = `${root}/identity_providers/${name}`;
      const other = `${root}/identity_providers/other-${name}`;
      const update = (fields: object): RequestSpec => ['PATCH', at, { identity_provider: fields }];
      return {
        'enable the provider': update({ enabled: true }),
        'describe the provider': update({ description: 'new' }),
        'replace the remote ids': update({ remote_ids: [`s-${name}`] }),
        'delete the provider': ['DELETE', at],
        'create another provider with the remote id': [
          'PUT',
          other,
          { identity_provider: { domain_id: domain, remote_ids: [`s-${name}`] } },
        ],
        'delete the domain': ['DELETE', `/identity/v3/domains/${domain}`],
        'add a protocol': ['PUT', `${at}/protocols/mapped`, { protocol: { mapping_id: name } }],
        'update the protocol': [
          'PATCH',
          `${at}/protocols/openid`,
          { protocol: { mapping_id: name, remote_id_attribute: 'ISS' } },
        ],
        'delete the protocol': ['DELETE', `${at}/protocols/openid`],
        'update the mapping': ['PATCH', `${root}/mappings/${name}`, { mapping: rules('B') }],
        'delete the mapping': ['DELETE', `${root}/mappings/${name}`],
      };
    },
    reads: ({ domain }, name) => [
      `${root}/identity_providers/${name}`,
      `${root}/identity_providers/other-${name}`,
      `${root}/identity_providers/${name}/protocols`,
      `${root}/mappings/${name}`,
      `/identity/v3/domains/${domain}`,
    ],
  },
  {
    name: 'a user who signs in, with a group and a project, and the identity provider',
    async setup(send, name) {
      const user: RequestSpec = [
        'PUT',
        `/_emulator/oidc/partner/users/${name}`,
        { password: 'pw', claims: { email: name } },
      ];
      await mustSucceed(send, user);
      const settings = { trusted_dashboard: [dashboard] };
      await mustSucceed(send, ['PUT', '/_emulator/identity/settings', settings]);
      const form = `grant_type=password&username=${name}&password=pw`;
      const assertion = await mustSucceed(send, ['POST', `${issuer}/token`, form], 'access_token');
      const made: RequestSpec = ['POST', '/identity/v3/groups', { group: { name: `g-${name}` } }];
      const group = await mustSucceed(send, made, 'group.id');
      const local = [
        { user: { name: '{0}', email: '{1}' } },
        { group: { name: `g-${name}`, domain: { id: 'default' } } },
        { projects: [{ name: `p-${name}`, roles: [{ name: 'member' }] }] },
      ];
      const remote = [{ type: 'HTTP_OIDC_SUB' }, { type: 'HTTP_OIDC_EMAIL' }];
      const mapping = { rules: [{ local, remote }] };
      await mustSucceed(send, ['PUT', `${root}/mappings/${name}`, { mapping }]);
      const at = `${root}/identity_providers/${name}`;
      const provider = { domain_id: 'default', enabled: true, authorization_ttl: 10 };
      await mustSucceed(send, ['PUT', at, { identity_provider: provider }]);
      const protocol = { mapping_id: name };
      await mustSucceed(send, ['PUT', `${at}/protocols/openid`, { protocol }]);
      return { group, assertion };
    },
    writes: ({ group, assertion }, name) => {
      const at = `${root}/identity_providers/${name}`;
      return {
        'sign in': signIn(name, assertion!),
        'sign in again': signIn(name, assertion!),
        'sign in to a dashboard': singleSignOn(name, assertion!),
        'disable the provider': ['PATCH', at, { identity_provider: { enabled: false } }],
        'delete the provider': ['DELETE', at],
        'delete the protocol': ['DELETE', `${at}/protocols/openid`],
        'delete the mapping': ['DELETE', `${root}/mappings/${name}`],
        'delete the group': ['DELETE', `/identity/v3/groups/${group}`],
        'create the project': [
          'POST',
          '/identity/v3/projects',
          { project: { name: `p-${name}`, domain_id: 'default' } },
        ],
      };
    },
    reads: ({ group }, name) => [
      `${root}/identity_providers/${name}`,
      `/identity/v3/users?name=${name}`,
      `/identity/v3/users?unique_id=${name}`,
      `/identity/v3/groups/${group}`,
      `/identity/v3/projects?name=p-${name}`,
    ],
  },
  {
    name: 'a service provider',
    async setup(send, name) {
      const made: RequestSpec = [
        'PUT',
        `${root}/service_providers/${name}`,
        { service_provider: urls },
      ];
      await mustSucceed(send, made);
      return {};
    },
    writes: (_ids, name) => {
      const at = `${root}/service_providers/${name}`;
      const update = (fields: object): RequestSpec => ['PATCH', at, { service_provider: fields }];
      return {
        'enable the provider': update({ enabled: true }),
        'describe the provider': update({ description: 'new' }),
        'delete the provider': ['DELETE', at],
        'register the provider again': ['PUT', at, { service_provider: urls }],
      };
    },
    reads: (_ids, name) => [`${root}/service_providers/${name}`],
  },
];
