// Concurrent writes of Placement.
import { newUuid } from '../../../../src/kernel/ids.ts';
import { mustSucceed, type Scenario } from '../races.ts';

const inventory = (total: number): object => ({ total });

export const placementScenarios: readonly Scenario[] = [
  {
    name: 'a provider, its class and its trait',
    async setup(send, name) {
      const [parent, provider, consumer, child] = [newUuid(), newUuid(), newUuid(), newUuid()];
      await mustSucceed(send, [
        'POST',
        '/placement/resource_providers',
        { name: `parent-${name}`, uuid: parent },
      ]);
      await mustSucceed(send, [
        'POST',
        '/placement/resource_providers',
        { name: `provider-${name}`, uuid: provider },
      ]);
      await mustSucceed(send, ['PUT', `/placement/resource_classes/CUSTOM_C_${name}`]);
      await mustSucceed(send, ['PUT', `/placement/traits/CUSTOM_T_${name}`]);
      const inventories = { resource_provider_generation: 0, inventories: { VCPU: inventory(4) } };
      await mustSucceed(send, [
        'PUT',
        `/placement/resource_providers/${provider}/inventories`,
        inventories,
      ]);
      return { parent, provider, consumer, child };
    },
    writes: ({ parent, provider, consumer, child }, name) => {
      const at = `/placement/resource_providers/${provider}`;
      const both = { VCPU: inventory(8), [`CUSTOM_C_${name}`]: inventory(2) };
      const allocations = {
        allocations: { [provider!]: { resources: { VCPU: 1 } } },
        project_id: 'p',
        user_id: 'u',
        consumer_generation: null,
        consumer_type: 'INSTANCE',
      };
      return {
        'put inventories': [
          'PUT',
          `${at}/inventories`,
          { resource_provider_generation: 1, inventories: both },
        ],
        'post inventory': [
          'POST',
          `${at}/inventories`,
          { resource_class: `CUSTOM_C_${name}`, total: 3 },
        ],
        'delete inventory': ['DELETE', `${at}/inventories/VCPU`],
        'delete class': ['DELETE', `/placement/resource_classes/CUSTOM_C_${name}`],
        'put traits': [
          'PUT',
          `${at}/traits`,
          { resource_provider_generation: 1, traits: [`CUSTOM_T_${name}`] },
        ],
        'delete trait': ['DELETE', `/placement/traits/CUSTOM_T_${name}`],
        'put aggregates': [
          'PUT',
          `${at}/aggregates`,
          { resource_provider_generation: 1, aggregates: [consumer] },
        ],
        'create child': [
          'POST',
          '/placement/resource_providers',
          { name: `child-${name}`, uuid: child, parent_provider_uuid: provider },
        ],
        'move to another parent': [
          'PUT',
          at,
          { name: `moved-${name}`, parent_provider_uuid: parent },
        ],
        rename: ['PUT', at, { name: `renamed-${name}` }],
        'delete provider': ['DELETE', at],
        'delete parent': ['DELETE', `/placement/resource_providers/${parent}`],
        allocate: ['PUT', `/placement/allocations/${consumer}`, allocations],
      };
    },
    reads: ({ parent, provider, consumer, child }, name) => [
      `/placement/resource_providers/${parent}`,
      `/placement/resource_providers/${provider}`,
      `/placement/resource_providers/${provider}/inventories`,
      `/placement/resource_providers/${provider}/traits`,
      `/placement/resource_providers/${provider}/aggregates`,
      `/placement/resource_providers/${provider}/allocations`,
      `/placement/resource_providers/${child}`,
      `/placement/allocations/${consumer}`,
      `/placement/resource_classes/CUSTOM_C_${name}`,
      `/placement/traits/CUSTOM_T_${name}`,
    ],
  },
  {
    name: 'the allocations of a consumer',
    async setup(send, name) {
      const [provider, other, consumer] = [newUuid(), newUuid(), newUuid()];
      for (const [uuid, kind] of [
        [provider, 'provider'],
        [other, 'other'],
      ] as const) {
        await mustSucceed(send, [
          'POST',
          '/placement/resource_providers',
          { name: `${kind}-${name}`, uuid },
        ]);
        const inventories = {
          resource_provider_generation: 0,
          inventories: { VCPU: inventory(2) },
        };
        await mustSucceed(send, [
          'PUT',
          `/placement/resource_providers/${uuid}/inventories`,
          inventories,
        ]);
      }
      const resources = { [provider]: { resources: { VCPU: 1 } } };
      const body = {
        allocations: resources,
        project_id: 'p',
        user_id: 'u',
        consumer_generation: null,
        consumer_type: 'INSTANCE',
      };
      await mustSucceed(send, ['PUT', `/placement/allocations/${consumer}`, body]);
      return { provider, other, consumer };
    },
    writes: ({ provider, other, consumer }) => {
      const twoCpus = (on: string, project: string): object => ({
        allocations: { [on]: { resources: { VCPU: 2 } } },
        project_id: project,
        user_id: 'u',
        consumer_generation: 1,
        consumer_type: 'INSTANCE',
      });
      const empty = {
        allocations: {},
        project_id: 'p',
        user_id: 'u',
        consumer_generation: 1,
        consumer_type: 'INSTANCE',
      };
      return {
        'enlarge the allocation': [
          'PUT',
          `/placement/allocations/${consumer}`,
          twoCpus(provider!, 'p'),
        ],
        'move the allocation': ['PUT', `/placement/allocations/${consumer}`, twoCpus(other!, 'q')],
        'clear the allocations': ['PUT', `/placement/allocations/${consumer}`, empty],
        'post allocations': [
          'POST',
          '/placement/allocations',
          { [consumer!]: twoCpus(other!, 'p') },
        ],
        'delete the allocations': ['DELETE', `/placement/allocations/${consumer}`],
        'delete provider': ['DELETE', `/placement/resource_providers/${other}`],
        'delete inventories': ['DELETE', `/placement/resource_providers/${other}/inventories`],
      };
    },
    reads: ({ provider, other, consumer }) => [
      `/placement/allocations/${consumer}`,
      `/placement/resource_providers/${provider}/usages`,
      `/placement/resource_providers/${other}/usages`,
      `/placement/resource_providers/${provider}`,
      `/placement/resource_providers/${other}`,
      `/placement/resource_providers/${other}/inventories`,
    ],
  },
];
