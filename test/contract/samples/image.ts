// Sample requests of Image.
import type { Client } from '../../support/raw.ts';
import { metadefSamples } from './image-metadefs.ts';
import type { Sample, Sampled, Samples } from './model.ts';

const patch = { 'content-type': 'application/openstack-images-v2.1-json-patch' };
const octets = { 'content-type': 'application/octet-stream' };

export const imageSamples: Sampled = {
  service: 'image',
  config: { auth: 'noauth2' },
  async prepare(client) {
    await client.ask('emulator', 'PUT', '/_emulator/image/settings', {
      body: { stores: ['local', 'second'], http_store: true },
    });
    return { token: 'admin', samples: samplesFor(client) };
  },
};

function samplesFor(client: Client): Samples {
  let count = 0;
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    headers = {},
  ): Promise<Record<string, unknown>> => {
    const reply = await client.ask('image', method, `/image/v2/images${path}`, {
      headers,
      ...(body === undefined ? {} : { body }),
    });
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body as Record<string, unknown>;
  };
  const fields = (): Record<string, unknown> => ({
    name: `image ${++count}`,
    disk_format: 'raw',
    container_format: 'bare',
    visibility: 'shared',
    protected: false,
    os_hidden: false,
    min_disk: 1,
    min_ram: 2,
    tags: ['blue'],
    owner: 'admin',
    colour: 'red',
  });
  const queued = async (): Promise<string> => (await ask('POST', '', fields()))['id'] as string;
  const image = async (more: Record<string, string> = {}): Promise<Sample> => ({
    params: { image_id: await queued(), ...more },
  });
  const active = async (): Promise<Sample> => {
    const id = await queued();
    await ask('PUT', `/${id}/file`, 'some data', octets);
    return { params: { image_id: id } };
  };
  const staged = async (): Promise<string> => {
    const id = await queued();
    await ask('PUT', `/${id}/stage`, 'some data', octets);
    return id;
  };
  // A task that ends without work, so that nothing is written after its request.
  const newTask = { type: 'api_image_import', input: {} };
  const task = async (): Promise<Sample> => {
    const { status, body, text } = await client.ask('image', 'POST', '/image/v2/tasks', {
      body: newTask,
    });
    if (status !== 201) throw new Error(text);
    return { params: { task_id: (body as { id: string }).id } };
  };
  const shared = async (): Promise<Sample> => {
    const id = await queued();
    await ask('POST', `/${id}/members`, { member: 'friend' });
    return { params: { image_id: id, member_id: 'friend' } };
  };
  const changes = [
    { op: 'replace', path: '/name', value: 'new' },
    { op: 'add', path: '/taste', value: 'sweet' },
    { op: 'remove', path: '/colour' },
  ];
  return {
    ...metadefSamples(client),
    'versions:choose': () => ({}),
    'versions:list': () => ({}),
    'schemas:show_image': () => ({}),
    'schemas:show_images': () => ({}),
    'schemas:show_member': () => ({}),
    'schemas:show_members': () => ({}),
    'schemas:show_task': () => ({}),
    'schemas:show_tasks': () => ({}),
    'images:list': () => ({ query: 'limit=1&sort=name:asc' }),
    'images:create': () => ({ body: fields() }),
    'images:show': () => image(),
    'images:update': async () => ({ ...(await image()), body: changes, headers: patch }),
    'images:delete': () => image(),
    'images:deactivate': active,
    'images:reactivate': active,
    'image_data:show': active,
    'image_data:create': async () => ({ ...(await image()), body: 'some data', headers: octets }),
    'image_data:stage': async () => ({ ...(await image()), body: 'some data', headers: octets }),
    'image_imports:create': async () => ({
      params: { image_id: await staged() },
      body: { method: { name: 'glance-direct' }, all_stores: true, all_stores_must_succeed: false },
    }),
    'image_locations:list': active,
    'image_locations:create': async () => ({
      ...(await image()),
      body: {
        url: 'http://images.example/disk',
        validation_data: { os_hash_algo: 'md5', os_hash_value: '5d41402abc4b2a76b9719d911017c592' },
      },
    }),
    'stores:delete': async () => {
      const { params } = await active();
      const id = params!['image_id']!;
      const method = { name: 'copy-image' };
      await ask('POST', `/${id}/import`, { method, stores: ['second'] });
      return { params: { store_id: 'local', image_id: id } };
    },
    'tasks:list': () => ({ query: 'limit=1&type=import&status=pending' }),
    'tasks:create': () => ({ body: newTask }),
    'tasks:show': task,
    'tasks:delete': async () => ({ ...(await task()), refused: 405 }),
    'info:show_import': () => ({}),
    'info:show_stores': () => ({}),
    'info:show_store_details': () => ({}),
    'info:show_usage': () => ({}),
    'cache:show': () => ({}),
    'cache:clear': () => ({ headers: { 'x-image-cache-clear-target': 'queue' } }),
    'cache:clean': () => ({}),
    'cache:prune': () => ({}),
    'cache:list_nodes': async () => ({ ...(await active()), refused: 409 }),
    'cache:create': active,
    'cache:delete': active,
    'image_tasks:list': () => image(),
    'image_tags:create': () => image({ tag_value: 'green' }),
    'image_tags:delete': () => image({ tag_value: 'blue' }),
    'image_members:list': shared,
    'image_members:show': shared,
    'image_members:create': async () => ({ ...(await image()), body: { member: 'friend' } }),
    'image_members:update': async () => ({ ...(await shared()), body: { status: 'accepted' } }),
    'image_members:delete': shared,
  };
}
