// Sample requests of Image.
import type { Client } from '../../support/raw.ts';
import { metadefSamples } from './image-metadefs.ts';
import type { Sample, Sampled, Samples } from './model.ts';

const patch = { 'content-type': 'application/openstack-images-v2.1-json-patch' };
const octets = { 'content-type': 'application/octet-stream' };

export const imageSamples: Sampled = {
  service: 'image',
  config: { auth: 'noauth2' },
  prepare: (client) => Promise.resolve({ token: 'admin', samples: samplesFor(client) }),
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
    'images:list': () => ({ query: 'limit=1&sort=name:asc' }),
    'images:create': () => ({ body: fields() }),
    'images:show': () => image(),
    'images:update': async () => ({ ...(await image()), body: changes, headers: patch }),
    'images:delete': () => image(),
    'images:deactivate': active,
    'images:reactivate': active,
    'image_data:show': active,
    'image_data:create': async () => ({ ...(await image()), body: 'some data', headers: octets }),
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
