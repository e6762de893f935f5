// Sample requests of Placement.
import { compareVersions } from '../../../src/kernel/contract/projection.ts';
import { uuidFor } from '../../../src/kernel/ids.ts';
import type { Client } from '../../support/raw.ts';
import type { Sampled, Samples } from './model.ts';

const newest = '1.39';
const main = uuidFor('main');
const consumer = uuidFor('consumer');
const project = 'project';
const trait = 'HW_CPU_X86_AVX';

export const placementSamples: Sampled = {
  service: 'placement',
  config: { auth: 'noauth2' },
  prepare: async (client) => {
    const ask = asker(client);
    await ask('POST', '/resource_providers', { name: 'main', uuid: main });
    return { token: 'admin', samples: samplesFor(ask) };
  },
};

type Ask = (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>;

const asker =
  (client: Client): Ask =>
  async (method, path, body) => {
    const reply = await client.ask('placement', method, `/placement${path}`, {
      version: newest,
      ...(body === undefined ? {} : { body }),
    });
    if (reply.status >= 300 && reply.status !== 404)
      throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body as Record<string, unknown>;
  };

function samplesFor(ask: Ask): Samples {
  const has = (version: string, since: string): boolean => compareVersions(version, since) >= 0;
  const generation = async (uuid = main): Promise<unknown> =>
    (await ask('GET', `/resource_providers/${uuid}`))['generation'];
  let spares = 0;
  const spare = (): { name: string; uuid: string } => ({
    name: `spare ${++spares}`,
    uuid: uuidFor(`spare ${spares}`),
  });
  const atMain = { uuid: main };

  let state: 'stocked' | 'used' | undefined;
  /**
   * The provider has VCPU and nothing else, and nobody uses it; `only` where the request will leave
   * it at that.
   */
  const stocked = async (only?: 'read'): Promise<void> => {
    if (state !== 'stocked') await stock();
    state = only && 'stocked';
  };
  const stock = async (): Promise<void> => {
    await ask('DELETE', `/allocations/${consumer}`);
    await ask('PUT', `/resource_providers/${main}/inventories`, {
      resource_provider_generation: await generation(),
      inventories: { VCPU: { total: 8 } },
    });
  };
  const allocation = {
    allocations: { [main]: { resources: { VCPU: 1 } } },
    project_id: project,
    user_id: 'user',
  };
  const used = async (only?: 'read'): Promise<void> => {
    if (state !== 'used') {
      await stocked();
      await ask('PUT', `/allocations/${consumer}`, {
        ...allocation,
        consumer_generation: null,
        consumer_type: 'INSTANCE',
      });
    }
    state = only && 'used';
  };
  const spared = async (): Promise<{ params: { uuid: string } }> => {
    const fields = spare();
    await ask('POST', '/resource_providers', fields);
    return { params: { uuid: fields.uuid } };
  };
  const customClass = async (): Promise<{ params: { name: string } }> => {
    await ask('DELETE', '/resource_classes/CUSTOM_NEW');
    await ask('PUT', '/resource_classes/CUSTOM_SAMPLE');
    return { params: { name: 'CUSTOM_SAMPLE' } };
  };
  const customTrait = async (): Promise<{ params: { name: string } }> => {
    await ask('PUT', '/traits/CUSTOM_SAMPLE');
    return { params: { name: 'CUSTOM_SAMPLE' } };
  };
  const inventoryOf = { params: { uuid: main, resource_class: 'VCPU' } };
  const consumerType = (version: string): object =>
    has(version, '1.38') ? { consumer_type: 'INSTANCE' } : {};
  const consumerFields = (version: string): object => ({
    project_id: project,
    user_id: 'user',
    ...(has(version, '1.28') ? { consumer_generation: null } : {}),
    ...consumerType(version),
  });
  /** What a consumer asks for, in the form of the version. */
  const claim = (version: string): object => ({
    allocations: has(version, '1.12')
      ? { [main]: { resources: { VCPU: 1 } } }
      : [{ resource_provider: { uuid: main }, resources: { VCPU: 1 } }],
    ...(has(version, '1.8') ? consumerFields(version) : {}),
  });

  return {
    'versions:show': () => ({}),
    'resource_providers:list': (version) => ({
      query: `name=main&uuid=${main}${has(version, '1.14') ? `&in_tree=${main}` : ''}`,
    }),
    'resource_providers:create': () => ({ body: spare() }),
    'resource_providers:show': () => ({ params: atMain }),
    'resource_providers:update': async (version) => ({
      ...(await spared()),
      body: { name: spare().name, ...(has(version, '1.14') ? { parent_provider_uuid: main } : {}) },
    }),
    'resource_providers:delete': spared,
    'inventories:list': async () => (await stocked('read'), { params: atMain }),
    'inventories:create': async () => {
      await stocked();
      const body = {
        resource_class: 'DISK_GB',
        total: 5,
        reserved: 1,
        min_unit: 1,
        max_unit: 5,
        step_size: 1,
        allocation_ratio: 1.5,
      };
      return { params: atMain, body };
    },
    'inventories:replace': async () => {
      await stocked();
      return {
        params: atMain,
        body: {
          resource_provider_generation: await generation(),
          inventories: { VCPU: { total: 4 }, DISK_GB: { total: 9, reserved: 2 } },
        },
      };
    },
    'inventories:delete_all': async () => (await stocked(), { params: atMain }),
    'inventories:show': async () => (await stocked('read'), inventoryOf),
    'inventories:update': async () => {
      await stocked();
      return {
        ...inventoryOf,
        body: { resource_provider_generation: await generation(), total: 8, allocation_ratio: 2 },
      };
    },
    'inventories:delete': async () => (await stocked(), inventoryOf),
    'usages:show': async () => (await used('read'), { params: atMain }),
    'aggregates:list': () => ({ params: atMain }),
    'aggregates:update': async (version) => {
      const aggregates = [uuidFor('aggregate')];
      return {
        params: atMain,
        body: has(version, '1.19')
          ? { aggregates, resource_provider_generation: await generation() }
          : aggregates,
      };
    },
    'provider_traits:list': () => ({ params: atMain }),
    'provider_traits:update': async () => ({
      params: atMain,
      body: { traits: [trait], resource_provider_generation: await generation() },
    }),
    'provider_traits:delete': () => ({ params: atMain }),
    'provider_allocations:list': async () => (await used('read'), { params: atMain }),
    'traits:list': () => ({ query: 'name=startswith:CUSTOM&associated=false' }),
    'traits:show': customTrait,
    'traits:create': async () => (
      await ask('DELETE', '/traits/CUSTOM_SAMPLE'),
      { params: { name: 'CUSTOM_SAMPLE' } }
    ),
    'traits:delete': customTrait,
    'resource_classes:list': () => ({}),
    'resource_classes:create': async () => (
      await ask('DELETE', '/resource_classes/CUSTOM_SAMPLE'),
      { body: { name: 'CUSTOM_SAMPLE' } }
    ),
    'resource_classes:show': customClass,
    'resource_classes:update': async (version) => ({
      ...(await customClass()),
      ...(has(version, '1.7') ? {} : { body: { name: 'CUSTOM_NEW' } }),
    }),
    'resource_classes:delete': customClass,
    'usages:list': async (version) => (
      await used('read'),
      {
        query: `project_id=${project}&user_id=user${has(version, '1.38') ? '&consumer_type=INSTANCE' : ''}`,
      }
    ),
    'allocations:create': async (version) => {
      await stocked();
      return { body: { [consumer]: { ...allocation, ...consumerFields(version) } } };
    },
    'allocations:list': async () => (await used('read'), { params: { consumer_uuid: consumer } }),
    'allocations:update': async (version) => (
      await stocked(),
      { params: { consumer_uuid: consumer }, body: claim(version) }
    ),
    'allocations:delete': async () => (await used(), { params: { consumer_uuid: consumer } }),
    'allocation_candidates:list': async (version) => {
      await stocked('read');
      const granular = has(version, '1.25') ? '&resources1=VCPU:1&group_policy=none' : '';
      return { query: `resources=VCPU:1${granular}${has(version, '1.16') ? '&limit=5' : ''}` };
    },
    'reshaper:create': async (version) => {
      await stocked();
      const inventories = {
        [main]: {
          inventories: { VCPU: { total: 4 } },
          resource_provider_generation: await generation(),
        },
      };
      return {
        headers: { 'x-roles': 'service' },
        body: {
          inventories,
          allocations: {
            [consumer]: { ...allocation, consumer_generation: null, ...consumerType(version) },
          },
        },
      };
    },
  };
}
