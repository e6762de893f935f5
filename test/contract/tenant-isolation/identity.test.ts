// Tests tenant isolation in Identity, with a reader and a manager of another domain, and a member
// and a reader of a project in that domain.
import { authBody, ids } from '../../services/identity/support.ts';
import type { Client } from '../../support/raw.ts';
import { testTenantIsolation, type OtherTenant } from './tenant-isolation.ts';

/**
 * Creates a domain with a project and users that have a role in either, and signs these users in.
 */
async function createOtherTenants(client: Client): Promise<OtherTenant[]> {
  const send = async (
    method: string,
    path: string,
    body: object | undefined,
    token: string | null,
  ) =>
    client.ask('identity', method, `/identity/v3${path}`, {
      token,
      ...(body === undefined ? {} : { body }),
    });
  const admin = (await send('POST', '/auth/tokens', authBody(), null)).headers[
    'x-subject-token'
  ] as string;
  const make = async (noun: string, fields: object): Promise<string> => {
    const reply = await send('POST', `/${noun}s`, { [noun]: fields }, admin);
    if (reply.status !== 201) throw new Error(reply.text);
    return (reply.body as Record<string, { id: string }>)[noun]!.id;
  };
  const domain = await make('domain', { name: 'elsewhere' });
  const project = await make('project', { name: 'elsewhere', domain_id: domain });
  const signedIn = async (role: string, scopeType: 'domain' | 'project'): Promise<OtherTenant> => {
    const id = await make('user', {
      name: `${scopeType} ${role}`,
      password: 'pw',
      domain_id: domain,
    });
    const scopeId = scopeType === 'domain' ? domain : project;
    await send(
      'PUT',
      `/${scopeType}s/${scopeId}/users/${id}/roles/${ids.role(role)}`,
      undefined,
      admin,
    );
    const identity = { methods: ['password'], password: { user: { id, password: 'pw' } } };
    const reply = await send(
      'POST',
      '/auth/tokens',
      authBody({ identity, scope: { [scopeType]: { id: scopeId } } }),
      null,
    );
    if (reply.status !== 201) throw new Error(reply.text);
    return {
      who: `a ${scopeType}’s ${role}`,
      caller: { token: reply.headers['x-subject-token'] as string, headers: {} },
    };
  };
  return [
    await signedIn('manager', 'domain'),
    await signedIn('reader', 'domain'),
    await signedIn('member', 'project'),
    await signedIn('reader', 'project'),
  ];
}

/**
 * Operations for every user. Lists contain only public resources and those of the caller's own
 * domain or project.
 */
const open = [
  'auth_tokens:create',
  'oauth2_tokens:create',
  'federated_tokens:create',
  'federated_tokens:show',
  'federated_tokens:check',
  'saml_providers:show',
  'saml_providers:check',
  'saml_provider_assertions:create',
  'saml_service_provider:show',
  'saml_service_provider:check',
  'saml_sessions:create',
  'saml_metadata:show',
  'saml_metadata:check',
  'saml_assertions:create',
  'ecp_assertions:create',
  'websso:show',
  'websso:check',
  'websso:create',
  'identity_providers_websso:show',
  'identity_providers_websso:check',
  'identity_providers_websso:create',
  'federated_projects:list',
  'federated_projects:check',
  'federated_domains:list',
  'federated_domains:check',
  'oidc_providers:show',
  'oidc_providers:check',
  'oidc_keys:list',
  'oidc_keys:check_list',
  'oidc_codes:show',
  'oidc_codes:check',
  'oidc_tokens:create',
  'request_tokens:create',
  'access_tokens:create',
  'auth_catalog:show',
  'auth_catalog:check',
  'users:change_password',
  'role_assignments:list',
  'role_assignments:check',
  'limit_model:show',
  'limit_model:check',
  'auth_projects:list',
  'auth_projects:check',
  'auth_domains:list',
  'auth_domains:check',
  'auth_system:list',
  'auth_system:check',
  'versions:list',
  'versions:check_list',
  'versions:show',
  'versions:check',
  'users:list',
  'users:check_list',
  'groups:list',
  'groups:check_list',
  'projects:list',
  'projects:check_list',
  'domains:list',
  'domains:check_list',
  'roles:list',
  'roles:check_list',
  'regions:list',
  'regions:check_list',
  'registered_limits:list',
  'registered_limits:check_list',
  'limits:list',
  'limits:check_list',
  'credentials:list',
  'credentials:check_list',
  'regions:show',
  'regions:check',
  'registered_limits:show',
  'registered_limits:check',
];

const secret = new RegExp(
  `"domain_id": ?"default"|"(user_id|project_id)": ?"(${ids.admin}|${ids.adminProject})"`,
);

testTenantIsolation('identity', { open, otherTenants: createOtherTenants, secret });
