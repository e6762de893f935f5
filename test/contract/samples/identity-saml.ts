// Sample requests for Identity's federation by SAML.
import { authBody } from '../../services/identity/support.ts';
import type { Tools } from './identity-delegation.ts';
import type { Sample, Samples } from './model.ts';

const root = '/OS-FEDERATION';

/** The samples, by operationId. */
export function samlSamples({ ask, fresh }: Tools): Samples {
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
  return {
    'saml_metadata:show': () => ({}),
    'saml_metadata:check': () => ({}),
    'saml_assertions:create': assertionRequest,
    'ecp_assertions:create': assertionRequest,
  };
}
