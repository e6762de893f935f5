// Sample requests of compute about servers.
import { cirrosId } from '../../../src/services/image/index.ts';
import type { Client } from '../../support/raw.ts';
import type { Sample, Samples } from './model.ts';

type Fields = Record<string, Record<string, never>>;

const newest = '2.104';
const minor = (version: string): number => Number(version.split('.')[1]);

export async function serverSamples(client: Client): Promise<Samples> {
  const send = async (
    service: string,
    method: string,
    path: string,
    body?: unknown,
    version?: string,
  ): Promise<Fields> => {
    const reply = await client.ask(service, method, path, {
      ...(version ? { version } : {}),
      ...(body === undefined ? {} : { body }),
    });
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body as Fields;
  };
  const ask = (method: string, path: string, body?: unknown, version = newest): Promise<Fields> =>
    send('compute', method, `/compute/v2.1${path}`, body, version);
  const newServer = (version: string, fields: object = {}): object => ({
    server: {
      name: 'sample',
      flavorRef: '42',
      imageRef: cirrosId,
      ...(minor(version) >= 37 ? { networks: 'none' } : {}),
      ...fields,
    },
  });
  const made = async (): Promise<string> =>
    (await ask('POST', '/servers', newServer(newest)))['server']!['id']!;
  const shown = (id: string): Promise<Fields> => ask('GET', `/servers/${id}`);

  const main = await made();
  await shown(main);
  let moving: string | undefined;
  /** A server whose live migration goes on and on, and that migration. */
  const migrating = async (): Promise<{ server_id: string; id: string }> => {
    for (;;) {
      moving ??= await made();
      const { migrations } = (await ask('GET', `/servers/${moving}/migrations`)) as unknown as {
        migrations: { id: number }[];
      };
      if (migrations[0]) return { server_id: moving, id: String(migrations[0].id) };
      await ask('POST', `/servers/${moving}/action`, {
        'os-migrateLive': { host: null, block_migration: 'auto' },
      });
    }
  };
  const consoleToken = async (): Promise<string> => {
    const { url } = (
      await ask('POST', `/servers/${main}/remote-consoles`, {
        remote_console: { protocol: 'serial', type: 'serial' },
      })
    )['remote_console']!;
    return new URL(String(url)).searchParams.get('token')!;
  };
  /** Quotas are limited: what samples have made goes, but for what they share. */
  const sweep = async (): Promise<void> => {
    const { servers } = (await ask('GET', '/servers')) as unknown as { servers: { id: string }[] };
    for (const { id } of servers)
      if (id !== main && id !== moving) await ask('DELETE', `/servers/${id}`);
  };
  const network = async (): Promise<string> => {
    const { networks } = (await send(
      'network',
      'GET',
      '/network/v2.0/networks?name=private',
    )) as unknown as {
      networks: { id: string }[];
    };
    return networks[0]!.id;
  };
  const interfaces = async (): Promise<string[]> => {
    const { interfaceAttachments: all } = (await ask(
      'GET',
      `/servers/${main}/os-interface`,
    )) as unknown as {
      interfaceAttachments: { port_id: string }[];
    };
    return all.map((one) => one.port_id);
  };
  const attach = async (): Promise<string> => {
    const [there] = await interfaces();
    if (there) return there;
    const body = { interfaceAttachment: { net_id: await network() } };
    return (await ask('POST', `/servers/${main}/os-interface`, body))['interfaceAttachment']![
      'port_id'
    ]!;
  };
  const detach = async (): Promise<void> => {
    for (const port of await interfaces())
      await ask('DELETE', `/servers/${main}/os-interface/${port}`);
  };
  const volumes = async (): Promise<string[]> => {
    const { volumeAttachments: all } = (await ask(
      'GET',
      `/servers/${main}/os-volume_attachments`,
    )) as unknown as {
      volumeAttachments: { volumeId: string }[];
    };
    return all.map((one) => one.volumeId);
  };
  let volume: string | undefined;
  const freeVolume = async (): Promise<string> => {
    for (const id of await volumes())
      await ask('DELETE', `/servers/${main}/os-volume_attachments/${id}`);
    volume ??= (await send('volume', 'POST', '/volume/v3/admin/volumes', { volume: { size: 1 } }))[
      'volume'
    ]!['id']!;
    return volume;
  };
  const attachVolume = async (): Promise<string> => {
    const [there] = await volumes();
    if (there) return there;
    const volumeId = await freeVolume();
    await ask('POST', `/servers/${main}/os-volume_attachments`, { volumeAttachment: { volumeId } });
    return volumeId;
  };
  const request = async (): Promise<string> => {
    const { instanceActions } = (await ask(
      'GET',
      `/servers/${main}/os-instance-actions`,
    )) as unknown as {
      instanceActions: { request_id: string }[];
    };
    return instanceActions[0]!.request_id;
  };
  const tagged = async (): Promise<Sample> => (
    await ask('PUT', `/servers/${main}/tags`, { tags: ['a'] }),
    ofMain('a')
  );
  const ofMain = (id?: string): Sample => ({
    params: { server_id: main, ...(id === undefined ? {} : { id }) },
  });
  const withMetadata = async (): Promise<Sample> => (
    await ask('POST', `/servers/${main}/metadata`, { metadata: { a: 'b' } }),
    ofMain('a')
  );

  return {
    'servers:list': () => ({
      query: 'limit=1&sort_key=display_name&sort_dir=asc&status=active&name=sample',
    }),
    'servers:detail': () => ({ query: 'all_tenants=1&limit=2' }),
    'servers:create': async (version) => {
      await sweep();
      return {
        body: {
          ...newServer(version, { metadata: { a: 'b' }, min_count: 1 }),
          'os:scheduler_hints': { different_host: main },
        },
      };
    },
    'servers:show': () => ({ params: { id: main } }),
    'servers:update': () => ({
      params: { id: main },
      body: { server: { name: 'sample', accessIPv4: '10.0.0.1' } },
    }),
    'servers:delete': async () => (await sweep(), { params: { id: await made() } }),
    'servers:act': (version) => ({
      params: { id: main },
      body:
        minor(version) % 2
          ? { reboot: { type: 'HARD' } }
          : {
              createBackup: {
                name: 'backup',
                backup_type: 'daily',
                rotation: 1,
                metadata: { a: 'b' },
              },
            },
    }),
    'server_metadata:list': () => ofMain(),
    'server_metadata:create': () => ({ ...ofMain(), body: { metadata: { a: 'b' } } }),
    'server_metadata:replace': () => ({ ...ofMain(), body: { metadata: { a: 'c' } } }),
    'server_metadata:show': withMetadata,
    'server_metadata:update': () => ({ ...ofMain('a'), body: { meta: { a: 'd' } } }),
    'server_metadata:delete': withMetadata,
    'server_tags:list': () => ofMain(),
    'server_tags:replace': () => ({ ...ofMain(), body: { tags: ['a', 'b'] } }),
    'server_tags:clear': () => ofMain(),
    'server_tags:show': tagged,
    'server_tags:update': () => ofMain('new'),
    'server_tags:delete': tagged,
    'server_security_groups:list': async () => (await attach(), ofMain()),
    'server_ips:list': () => ofMain(),
    'server_ips:show': async () => (await attach(), ofMain('private')),
    'server_interfaces:list': () => ofMain(),
    'server_interfaces:create': async () => {
      await detach();
      return { ...ofMain(), body: { interfaceAttachment: { net_id: await network() } } };
    },
    'server_interfaces:show': async () => ofMain(await attach()),
    'server_interfaces:delete': async () => ofMain(await attach()),
    'server_volumes:list': () => ({ ...ofMain(), query: 'limit=1&offset=0' }),
    'server_volumes:create': async () => ({
      ...ofMain(),
      body: { volumeAttachment: { volumeId: await freeVolume(), device: '/dev/vdc' } },
    }),
    'server_migrations:act': async () => {
      const params = await migrating();
      moving = undefined;
      return { params, body: { force_complete: null } };
    },
    'assisted_volume_snapshots:create': async () => ({
      body: {
        snapshot: {
          volume_id: await attachVolume(),
          create_info: { snapshot_id: 's', type: 'qcow2', new_file: 'f', id: main },
        },
      },
    }),
    'assisted_volume_snapshots:delete': async () => ({
      params: { id: 's' },
      query: `delete_info=${encodeURIComponent(JSON.stringify({ volume_id: await attachVolume() }))}`,
    }),
    'server_volumes:show': async () => ofMain(await attachVolume()),
    'server_volumes:update': async (version) => {
      const volumeId = await attachVolume();
      const updates = minor(version) >= 85;
      const body = {
        volumeAttachment: { volumeId, ...(updates ? { delete_on_termination: false } : {}) },
      };
      return { ...ofMain(volumeId), body, ...(updates ? {} : { refused: 409 }) };
    },
    'server_volumes:delete': async () => ofMain(await attachVolume()),
    'server_actions:list': (version) => ({
      ...ofMain(),
      query: minor(version) >= 58 ? 'limit=1' : '',
    }),
    'server_actions:show': async () => ofMain(await request()),
    'server_password:show': () => ofMain(),
    'server_password:delete': () => ofMain(),
    'server_diagnostics:show': async () => (await attachVolume(), ofMain()),
    'server_topology:show': () => ofMain(),
    'server_consoles:create': () => ({
      ...ofMain(),
      body: { remote_console: { protocol: 'vnc', type: 'novnc' } },
    }),
    'console_auth_tokens:show': async (version) => ({
      params: { id: await consoleToken() },
      ...(minor(version) < 31 ? { refused: 400 } : {}),
    }),
    'console_pages:show': async () => ({
      params: { type: 'serial' },
      query: `token=${await consoleToken()}`,
    }),
    'server_migrations:list': async () => ({
      params: { server_id: (await migrating()).server_id },
    }),
    'server_migrations:show': async () => ({ params: await migrating() }),
    'server_migrations:delete': async () => ({ params: await migrating() }),
    'migrations:list': (version) => ({ query: minor(version) >= 59 ? 'limit=1' : '' }),
  };
}
