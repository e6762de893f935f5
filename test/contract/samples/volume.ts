// Sample requests of Volume.
import { uuidFor } from '../../../src/kernel/ids.ts';
import type { Client } from '../../support/raw.ts';
import type { Sample, Sampled, Samples } from './index.ts';

const newest = '3.70';

export const volumeSamples: Sampled = {
  service: 'volume',
  config: { auth: 'noauth2' },
  prepare: async (client) => {
    const ask = asker(client);
    const limits = { volumes: -1, gigabytes: -1, snapshots: -1 };
    await ask('PUT', '/os-quota-sets/admin', { quota_set: limits });
    return { token: 'admin', samples: samplesFor(ask) };
  },
};

type Ask = (method: string, path: string, body?: unknown) => Promise<Record<string, Record<string, string>>>;

const asker =
  (client: Client): Ask =>
  async (method, path, body) => {
    const reply = await client.ask('volume', method, `/volume/v3${path}`, {
      version: newest,
      ...(body === undefined ? {} : { body }),
    });
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body as Record<string, Record<string, string>>;
  };

const connector = { host: 'host', mountpoint: '/dev/vdb', mode: 'rw', initiator: 'iqn' };

function samplesFor(ask: Ask): Samples {
  let count = 0;
  const fresh = (noun: string): string => `${noun} ${++count}`;
  const server = (): string => uuidFor(fresh('server'));
  const volume = async (): Promise<string> => {
    const made = await ask('POST', '/volumes', { volume: { name: fresh('volume'), size: 1, metadata: { colour: 'red' } } });
    return made['volume']!['id']!;
  };
  const snapshot = async (): Promise<string> => {
    const made = await ask('POST', '/snapshots', {
      snapshot: { volume_id: await volume(), name: fresh('snapshot'), metadata: { colour: 'red' } },
    });
    return made['snapshot']!['id']!;
  };
  const type = async (isPublic = true): Promise<string> => {
    const fields = { name: fresh('type'), 'os-volume-type-access:is_public': isPublic, extra_specs: { colour: 'red' } };
    return (await ask('POST', '/types', { volume_type: fields }))['volume_type']!['id']!;
  };
  const attachment = async (): Promise<string> => {
    const made = await ask('POST', '/attachments', { attachment: { volume_uuid: await volume(), instance_uuid: server() } });
    return made['attachment']!['id']!;
  };
  type Key = 'volume_id' | 'snapshot_id' | 'type_id' | 'attachment_id';
  const at = async (key: Key, id: Promise<string>, more: Sample = {}, params: Record<string, string> = {}): Promise<Sample> => ({
    params: { [key]: await id, ...params },
    ...more,
  });
  const colour = { key: 'colour' };
  const red = { metadata: { colour: 'red', taste: 'sweet' } };
  const one = { meta: { colour: 'blue' } };
  const metadata = (noun: 'volume' | 'snapshot', make: () => Promise<string>): Samples => ({
    [`${noun}_metadata:list`]: () => at(`${noun}_id`, make()),
    [`${noun}_metadata:create`]: () => at(`${noun}_id`, make(), { body: red }),
    [`${noun}_metadata:replace`]: () => at(`${noun}_id`, make(), { body: red }),
    [`${noun}_metadata:show`]: () => at(`${noun}_id`, make(), {}, colour),
    [`${noun}_metadata:update`]: () => at(`${noun}_id`, make(), { body: one }, colour),
    [`${noun}_metadata:delete`]: () => at(`${noun}_id`, make(), {}, colour),
  });
  const own = { target_project_id: 'admin' };
  const other = { target_project_id: 'other' };
  return {
    'versions:choose': () => ({}),
    'versions:list': () => ({}),
    'volumes:list': () => ({ query: 'limit=1' }),
    'volumes:list_detail': () => ({ query: 'limit=1' }),
    'volumes:summarize': () => ({}),
    'volumes:create': () => ({
      body: {
        volume: {
          name: fresh('volume'),
          description: 'd',
          size: 1,
          volume_type: 'lvmdriver-1',
          metadata: { a: 'b' },
          availability_zone: 'nova',
          imageRef: null,
          snapshot_id: null,
          source_volid: null,
        },
      },
    }),
    'volumes:show': () => at('volume_id', volume()),
    'volumes:update': () =>
      at('volume_id', volume(), { body: { volume: { name: 'new', description: 'd', metadata: { a: 'b' } } } }),
    'volumes:delete': () => at('volume_id', volume()),
    'volumes:act': () => at('volume_id', volume(), { body: { 'os-extend': { new_size: 2 } } }),
    ...metadata('volume', volume),
    'snapshots:list': () => ({ query: 'limit=1' }),
    'snapshots:list_detail': () => ({ query: 'limit=1' }),
    'snapshots:create': async () => ({
      body: { snapshot: { volume_id: await volume(), name: 'n', description: 'd', metadata: { a: 'b' }, force: true } },
    }),
    'snapshots:show': () => at('snapshot_id', snapshot()),
    'snapshots:update': () => at('snapshot_id', snapshot(), { body: { snapshot: { name: 'new', description: 'd' } } }),
    'snapshots:delete': () => at('snapshot_id', snapshot()),
    'snapshots:act': () => at('snapshot_id', snapshot(), { body: { 'os-reset_status': { status: 'error' } } }),
    ...metadata('snapshot', snapshot),
    'types:list': () => ({}),
    'types:create': () => ({
      body: {
        volume_type: { name: fresh('type'), description: 'd', extra_specs: { a: 'b' }, 'os-volume-type-access:is_public': true },
      },
    }),
    'types:show': () => at('type_id', type()),
    'types:update': () =>
      at('type_id', type(), { body: { volume_type: { name: fresh('type'), description: 'd', is_public: true } } }),
    'types:delete': () => at('type_id', type()),
    'types:act': () => at('type_id', type(false), { body: { addProjectAccess: { project: 'other' } } }),
    'type_access:list': () => at('type_id', type(false)),
    'type_extra_specs:list': () => at('type_id', type()),
    'type_extra_specs:create': () => at('type_id', type(), { body: { extra_specs: { a: 'b' } } }),
    'type_extra_specs:show': () => at('type_id', type(), {}, colour),
    'type_extra_specs:update': () => at('type_id', type(), { body: { colour: 'blue' } }, colour),
    'type_extra_specs:delete': () => at('type_id', type(), {}, colour),
    'attachments:list': () => ({ query: 'limit=1' }),
    'attachments:list_detail': () => ({ query: 'limit=1' }),
    'attachments:create': async () => ({
      body: { attachment: { volume_uuid: await volume(), instance_uuid: server(), connector } },
    }),
    'attachments:show': () => at('attachment_id', attachment()),
    'attachments:update': () => at('attachment_id', attachment(), { body: { attachment: { connector } } }),
    'attachments:delete': () => at('attachment_id', attachment()),
    'attachments:act': () => at('attachment_id', attachment(), { body: { 'os-complete': {} } }),
    'quota_sets:show': () => ({ params: own, query: 'usage=True' }),
    'quota_sets:show_defaults': () => ({ params: own }),
    'quota_sets:update': () => ({ params: other, body: { quota_set: { volumes: 20, gigabytes: 20 } } }),
    'quota_sets:delete': () => ({ params: other }),
    'limits:show': () => ({}),
    'availability_zones:list': () => ({}),
  };
}
