// Sample requests of Clustering.
import { newUuid } from '../../../src/kernel/ids.ts';
import type { Client } from '../../support/raw.ts';
import type { Sampled, Samples } from './model.ts';

const newest = '1.14';

export const clusteringSamples: Sampled = {
  service: 'clustering',
  config: { auth: 'noauth2', hosts: '0' },
  prepare: async (client) => {
    const host = { name: 'host', vcpus: 100_000, memory_mb: 100_000_000, disk_gb: 10_000_000 };
    await client.send(
      'POST',
      '/_emulator/hosts',
      { 'content-type': 'application/json' },
      JSON.stringify(host),
    );
    const quota = { quota_set: { instances: -1, cores: -1, ram: -1 } };
    await client.ask('compute', 'PUT', '/compute/v2.1/os-quota-sets/admin', { body: quota });
    return { token: 'admin', samples: samplesFor(asker(client), client) };
  },
};

type Body = Record<string, { id: string } | string>;
type Ask = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ body: Body; location: string }>;

const asker =
  (client: Client): Ask =>
  async (method, path, body) => {
    const reply = await client.ask('clustering', method, `/clustering/v1${path}`, {
      version: newest,
      ...(body === undefined ? {} : { body }),
    });
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return { body: (reply.body ?? {}) as Body, location: String(reply.headers['location'] ?? '') };
  };

const spec = { type: 'os.heat.stack', version: '1.0', properties: { template: { resources: {} } } };
const batch = { type: 'senlin.policy.batch', version: '1.0', properties: {} };

function samplesFor(ask: Ask, client: Client): Samples {
  let count = 0;
  const fresh = (noun: string): string => `${noun}-${++count}`;
  const make = async (noun: string, path: string, fields: object): Promise<string> => {
    const { body } = await ask('POST', path, { [noun]: { name: fresh(noun), ...fields } });
    return (body[noun] as { id: string }).id;
  };
  const profile = (): Promise<string> =>
    make('profile', '/profiles', { spec, metadata: { a: 'b' } });
  const policy = (): Promise<string> => make('policy', '/policies', { spec: batch });
  /** The clusters of the samples, which are deleted in time: a project may have a hundred. */
  const clusters: string[] = [];
  const cluster = async (): Promise<string> => {
    if (clusters.length >= 60)
      for (const id of clusters.splice(0))
        await client.ask('clustering', 'DELETE', `/clustering/v1/clusters/${id}`);
    const id = await make('cluster', '/clusters', {
      profile_id: await profile(),
      desired_capacity: 1,
    });
    clusters.push(id);
    return id;
  };
  const node = async (): Promise<string> => make('node', '/nodes', { profile_id: await profile() });
  const receiver = async (): Promise<string> =>
    make('receiver', '/receivers', {
      type: 'webhook',
      cluster_id: await cluster(),
      action: 'CLUSTER_CHECK',
      params: { a: 'b' },
    });
  const action = async (): Promise<string> => {
    const { location } = await ask('POST', `/clusters/${await cluster()}/actions`, { check: {} });
    return location.split('/actions/')[1]!;
  };
  const bound = async (): Promise<{ cluster_id: string; policy_id: string }> => {
    const ids = { cluster_id: await cluster(), policy_id: await policy() };
    await ask('POST', `/clusters/${ids.cluster_id}/actions`, {
      policy_attach: { policy_id: ids.policy_id },
    });
    return ids;
  };
  const server = async (): Promise<string> => {
    const { body } = (await client.ask('image', 'GET', '/image/v2/images')) as {
      body: { images: { id: string }[] };
    };
    const made = { server: { name: 's', flavorRef: '42', imageRef: body.images[0]!.id } };
    const reply = await client.ask('compute', 'POST', '/compute/v2.1/servers', { body: made });
    return (reply.body as { server: { id: string } }).server.id;
  };
  const none = () => ({});
  return {
    'versions:choose': none,
    'versions:list': none,
    'versions:show': none,
    'versions:show_root': none,
    'build_info:show': none,
    'profile_types:list': none,
    'profile_types:show': () => ({ params: { type: 'os.nova.server-1.0' } }),
    'profile_types:list_operations': () => ({ params: { type: 'os.nova.server-1.0' } }),
    'policy_types:list': none,
    'policy_types:show': () => ({ params: { type: 'senlin.policy.health-1.2' } }),
    'profiles:list': () => ({ query: 'limit=2' }),
    'profiles:create': () => ({
      body: { profile: { name: fresh('profile'), spec, metadata: { a: 'b' } } },
    }),
    'profiles:validate': () => ({ body: { profile: { spec } } }),
    'profiles:show': async () => ({ params: { profile_id: await profile() } }),
    'profiles:update': async () => ({
      params: { profile_id: await profile() },
      body: { profile: { name: fresh('new'), metadata: { c: 'd' } } },
    }),
    'profiles:delete': async () => ({ params: { profile_id: await profile() } }),
    'policies:list': () => ({ query: 'limit=2' }),
    'policies:create': () => ({ body: { policy: { name: fresh('policy'), spec: batch } } }),
    'policies:validate': () => ({ body: { policy: { spec: batch } } }),
    'policies:show': async () => ({ params: { policy_id: await policy() } }),
    'policies:update': async () => ({
      params: { policy_id: await policy() },
      body: { policy: { name: fresh('new') } },
    }),
    'policies:delete': async () => ({ params: { policy_id: await policy() } }),
    'clusters:list': () => ({ query: 'limit=2' }),
    'clusters:create': async () => ({
      body: {
        cluster: {
          name: fresh('cluster'),
          profile_id: await profile(),
          min_size: 0,
          max_size: -1,
          desired_capacity: 0,
          metadata: {},
          timeout: 60,
          config: {},
        },
      },
    }),
    'clusters:show': async () => ({ params: { cluster_id: await cluster() } }),
    'clusters:update': async () => ({
      params: { cluster_id: await cluster() },
      body: { cluster: { name: fresh('new'), metadata: { a: 'b' }, timeout: 99 } },
    }),
    'clusters:delete': async () => ({ params: { cluster_id: await cluster() } }),
    'clusters:act': async () => ({
      params: { cluster_id: await cluster() },
      body: {
        resize: {
          adjustment_type: 'CHANGE_IN_CAPACITY',
          number: 1,
          min_size: 0,
          max_size: 5,
          strict: true,
        },
      },
    }),
    'clusters:operate': async () => ({
      params: { cluster_id: await cluster() },
      body: { abandon: { params: {}, filters: { status: 'ACTIVE' } } },
    }),
    'clusters:collect': async () => ({
      params: { cluster_id: await cluster(), path: 'details.stack_name' },
    }),
    'cluster_policies:list': async () => ({ params: { cluster_id: (await bound()).cluster_id } }),
    'cluster_policies:show': async () => ({ params: await bound() }),
    'nodes:list': () => ({ query: 'limit=2' }),
    'nodes:create': async () => ({
      body: { node: { name: fresh('node'), profile_id: await profile(), role: 'r', metadata: {} } },
    }),
    'nodes:adopt': async () => ({
      body: {
        identity: await server(),
        type: 'os.nova.server-1.0',
        name: fresh('node'),
        metadata: {},
        overrides: {},
        snapshot: false,
      },
    }),
    'nodes:preview': async () => ({
      body: {
        identity: await server(),
        type: 'os.nova.server-1.0',
        overrides: {},
        snapshot: false,
      },
    }),
    'nodes:show': async () => ({ params: { node_id: await node() }, query: 'show_details=true' }),
    'nodes:update': async () => ({
      params: { node_id: await node() },
      body: { node: { name: fresh('new'), role: 'x', metadata: { a: 'b' } } },
    }),
    'nodes:delete': async () => ({ params: { node_id: await node() } }),
    'nodes:act': async () => ({
      params: { node_id: await node() },
      body: { recover: { check: true, operation: 'RECREATE' } },
    }),
    'nodes:operate': async () => ({ params: { node_id: await node() }, body: { abandon: {} } }),
    'actions:list': () => ({ query: 'limit=2' }),
    'actions:create': () => ({ refused: 403 }),
    'actions:show': async () => ({ params: { action_id: await action() } }),
    // Without latencies an action ends before it can be cancelled.
    'actions:update': async () => ({
      params: { action_id: await action() },
      body: { action: { status: 'CANCELLED' } },
      refused: 409,
    }),
    'receivers:list': () => ({ query: 'limit=2' }),
    'receivers:create': async () => ({
      body: {
        receiver: {
          name: fresh('receiver'),
          type: 'webhook',
          cluster_id: await cluster(),
          action: 'CLUSTER_SCALE_OUT',
          params: { count: '1' },
        },
      },
    }),
    'receivers:show': async () => ({ params: { receiver_id: await receiver() } }),
    'receivers:update': async () => ({
      params: { receiver_id: await receiver() },
      body: { receiver: { name: fresh('new'), params: { c: 'd' } } },
    }),
    'receivers:delete': async () => ({ params: { receiver_id: await receiver() } }),
    'receivers:notify': async () => ({
      params: { receiver_id: await make('receiver', '/receivers', { type: 'message' }) },
    }),
    'webhooks:trigger': async () => ({
      params: { receiver_id: await receiver() },
      query: `V=2&x=${newUuid()}`,
    }),
    'events:list': () => ({ query: 'limit=2' }),
    'events:show': async () => {
      await cluster();
      const { body } = await ask('GET', '/events?limit=1');
      return { params: { event_id: (body['events'] as unknown as { id: string }[])[0]!.id } };
    },
    'services:list': none,
  };
}
