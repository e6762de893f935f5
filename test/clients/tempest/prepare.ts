// What tempest must know of a cloud; and what it wants there: a second image, a way out of the shared network, a volume type.

interface Named {
  readonly id: string;
  readonly name: string;
}

/** The names that stand in `tempest.yaml`, for the cloud at that address. */
export async function prepare(origin: string): Promise<Record<string, string>> {
  const token = await signIn(origin);
  const ask = async <T>(method: string, path: string, body?: string, type = 'application/json'): Promise<T> => {
    const headers = { 'x-auth-token': token, 'content-type': type };
    const reply = await fetch(origin + path, { method, headers, ...(body === undefined ? {} : { body }) });
    if (!reply.ok) throw new Error(`${method} ${path} -> ${reply.status} ${await reply.text()}`);
    return (reply.status === 204 ? undefined : await reply.json()) as T;
  };
  const { images } = await ask<{ images: Named[] }>('GET', '/image/v2/images');
  const fields = { name: 'other', visibility: 'public', disk_format: 'raw', container_format: 'bare' };
  const other = await ask<Named>('POST', '/image/v2/images', JSON.stringify(fields));
  await ask('PUT', `/image/v2/images/${other.id}/file`, 'x'.repeat(1024), 'application/octet-stream');
  const network = async (name: string): Promise<Named & { subnets: string[] }> =>
    (await ask<{ networks: (Named & { subnets: string[] })[] }>('GET', `/network/v2.0/networks?name=${name}`)).networks[0]!;
  const outside = await network('public');
  const router = { name: 'shared', external_gateway_info: { network_id: outside.id } };
  const made = await ask<{ router: Named }>('POST', '/network/v2.0/routers', JSON.stringify({ router }));
  const [subnet_id] = (await network('shared')).subnets;
  await ask('PUT', `/network/v2.0/routers/${made.router.id}/add_router_interface`, JSON.stringify({ subnet_id }));
  const type = { name: 'multiattach', extra_specs: { multiattach: '<is> True' } };
  await ask('POST', '/volume/v3/types', JSON.stringify({ volume_type: type }));
  const { extensions } = await ask<{ extensions: { alias: string }[] }>('GET', '/network/v2.0/extensions');
  return {
    origin,
    image: images[0]!.id,
    otherImage: other.id,
    publicNetwork: outside.id,
    networkExtensions: extensions.map(({ alias }) => alias).join(','),
  };
}

async function signIn(origin: string): Promise<string> {
  const domain = { id: 'default' };
  const user = { name: 'admin', password: 'secret', domain };
  const auth = { identity: { methods: ['password'], password: { user } }, scope: { project: { name: 'admin', domain } } };
  const body = JSON.stringify({ auth });
  const reply = await fetch(`${origin}/identity/v3/auth/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return reply.headers.get('x-subject-token')!;
}
