// The sample requests of Volume.
import { uuidFor } from '../../../src/kernel/ids.ts';
import type { Client } from '../../support/raw.ts';
import type { Sample, Sampled, Samples } from './model.ts';

const newest = '3.70';

export const volumeSamples: Sampled = {
  service: 'volume',
  config: { auth: 'noauth2' },
  prepare: async (client) => {
    const ask = asker(client);
    const limits = {
      volumes: -1,
      gigabytes: -1,
      snapshots: -1,
      groups: -1,
      backups: -1,
      backup_gigabytes: -1,
    };
    await ask('PUT', '/os-quota-sets/admin', { quota_set: limits });
    return { token: 'admin', samples: samplesFor(ask) };
  },
};

type Ask = <T = Record<string, Record<string, string>>>(
  method: string,
  path: string,
  body?: unknown,
) => Promise<T>;

/** Sends requests that prepare a sample. They must succeed. */
const asker =
  (client: Client): Ask =>
  async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const reply = await client.ask('volume', method, `/volume/v3${path}`, {
      version: newest,
      ...(body === undefined ? {} : { body }),
    });
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body as T;
  };

const connector = { host: 'host', mountpoint: '/dev/vdb', mode: 'rw', initiator: 'iqn' };

function samplesFor(ask: Ask): Samples {
  let count = 0;
  const fresh = (noun: string): string => `${noun} ${++count}`;
  const server = (): string => uuidFor(fresh('server'));
  const volume = async (): Promise<string> => {
    const created = await ask('POST', '/volumes', {
      volume: { name: fresh('volume'), size: 1, metadata: { colour: 'red' } },
    });
    return created['volume']!['id']!;
  };
  const snapshot = async (): Promise<string> => {
    const created = await ask('POST', '/snapshots', {
      snapshot: { volume_id: await volume(), name: fresh('snapshot'), metadata: { colour: 'red' } },
    });
    return created['snapshot']!['id']!;
  };
  const type = async (isPublic = true): Promise<string> => {
    const fields = {
      name: fresh('type'),
      'os-volume-type-access:is_public': isPublic,
      extra_specs: { colour: 'red' },
    };
    return (await ask('POST', '/types', { volume_type: fields }))['volume_type']!['id']!;
  };
  const attachment = async (): Promise<string> => {
    const created = await ask('POST', '/attachments', {
      attachment: { volume_uuid: await volume(), instance_uuid: server() },
    });
    return created['attachment']!['id']!;
  };
  const encrypted = async (): Promise<string> => {
    const id = await type();
    await ask('POST', `/types/${id}/encryption`, {
      encryption: { provider: 'luks', control_location: 'front-end' },
    });
    return id;
  };
  const qos = async (): Promise<string> => {
    const created = await ask('POST', '/qos-specs', {
      qos_specs: { name: fresh('qos'), consumer: 'both', colour: 'red' },
    });
    return created['qos_specs']!['id']!;
  };
  const transfer = async (): Promise<Record<string, string>> =>
    (
      await ask('POST', '/volume-transfers', { transfer: { volume_id: await volume(), name: 't' } })
    )['transfer']!;
  const message = async (): Promise<string> => {
    const created = await ask('POST', '/volumes', {
      volume: { size: 1, volume_type: await type() },
    });
    const list = await ask<{ messages: { id: string }[] }>(
      'GET',
      `/messages?resource_uuid=${created['volume']!['id']!}`,
    );
    return list.messages[0]!.id;
  };
  const transfers = (noun: string): Samples => ({
    [`${noun}:list`]: () => ({ query: 'limit=1' }),
    [`${noun}:list_detail`]: () => ({ query: 'limit=1' }),
    [`${noun}:create`]: async () => ({
      body: { transfer: { volume_id: await volume(), name: 't' } },
    }),
    [`${noun}:show`]: async () => ({ params: { transfer_id: (await transfer())['id']! } }),
    [`${noun}:delete`]: async () => ({ params: { transfer_id: (await transfer())['id']! } }),
    [`${noun}:accept`]: async () => {
      const { id, auth_key } = await transfer();
      return { params: { transfer_id: id! }, body: { accept: { auth_key } } };
    },
  });
  const ofQos = async (query?: string): Promise<Sample> => ({
    params: { qos_id: await qos() },
    ...(query ? { query } : {}),
  });
  const serviceBody = { binary: 'cinder-scheduler', host: 'cumulet' };
  const backend = 'cumulet@lvmdriver-1';
  /** Freezes or thaws the backend, unless it is already frozen or thawed. */
  const setFrozen = async (frozen: boolean): Promise<void> => {
    const { services } = await ask<{ services: { frozen?: boolean }[] }>('GET', '/os-services');
    if (services.some((service) => service.frozen === true) !== frozen)
      await ask('PUT', `/os-services/${frozen ? 'freeze' : 'thaw'}`, { host: backend });
  };
  const managedVolume = async (): Promise<object> => {
    await setFrozen(false);
    const id = await volume();
    await ask('POST', `/volumes/${id}/action`, { 'os-unmanage': {} });
    const ref = { 'source-name': `volume-${id}` };
    return { volume: { host: backend, ref, name: 'n', metadata: { colour: 'red' } } };
  };
  const managedSnapshot = async (): Promise<object> => {
    await setFrozen(false);
    return { snapshot: { volume_id: await volume(), ref: 'none', name: 'n' } };
  };
  const manageable = (noun: string, body: () => Promise<object>): Samples => ({
    [`${noun}:list`]: () => ({ query: `host=${backend}&limit=1&sort=size:asc` }),
    [`${noun}:list_detail`]: () => ({ query: `host=${backend}&sort_key=reference&sort_dir=asc` }),
    [`${noun}:create`]: async () => ({ body: await body() }),
  });
  const defaultType = async (): Promise<string> => {
    await setFrozen(false);
    await ask('PUT', '/default-types/p', { default_type: { volume_type: 'lvmdriver-1' } });
    return 'p';
  };
  type Key =
    | 'volume_id'
    | 'snapshot_id'
    | 'type_id'
    | 'attachment_id'
    | 'backup_id'
    | 'group_type_id'
    | 'group_id'
    | 'group_snapshot_id';
  const at = async (
    key: Key,
    id: Promise<string>,
    more: Sample = {},
    params: Record<string, string> = {},
  ): Promise<Sample> => ({
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
  const backup = async (): Promise<string> => {
    const fields = { volume_id: await volume(), name: fresh('backup') };
    return (await ask('POST', '/backups', { backup: fields }))['backup']!['id']!;
  };
  const record = (): string =>
    Buffer.from(JSON.stringify({ id: uuidFor(fresh('record')), size: 1 })).toString('base64');
  const groupType = async (): Promise<string> => {
    const fields = { name: fresh('group type'), group_specs: { colour: 'red' } };
    return (await ask('POST', '/group_types', { group_type: fields }))['group_type']!['id']!;
  };
  const groupFields = async (): Promise<object> => ({
    name: fresh('group'),
    group_type: await groupType(),
    volume_types: ['lvmdriver-1'],
  });
  /** Creates a group with a volume. */
  const group = async (): Promise<string> => {
    const created = await ask('POST', '/groups', { group: await groupFields() });
    const id = created['group']!['id']!;
    await ask('POST', '/volumes', {
      volume: { size: 1, volume_type: 'lvmdriver-1', group_id: id },
    });
    return id;
  };
  const emptyGroup = async (): Promise<string> =>
    (await ask('POST', '/groups', { group: await groupFields() }))['group']!['id']!;
  const consistencyFields = (): object => ({ name: fresh('cg'), volume_types: 'lvmdriver-1' });
  /** Creates a consistency group with a volume. */
  const consistencyGroup = async (): Promise<string> => {
    const created = await ask('POST', '/consistencygroups', {
      consistencygroup: consistencyFields(),
    });
    const id = created['consistencygroup']!['id']!;
    await ask('POST', '/volumes', {
      volume: { size: 1, volume_type: 'lvmdriver-1', consistencygroup_id: id },
    });
    return id;
  };
  const cgsnapshot = async (): Promise<string> => {
    const fields = { consistencygroup_id: await consistencyGroup() };
    return (await ask('POST', '/cgsnapshots', { cgsnapshot: fields }))['cgsnapshot']!['id']!;
  };
  const groupSnapshot = async (): Promise<string> => {
    const fields = { group_id: await group(), name: fresh('group snapshot') };
    const created = await ask('POST', '/group_snapshots', { group_snapshot: fields });
    return created['group_snapshot']!['id']!;
  };
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
      at('volume_id', volume(), {
        body: { volume: { name: 'new', description: 'd', metadata: { a: 'b' } } },
      }),
    'volumes:delete': () => at('volume_id', volume()),
    'volumes:act': () => at('volume_id', volume(), { body: { 'os-extend': { new_size: 2 } } }),
    ...metadata('volume', volume),
    'snapshots:list': () => ({ query: 'limit=1' }),
    'snapshots:list_detail': () => ({ query: 'limit=1' }),
    'snapshots:create': async () => ({
      body: {
        snapshot: {
          volume_id: await volume(),
          name: 'n',
          description: 'd',
          metadata: { a: 'b' },
          force: true,
        },
      },
    }),
    'snapshots:show': () => at('snapshot_id', snapshot()),
    'snapshots:update': () =>
      at('snapshot_id', snapshot(), { body: { snapshot: { name: 'new', description: 'd' } } }),
    'snapshots:delete': () => at('snapshot_id', snapshot()),
    'snapshots:act': () =>
      at('snapshot_id', snapshot(), { body: { 'os-reset_status': { status: 'error' } } }),
    ...metadata('snapshot', snapshot),
    'types:list': () => ({}),
    'types:create': () => ({
      body: {
        volume_type: {
          name: fresh('type'),
          description: 'd',
          extra_specs: { a: 'b' },
          'os-volume-type-access:is_public': true,
        },
      },
    }),
    'types:show': () => at('type_id', type()),
    'types:update': () =>
      at('type_id', type(), {
        body: { volume_type: { name: fresh('type'), description: 'd', is_public: true } },
      }),
    'types:delete': () => at('type_id', type()),
    'types:act': () =>
      at('type_id', type(false), { body: { addProjectAccess: { project: 'other' } } }),
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
    'attachments:update': () =>
      at('attachment_id', attachment(), { body: { attachment: { connector } } }),
    'attachments:delete': () => at('attachment_id', attachment()),
    'attachments:act': () => at('attachment_id', attachment(), { body: { 'os-complete': {} } }),
    'quota_sets:show': () => ({ params: own, query: 'usage=True' }),
    'quota_sets:show_defaults': () => ({ params: own }),
    'quota_sets:update': () => ({
      params: other,
      body: { quota_set: { volumes: 20, gigabytes: 20 } },
    }),
    'quota_sets:delete': () => ({ params: other }),
    'limits:show': () => ({}),
    'volume_encryption:show': () => at('volume_id', volume()),
    'volume_encryption:show_field': () =>
      at('volume_id', volume(), {}, { encryption_id: 'encryption_key_id' }),
    'type_encryption:list': () => at('type_id', encrypted()),
    'type_encryption:create': () =>
      at('type_id', type(), {
        body: {
          encryption: {
            provider: 'luks',
            control_location: 'front-end',
            cipher: 'aes',
            key_size: 256,
          },
        },
      }),
    'type_encryption:show': () => at('type_id', encrypted(), {}, { encryption_id: 'provider' }),
    'type_encryption:update': () =>
      at(
        'type_id',
        encrypted(),
        { body: { encryption: { cipher: 'aes', key_size: 256 } } },
        { encryption_id: 'x' },
      ),
    'type_encryption:delete': () => at('type_id', encrypted(), {}, { encryption_id: 'x' }),
    ...transfers('volume_transfers'),
    ...transfers('os_volume_transfer'),
    'qos_specs:list': () => ({ query: 'limit=1' }),
    'qos_specs:create': () => ({
      body: { qos_specs: { name: fresh('qos'), consumer: 'back-end', colour: 'red' } },
    }),
    'qos_specs:show': () => ofQos(),
    'qos_specs:update': async () => ({
      ...(await ofQos()),
      body: { qos_specs: { colour: 'blue' } },
    }),
    'qos_specs:delete': () => ofQos(),
    'qos_specs:delete_keys': async () => ({ ...(await ofQos()), body: { keys: ['colour'] } }),
    'qos_specs:list_associations': () => ofQos(),
    'qos_specs:associate': async () => ofQos(`vol_type_id=${await type()}`),
    'qos_specs:disassociate': async () => ofQos(`vol_type_id=${await type()}`),
    'qos_specs:disassociate_all': () => ofQos(),
    'backups:list': () => ({ query: 'limit=1' }),
    'backups:list_detail': () => ({ query: 'limit=1' }),
    'backups:create': async () => ({
      body: {
        backup: {
          volume_id: await volume(),
          name: 'n',
          description: 'd',
          incremental: false,
          force: true,
          snapshot_id: null,
          container: 'c',
        },
      },
    }),
    'backups:import': () => ({
      body: { 'backup-record': { backup_service: 'cinder.backup', backup_url: record() } },
    }),
    'backups:show': () => at('backup_id', backup()),
    'backups:update': () =>
      at('backup_id', backup(), { body: { backup: { name: 'new', description: 'd' } } }),
    'backups:delete': () => at('backup_id', backup()),
    'backups:restore': async () =>
      at('backup_id', backup(), { body: { restore: { volume_id: await volume() } } }),
    'backups:export': () => at('backup_id', backup()),
    'backups:act': () =>
      at('backup_id', backup(), { body: { 'os-reset_status': { status: 'error' } } }),
    'group_types:list': () => ({ query: 'limit=1' }),
    'group_types:create': () => ({
      body: {
        group_type: {
          name: fresh('group type'),
          description: 'd',
          is_public: true,
          group_specs: { a: 'b' },
        },
      },
    }),
    'group_types:show': () => at('group_type_id', groupType()),
    'group_types:update': () =>
      at('group_type_id', groupType(), {
        body: { group_type: { name: fresh('group type'), description: 'd', is_public: true } },
      }),
    'group_types:delete': () => at('group_type_id', groupType()),
    'group_specs:list': () => at('group_type_id', groupType()),
    'group_specs:create': () =>
      at('group_type_id', groupType(), { body: { group_specs: { a: 'b' } } }),
    'group_specs:show': () => at('group_type_id', groupType(), {}, colour),
    'group_specs:update': () =>
      at('group_type_id', groupType(), { body: { colour: 'blue' } }, colour),
    'group_specs:delete': () => at('group_type_id', groupType(), {}, colour),
    'consistencygroups:list': () => ({ query: 'limit=1' }),
    'consistencygroups:list_detail': () => ({ query: 'limit=1' }),
    'consistencygroups:create': () => ({
      body: { consistencygroup: { ...consistencyFields(), description: 'd' } },
    }),
    'consistencygroups:create_from_source': async () => ({
      body: {
        'consistencygroup-from-src': { name: 'n', source_cgid: await consistencyGroup() },
      },
    }),
    'consistencygroups:show': () => at('group_id', consistencyGroup()),
    'consistencygroups:change': () =>
      at('group_id', consistencyGroup(), { body: { consistencygroup: { name: 'new' } } }),
    'consistencygroups:update': () =>
      at('group_id', consistencyGroup(), { body: { consistencygroup: { name: 'new' } } }),
    'consistencygroups:delete': () =>
      at('group_id', consistencyGroup(), { body: { consistencygroup: { force: true } } }),
    'cgsnapshots:list': () => ({ query: 'limit=1' }),
    'cgsnapshots:list_detail': () => ({ query: 'limit=1' }),
    'cgsnapshots:create': async () => ({
      body: { cgsnapshot: { consistencygroup_id: await consistencyGroup(), name: 'n' } },
    }),
    'cgsnapshots:show': () => at('group_snapshot_id', cgsnapshot()),
    'cgsnapshots:delete': () => at('group_snapshot_id', cgsnapshot()),
    'groups:list': () => ({ query: 'limit=1' }),
    'groups:list_detail': () => ({ query: 'limit=1' }),
    'groups:create': async () => ({
      body: {
        group: { ...(await groupFields()), description: 'd', availability_zone: 'nova' },
      },
    }),
    'groups:create_from_source': async () => ({
      body: {
        'create-from-src': { name: 'n', description: 'd', source_group_id: await group() },
      },
    }),
    'groups:show': () => at('group_id', group()),
    'groups:update': () =>
      at('group_id', group(), { body: { group: { name: 'new', description: 'd' } } }),
    'groups:act': () =>
      at('group_id', emptyGroup(), { body: { delete: { 'delete-volumes': false } } }),
    'group_snapshots:list': () => ({ query: 'limit=1' }),
    'group_snapshots:list_detail': () => ({ query: 'limit=1' }),
    'group_snapshots:create': async () => ({
      body: { group_snapshot: { group_id: await group(), name: 'n', description: 'd' } },
    }),
    'group_snapshots:show': () => at('group_snapshot_id', groupSnapshot()),
    'group_snapshots:delete': () => at('group_snapshot_id', groupSnapshot()),
    'group_snapshots:act': () =>
      at('group_snapshot_id', groupSnapshot(), { body: { reset_status: { status: 'error' } } }),
    'messages:list': () => ({}),
    'messages:show': async () => ({ params: { message_id: await message() } }),
    'messages:delete': async () => ({ params: { message_id: await message() } }),
    'services:list': () => ({}),
    'services:enable': () => ({ body: serviceBody }),
    'services:disable': () => ({ body: serviceBody }),
    'services:disable_log_reason': () => ({ body: { ...serviceBody, disabled_reason: 'why' } }),
    'services:freeze': async () => (await setFrozen(false), { body: { host: backend } }),
    'services:thaw': async () => (await setFrozen(true), { body: { host: backend } }),
    'services:failover_host': () => ({ body: { host: backend, backend_id: 'b' }, refused: 400 }),
    'clusters:list': () => ({ query: 'name=c&binary=b&is_up=true&disabled=false' }),
    'clusters:list_detail': () => ({ query: 'num_hosts=1&num_down_hosts=0' }),
    'clusters:show': () => ({ params: { cluster_id: 'c' }, refused: 404 }),
    'clusters:enable': () => ({ body: { name: 'c' }, refused: 404 }),
    'clusters:disable': () => ({ body: { name: 'c', disabled_reason: 'why' }, refused: 404 }),
    'workers:cleanup': () => ({ body: { is_up: true, host: backend } }),
    ...manageable('manageable_volumes', managedVolume),
    ...manageable('volume_manage', managedVolume),
    ...manageable('manageable_snapshots', managedSnapshot),
    ...manageable('snapshot_manage', managedSnapshot),
    'default_types:list': () => ({}),
    'default_types:show': async () => ({ params: { project_id: await defaultType() } }),
    'default_types:update': () => ({
      params: { project_id: 'p' },
      body: { default_type: { volume_type: 'lvmdriver-1' } },
    }),
    'default_types:delete': async () => ({ params: { project_id: await defaultType() } }),
    'resource_filters:list': () => ({ query: 'resource=volume' }),
    'hosts:list': () => ({}),
    'hosts:show': () => ({ params: { host_name: 'cumulet@lvmdriver-1' } }),
    'pools:list': () => ({ query: 'detail=True' }),
    'capabilities:show': () => ({ params: { hostname: 'cumulet@lvmdriver-1' } }),
    'quota_class_sets:show': () => ({ params: { class_name: 'default' } }),
    'quota_class_sets:update': () => ({
      params: { class_name: 'gold' },
      body: { quota_class_set: { volumes: 20 } },
    }),
    'extensions:list': () => ({}),
    'extensions:show': () => ({ params: { alias: 'encryption' } }),
    'availability_zones:list': () => ({}),
  };
}
