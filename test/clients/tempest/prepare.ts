// What tempest must know of a cloud; and what it wants there: a second image, a way out of the shared network, a volume type.

interface Named {
  readonly id: string;
  readonly name: string;
}

type Ask = <T>(method: string, path: string, body?: object | string, type?: string) => Promise<T>;

/** Asks the cloud at that address as the administrator. */
async function asAdministrator(origin: string): Promise<Ask> {
  const token = await signIn(origin);
  return async <T>(method: string, path: string, body?: object | string, type = 'application/json'): Promise<T> => {
    const headers = { 'x-auth-token': token, 'content-type': type };
    const text = typeof body === 'object' ? JSON.stringify(body) : body;
    const reply = await fetch(origin + path, { method, headers, ...(text === undefined ? {} : { body: text }) });
    if (!reply.ok) throw new Error(`${method} ${path} -> ${reply.status} ${await reply.text()}`);
    return (reply.status === 204 ? undefined : await reply.json()) as T;
  };
}

async function makeImage(ask: Ask, name: string): Promise<Named> {
  const fields = { name, visibility: 'public', disk_format: 'raw', container_format: 'bare' };
  const image = await ask<Named>('POST', '/image/v2/images', fields);
  await ask('PUT', `/image/v2/images/${image.id}/file`, 'x'.repeat(1024), 'application/octet-stream');
  return image;
}

/** The names that stand in `tempest.yaml`, for the cloud at that address. */
export async function prepare(origin: string): Promise<Record<string, string>> {
  const ask = await asAdministrator(origin);
  const { images } = await ask<{ images: Named[] }>('GET', '/image/v2/images');
  const other = await makeImage(ask, 'other');
  const network = async (name: string): Promise<Named & { subnets: string[] }> =>
    (await ask<{ networks: (Named & { subnets: string[] })[] }>('GET', `/network/v2.0/networks?name=${name}`)).networks[0]!;
  const outside = await network('public');
  const type = { name: 'multiattach', extra_specs: { multiattach: '<is> True' } };
  await ask('POST', '/volume/v3/types', { volume_type: type });
  const { extensions } = await ask<{ extensions: { alias: string }[] }>('GET', '/network/v2.0/extensions');
  return {
    origin,
    image: images[0]!.id,
    otherImage: other.id,
    publicNetwork: outside.id,
    networkExtensions: extensions.map(({ alias }) => alias).join(','),
  };
}

/** Makes what the plugin's specs name: two images, a second flavor, a network for everybody; and room for clusters of twenty. */
export async function prepareClustering(origin: string): Promise<Record<string, string>> {
  const ask = await asAdministrator(origin);
  for (const name of ['cirros-0.4.0-x86_64-disk', 'new_image']) await makeImage(ask, name);
  const flavor = { name: 'new_flavor', ram: 256, vcpus: 1, disk: 1 };
  await ask('POST', '/compute/v2.1/flavors', { flavor });
  const network = { name: 'private', shared: true };
  const { network: made } = await ask<{ network: Named }>('POST', '/network/v2.0/networks', { network });
  const subnet = { network_id: made.id, name: 'private-subnet', cidr: '10.1.0.0/16', ip_version: 4 };
  await ask('POST', '/network/v2.0/subnets', { subnet });
  const quota_class_set = { instances: 100, cores: 100, ram: 102_400 };
  await ask('PUT', '/compute/v2.1/os-quota-class-sets/default', { quota_class_set });
  return { origin };
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
