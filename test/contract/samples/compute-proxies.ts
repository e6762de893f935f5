// Sample requests of compute that it only passes on to other services.
import { cirrosId } from '../../../src/services/image/index.ts';
import type { Client } from '../../support/raw.ts';
import type { Sample, Samples } from './model.ts';

type Fields = Record<string, Record<string, string>>;

export async function proxySamples(client: Client): Promise<Samples> {
  const send = async (
    service: string,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Fields> => {
    const reply = await client.ask(service, method, path, body === undefined ? {} : { body });
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body as Fields;
  };
  const ask = (method: string, path: string, body?: unknown): Promise<Fields> =>
    send('compute', method, `/compute/v2.1${path}`, body);
  const limits = { security_group: -1, security_group_rule: -1, floatingip: -1 };
  await send('network', 'PUT', '/network/v2.0/quotas/admin', { quota: limits });
  await send('volume', 'PUT', '/volume/v3/os-quota-sets/admin', {
    quota_set: { volumes: -1, gigabytes: -1, snapshots: -1 },
  });
  let count = 0;
  const fresh = (noun: string): string => `${noun}-${++count}`;

  const image = async (): Promise<string> => {
    const made = await send('image', 'POST', '/image/v2/images', { name: fresh('image'), a: 'b' });
    return (made as unknown as { id: string }).id;
  };
  let described: string | undefined;
  const withMetadata = async (id?: string): Promise<Sample> => {
    described ??= await image();
    await ask('PUT', `/images/${described}/metadata`, { metadata: { a: 'b' } });
    return { params: { image_id: described, ...(id === undefined ? {} : { id }) } };
  };
  const newGroup = (): object => ({ security_group: { name: fresh('group'), description: 'd' } });
  const group = async (): Promise<string> =>
    (await ask('POST', '/os-security-groups', newGroup()))['security_group']!['id']!;
  let ruled: string | undefined;
  let port = 0;
  const newRule = async (): Promise<object> => {
    ruled ??= await group();
    port = (port % 60_000) + 1;
    return {
      security_group_rule: {
        parent_group_id: ruled,
        ip_protocol: 'tcp',
        from_port: port,
        to_port: String(port),
      },
    };
  };
  const rule = async (): Promise<string> =>
    (await ask('POST', '/os-security-group-rules', await newRule()))['security_group_rule']!['id']!;
  /** Pools have an end, so all that was taken goes back first. */
  const dropFloating = async (): Promise<void> => {
    const { floating_ips: all } = (await ask('GET', '/os-floating-ips')) as unknown as {
      floating_ips: { id: string }[];
    };
    for (const { id } of all) await ask('DELETE', `/os-floating-ips/${id}`);
  };
  const floating = async (): Promise<string> => {
    await dropFloating();
    return (await ask('POST', '/os-floating-ips', { pool: 'public' }))['floating_ip']!['id']!;
  };
  const network = async (): Promise<string> => {
    const { networks } = (await ask('GET', '/os-networks')) as unknown as {
      networks: { id: string }[];
    };
    return networks[0]!.id;
  };
  const volume = async (): Promise<string> =>
    (await ask('POST', '/os-volumes', { volume: { size: 1 } }))['volume']!['id']!;
  let source: string | undefined;
  const newSnapshot = async (): Promise<object> => ({
    snapshot: { volume_id: (source ??= await volume()), force: 'True' },
  });
  const snapshot = async (): Promise<string> =>
    (await ask('POST', '/os-snapshots', await newSnapshot()))['snapshot']!['id']!;
  const byId =
    (make: () => Promise<string>, more: Sample = {}) =>
    async (): Promise<Sample> => ({
      params: { id: await make() },
      ...more,
    });
  const cirros = (): Promise<string> => Promise.resolve(cirrosId);
  const page = (): Sample => ({ query: 'limit=1&offset=0' });

  return {
    'images:list': () => ({ query: 'limit=1&name=cirros&minRam=0' }),
    'images:detail': () => ({
      query: 'status=ACTIVE&limit=2&page_size=1&changes-since=2020-01-01T00:00:00Z',
    }),
    'images:show': byId(cirros),
    'images:delete': byId(image),
    'image_metadata:list': () => withMetadata(),
    'image_metadata:create': async () => ({
      ...(await withMetadata()),
      body: { metadata: { c: 'd' } },
    }),
    'image_metadata:replace': async () => ({
      ...(await withMetadata()),
      body: { metadata: { c: 'e' } },
    }),
    'image_metadata:show': () => withMetadata('a'),
    'image_metadata:update': async () => ({
      ...(await withMetadata('a')),
      body: { meta: { a: 'c' } },
    }),
    'image_metadata:delete': () => withMetadata('a'),
    'security_groups:list': () => ({ query: 'all_tenants=1&limit=2&offset=0' }),
    'security_groups:create': () => ({ body: newGroup() }),
    'security_groups:show': byId(group),
    'security_groups:update': async () => ({ params: { id: await group() }, body: newGroup() }),
    'security_groups:delete': byId(group),
    'security_group_rules:create': async () => ({ body: await newRule() }),
    'security_group_rules:delete': byId(rule),
    'floating_ip_pools:list': () => ({}),
    'floating_ips:list': () => ({}),
    'floating_ips:create': async () => (await dropFloating(), { body: { pool: 'public' } }),
    'floating_ips:show': byId(floating),
    'floating_ips:delete': byId(floating),
    'networks:list': () => ({}),
    'networks:show': byId(network),
    'tenant_networks:list': () => ({}),
    'tenant_networks:show': byId(network),
    'volumes:list': page,
    'volumes:detail': page,
    'volumes:create': () => ({
      body: { volume: { size: '1', display_name: fresh('volume'), metadata: { a: 'b' } } },
    }),
    'volumes:show': byId(volume),
    'volumes:delete': byId(volume),
    'snapshots:list': page,
    'snapshots:detail': page,
    'snapshots:create': async () => ({ body: await newSnapshot() }),
    'snapshots:show': byId(snapshot),
    'snapshots:delete': byId(snapshot),
  };
}
