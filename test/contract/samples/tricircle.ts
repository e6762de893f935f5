// Sample requests of Tricircle.
import type { Client } from '../../support/raw.ts';
import type { Sample, Sampled, Samples } from './model.ts';

type Fields = Record<string, unknown>;
type Ask = (method: string, path: string, body?: unknown) => Promise<Fields>;

const asker =
  (client: Client): Ask =>
  async (method, path, body) => {
    const reply = await client.ask(
      'tricircle',
      method,
      `/tricircle/v1.0${path}`,
      body === undefined ? {} : { body },
    );
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return (reply.body ?? {}) as Fields;
  };

export const tricircleSamples: Sampled = {
  service: 'tricircle',
  config: { auth: 'noauth2', hosts: '1', regions: ['CentralRegion', 'RegionOne'] },
  prepare: async (client) => {
    const ask = asker(client);
    const { pod } = (await ask('POST', '/pods', {
      pod: { region_name: 'RegionOne', az_name: 'az1' },
    })) as { pod: Fields };
    return { token: 'admin', samples: samplesFor(ask, pod['pod_id'] as string) };
  },
};

const optional = {
  pod_az_name: 'nova',
  dc_name: 'dc',
  resource_affinity_tag: { resource: 'CAD Modeling' },
  is_under_maintenance: true,
  weight: 1,
  threshold_percent: 50,
  headroom: { vcpus: 2, volume_gb: 1.5 },
  prices: { vcpus: 0.5, memory_mb: 0 },
};

function samplesFor(ask: Ask, podId: string): Samples {
  let count = 0;
  const next = (): number => ++count;
  const id = (made: Fields, key: string, name: string): string =>
    (made[key] as Fields)[name] as string;
  const pod = (): Fields => ({
    region_name: `Region${next()}`,
    az_name: 'az2',
    create_time: '2026-01-01 00:00:00',
    ...optional,
  });
  const atPod = async (): Promise<Sample> => ({
    params: { pod_id: id(await ask('POST', '/pods', { pod: pod() }), 'pod', 'pod_id') },
  });
  const binding = (): Fields => ({ tenant_id: `tenant-${next()}`, pod_id: podId });
  const atBinding = async (): Promise<Sample> => ({
    params: {
      binding_id: id(
        await ask('POST', '/bindings', { pod_binding: binding() }),
        'pod_binding',
        'id',
      ),
    },
  });
  const routing = (): Fields => ({
    top_id: `top-${next()}`,
    bottom_id: 'bottom',
    pod_id: podId,
    project_id: 'admin',
    resource_type: 'router',
  });
  const routed = async (): Promise<Fields> =>
    (await ask('POST', '/routings', { routing: routing() }))['routing'] as Fields;
  const atRouting = async (): Promise<{ params: { routing_id: string } }> => ({
    params: { routing_id: String((await routed())['id']) },
  });
  const job = async (): Promise<Fields> => ({
    type: 'configure_route',
    project_id: 'admin',
    resource: { router_id: (await routed())['top_id'] },
  });
  const atJob = async (): Promise<Sample> => ({
    params: { job_id: id(await ask('POST', '/jobs', { job: await job() }), 'job', 'id') },
  });
  const tag = (): Fields => ({ pod_id: podId, key: `key-${next() % 20}`, value: 'value' });
  const atTag = async (): Promise<Sample> => {
    const made = await ask('POST', '/pod-affinity-tag', { pod_affinity_tag: tag() });
    return { params: { tag_id: id(made, 'pod_affinity_tag', 'affinity_tag_id') } };
  };
  const ofNobody = { project_id: 'nobody', target_pod_id: podId, dry_run: false };
  const migrated = (): Promise<Fields> => ask('POST', '/migrations', { migration: ofNobody });
  const atMigration = async (): Promise<Sample> => ({
    params: { migration_id: id(await migrated(), 'migration', 'id') },
  });
  const pages = 'limit=1';
  return {
    'versions:list': () => ({}),
    'versions:show': () => ({}),
    'pods:list': () => ({}),
    'pods:create': () => ({ body: { pod: pod() } }),
    'pods:show': atPod,
    'pods:update': async () => ({
      ...(await atPod()),
      body: { pod: { ...optional, is_under_maintenance: false } },
    }),
    'pods:delete': atPod,
    'bindings:list': async () => (
      await atBinding(),
      { query: `pod_id=${podId}&is_binding=true&limit=2` }
    ),
    'bindings:create': () => ({ body: { pod_binding: binding() } }),
    'bindings:history': async () => (await atBinding(), { query: `az_name=az1&limit=2` }),
    'bindings:show': atBinding,
    'bindings:delete': atBinding,
    'routings:list': async () => (await routed(), { query: `${pages}&resource_type=router` }),
    'routings:create': () => ({ body: { routing: routing() } }),
    'routings:show': atRouting,
    'routings:update': async () => ({
      ...(await atRouting()),
      body: { routing: { bottom_id: 'other', resource_type: 'network' } },
    }),
    'routings:delete': atRouting,
    'jobs:list': async () => (await atJob(), { query: `${pages}&status=new&type=configure_route` }),
    'jobs:create': async () => ({ body: { job: await job() } }),
    'jobs:detail': async () => (await atJob(), { query: pages }),
    'jobs:schemas': () => ({}),
    'jobs:show': atJob,
    'jobs:redo': atJob,
    'jobs:delete': atJob,
    'usages:list': () => ({}),
    'usages:collect': () => ({ body: { usage: { pod_id: podId } } }),
    'usages:show': () => ({ params: { pod_id: podId } }),
    'affinity_tags:list': async () => (await atTag(), {}),
    'affinity_tags:create': () => ({ body: { pod_affinity_tag: tag() } }),
    'affinity_tags:show': atTag,
    'affinity_tags:delete': atTag,
    'migrations:list': async () => (await migrated(), { query: `${pages}&status=success` }),
    'migrations:create': () => ({ body: { migration: ofNobody } }),
    'migrations:show': atMigration,
    // It has ended at once.
    'migrations:cancel': async () => ({ ...(await atMigration()), refused: 409 }),
    'volume_placement:show': () => ({}),
    'volume_placement:update': () => ({
      body: { volume_placement: { local_to_instance: 'latest' } },
    }),
  };
}
