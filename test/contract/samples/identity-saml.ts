// Sample requests for Identity's federation by SAML.
import type { Client } from '../../support/raw.ts';
import { authBody } from '../../services/identity/support.ts';
import type { Tools } from './identity-delegation.ts';
import type { Sample, Samples } from './model.ts';

const root = '/OS-FEDERATION';

/** The samples, by operationId. */
export function samlSamples({ ask, fresh }: Tools, client: Client): Samples {
  const put = async (path: string, body: object): Promise<void> => {
    const reply = await ask('PUT', `${root}/${path}`, body);
    if (reply.status !== 201) throw new Error(`PUT ${path}: ${reply.status} ${reply.text}`);
  };
  /** A request for an assertion about the user of a new token, for a new service provider. */
  const assertionRequest = async (): Promise<Sample> => {
    const id = fresh('provider');
    const urls = { auth_url: 'https://other/v3', sp_url: 'https://other/saml' };
    await put(`service_providers/${id}`, { service_provider: { ...urls, enabled: true } });
    const { headers } = await ask('POST', '/auth/tokens', authBody());
    const token = headers['x-subject-token'] as string;
    return {
      body: {
        auth: {
          identity: { methods: ['token'], token: { id: token } },
          scope: { service_provider: { id } },
        },
      },
    };
  };
  const issuer = { params: { issuer: 'partner' } };
  /** A request of this cloud for an assertion, which a client takes to an identity provider. */
  const authenticationRequest = async (): Promise<string> => {
    const [id, rules] = [fresh('saml'), [{ local: [], remote: [{ type: 'REMOTE_USER' }] }]];
    const at = `identity_providers/${id}`;
    await put(`mappings/${id}`, { mapping: { rules } });
    await put(at, { identity_provider: { domain_id: 'default', enabled: true } });
    await put(`${at}/protocols/saml2`, { protocol: { mapping_id: id } });
    const headers = { accept: 'application/vnd.paos+xml', paos: 'x' };
    const path = `/identity/v3${root}/${at}/protocols/saml2/auth`;
    return (await client.send('GET', path, headers)).text;
  };
  /** The same, for a new user of the identity provider for tests. */
  const login = async (): Promise<Sample & { readonly body: string }> => {
    const user = fresh('user');
    const path = `/_emulator/oidc/partner/users/${user}`;
    await client.ask('emulator', 'PUT', path, { token: null, body: { password: 'pw' } });
    const authorization = `Basic ${Buffer.from(`${user}:pw`).toString('base64')}`;
    const headers = { authorization, 'content-type': 'text/xml' };
    return { ...issuer, headers, body: await authenticationRequest() };
  };
  /** The answer to such a request, with its relay state. */
  const answer = async (): Promise<Sample> => {
    const { headers, body } = await login();
    const { text } = await client.send('POST', '/identity/saml/partner/ecp', headers!, body);
    const [state = ''] = /<ecp:RelayState.*<\/ecp:RelayState>/s.exec(body) ?? [];
    return {
      headers: { 'content-type': 'application/vnd.paos+xml' },
      body: text.replace(/<ecp:Response.*<\/ecp:Response>/s, state),
    };
  };
  return {
    'saml_providers:show': () => issuer,
    'saml_providers:check': () => issuer,
    'saml_provider_assertions:create': login,
    'saml_service_provider:show': () => ({}),
    'saml_service_provider:check': () => ({}),
    'saml_sessions:create': answer,
    'saml_metadata:show': () => ({}),
    'saml_metadata:check': () => ({}),
    'saml_assertions:create': assertionRequest,
    'ecp_assertions:create': assertionRequest,
  };
}
