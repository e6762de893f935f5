// Sample requests for Identity's federation.
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
const urls = { auth_url: 'https://other/v3', sp_url: 'https://other/saml' };

/** The samples, by operationId. */
export function federationSamples({ ask, fresh }: Tools): Samples {
  const put = async (path: string, body: object): Promise<void> => {
    const reply = await ask('PUT', `${root}/${path}`, body);
    if (reply.status !== 201) throw new Error(`PUT ${path}: ${reply.status} ${reply.text}`);
  };
  const mapping = async (): Promise<string> => {
    const id = fresh('mapping');
    await put(`mappings/${id}`, { mapping: { rules } });
    return id;
  };
  const provider = async (): Promise<string> => {
    const id = fresh('provider');
    const fields = { domain_id: 'default', enabled: true, remote_ids: [fresh('remote')] };
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
  const oneProvider = async () => ({ params: { identity_provider_id: await provider() } });
  const oneMapping = async () => ({ params: { mapping_id: await mapping() } });
  return {
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
