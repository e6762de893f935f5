// Sample requests for Identity's federation.
import type { Client } from '../../support/raw.ts';
import type { Tools } from './identity-delegation.ts';
import type { Sample, Samples } from './model.ts';

const root = '/OS-FEDERATION';
const rules = [
  {
    local: [
      { user: { name: '{0}' }, group: { id: 'g' } },
      { groups: '{1}', domain: { id: 'd' } },
    ],
    remote: [{ type: 'NAME' }, { type: 'GROUPS', whitelist: ['a'], regex: true }],
  },
];
const formType = { 'content-type': 'application/x-www-form-urlencoded' };
const urls = { auth_url: 'https://other/v3', sp_url: 'https://other/saml' };

/** The samples, by operationId. */
export function federationSamples({ ask, fresh }: Tools, client: Client): Samples {
  const control = (method: string, path: string, body: object) =>
    client.ask('emulator', method, `/_emulator${path}`, { token: null, body });
  const oidc = (method: string, path: string, sent: { headers: object; body: string }) =>
    client.ask('identity', method, `/identity/oidc/partner${path}`, {
      token: null,
      ...sent,
    } as never);
  const put = async (path: string, body: object): Promise<void> => {
    const reply = await ask('PUT', `${root}/${path}`, body);
    if (reply.status !== 201) throw new Error(`PUT ${path}: ${reply.status} ${reply.text}`);
  };
  const mapping = async (): Promise<string> => {
    const id = fresh('mapping');
    await put(`mappings/${id}`, { mapping: { rules } });
    return id;
  };
  const provider = async (remoteIds = [fresh('remote')]): Promise<string> => {
    const id = fresh('provider');
    const fields = { domain_id: 'default', enabled: true, remote_ids: remoteIds };
    await put(`identity_providers/${id}`, { identity_provider: fields });
    return id;
  };
  const protocol = async (): Promise<Sample> => {
    const [id, mappingId] = [await provider(), await mapping()];
    const body = { protocol: { mapping_id: mappingId, remote_id_attribute: 'ISS' } };
    await put(`identity_providers/${id}/protocols/openid`, body);
    return { params: { identity_provider_id: id, protocol_id: 'openid' } };
  };
  const serviceProvider = async (): Promise<Sample> => {
    const id = fresh('provider');
    await put(`service_providers/${id}`, { service_provider: urls });
    return { params: { service_provider_id: id } };
  };
  let user = '';
  /** A token of the OpenID provider for tests, for a new user. */
  const bearer = async (): Promise<Sample['headers']> => {
    user = fresh('user');
    await control('PUT', `/oidc/partner/users/${user}`, { password: 'pw' });
    const reply = await oidc('POST', '/token', {
      headers: formType,
      body: `grant_type=password&username=${user}&password=pw`,
    });
    return { authorization: `Bearer ${(reply.body as { access_token: string }).access_token}` };
  };
  /** A protocol with a mapping that applies, of a provider that takes tokens of any issuer. */
  const signIn = async (): Promise<Sample> => {
    const [id, mappingId] = [await provider([]), fresh('mapping')];
    const subject = { local: [{ user: { name: '{0}' } }], remote: [{ type: 'HTTP_OIDC_SUB' }] };
    await put(`mappings/${mappingId}`, { mapping: { rules: [subject] } });
    const protocol_ = { mapping_id: mappingId };
    await put(`identity_providers/${id}/protocols/openid`, { protocol: protocol_ });
    return {
      params: { identity_provider_id: id, protocol_id: 'openid' },
      headers: { ...(await bearer()) },
    };
  };
  const dashboard = 'http://dashboard/auth/websso/';
  /** A request for single sign-on, with an assertion whose user is the remote id. */
  const singleSignOn = async (): Promise<Sample> => {
    await control('PUT', '/identity/settings', { trusted_dashboard: [dashboard] });
    const headers = (await bearer())!;
    const [id, mappingId] = [await provider([user]), fresh('mapping')];
    const subject = { local: [{ user: { name: '{0}' } }], remote: [{ type: 'HTTP_OIDC_SUB' }] };
    await put(`mappings/${mappingId}`, { mapping: { rules: [subject] } });
    const fields = { mapping_id: mappingId, remote_id_attribute: 'HTTP_OIDC_SUB' };
    await put(`identity_providers/${id}/protocols/saml2`, { protocol: fields });
    return {
      params: { identity_provider_id: id, protocol_id: 'saml2' },
      query: `origin=${encodeURIComponent(dashboard)}`,
      headers,
    };
  };
  const issuer = { params: { issuer: 'partner' } };
  const code = async (): Promise<Sample> => {
    await bearer();
    return {
      ...issuer,
      query:
        'response_type=code&client_id=cli&redirect_uri=http://client&state=s&nonce=n&scope=openid',
      headers: { authorization: `Basic ${Buffer.from(`${user}:pw`).toString('base64')}` },
    };
  };
  const oneProvider = async () => ({ params: { identity_provider_id: await provider() } });
  const oneMapping = async () => ({ params: { mapping_id: await mapping() } });
  return {
    'federated_tokens:create': signIn,
    'federated_tokens:show': signIn,
    'federated_tokens:check': signIn,
    'websso:show': singleSignOn,
    'websso:check': singleSignOn,
    'websso:create': singleSignOn,
    'identity_providers_websso:show': singleSignOn,
    'identity_providers_websso:check': singleSignOn,
    'identity_providers_websso:create': singleSignOn,
    'federated_projects:list': () => ({}),
    'federated_projects:check': () => ({}),
    'federated_domains:list': () => ({}),
    'federated_domains:check': () => ({}),
    'oidc_providers:show': () => issuer,
    'oidc_providers:check': () => issuer,
    'oidc_keys:list': () => issuer,
    'oidc_keys:check_list': () => issuer,
    'oidc_codes:show': code,
    'oidc_codes:check': code,
    'oidc_tokens:create': async () => {
      await bearer();
      return {
        ...issuer,
        headers: formType,
        body: `grant_type=password&username=${user}&password=pw&client_id=cli&scope=openid`,
      };
    },
    ...plain('identity_providers', oneProvider),
    'identity_providers:create': () => ({
      params: { identity_provider_id: fresh('provider') },
      body: {
        identity_provider: {
          domain_id: 'default',
          enabled: true,
          description: 'd',
          authorization_ttl: 5,
          remote_ids: [fresh('remote')],
        },
      },
    }),
    'identity_providers:update': async () => ({
      ...(await oneProvider()),
      body: { identity_provider: { description: 'e', authorization_ttl: 6, remote_ids: [] } },
    }),
    ...plain('protocols', protocol, oneProvider),
    'protocols:create': async () => ({
      params: { identity_provider_id: await provider(), protocol_id: 'openid' },
      body: { protocol: { mapping_id: await mapping(), remote_id_attribute: 'ISS' } },
    }),
    'protocols:update': async () => ({
      ...(await protocol()),
      body: { protocol: { mapping_id: await mapping(), remote_id_attribute: 'OTHER' } },
    }),
    ...plain('mappings', oneMapping),
    'mappings:create': () => ({
      params: { mapping_id: fresh('mapping') },
      body: { mapping: { rules, schema_version: '2.0' } },
    }),
    'mappings:update': async () => ({ ...(await oneMapping()), body: { mapping: { rules } } }),
    ...plain('service_providers', serviceProvider),
    'service_providers:create': () => ({
      params: { service_provider_id: fresh('provider') },
      body: { service_provider: { ...urls, description: 'd', enabled: true } },
    }),
    'service_providers:update': async () => ({
      ...(await serviceProvider()),
      body: { service_provider: { enabled: true, relay_state_prefix: 'x' } },
    }),
  };
}

/** The operations without a body. */
function plain(
  noun: string,
  one: () => Promise<Sample>,
  parent: () => Sample | Promise<Sample> = () => ({}),
): Samples {
  return {
    [`${noun}:list`]: parent,
    [`${noun}:check_list`]: parent,
    [`${noun}:show`]: one,
    [`${noun}:check`]: one,
    [`${noun}:delete`]: one,
  };
}
