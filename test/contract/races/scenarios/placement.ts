// Concurrent writes to Placement.
import { newUuid } from '../../../../src/kernel/ids.ts';
import { made, type Scenario } from '../races.ts';

const inventory = (total: number): object => ({ total });

export const placementScenarios: readonly Scenario[] = [
  {
    name: 'a provider, its class and its trait',
    async setup(ask, name) {
      const [parent, provider, consumer, child] = [newUuid(), newUuid(), newUuid(), newUuid()];
      await made(ask, [
        'POST',
        '/placement/resource_providers',
        { name: `parent-${name}`, uuid: parent },
      ]);
      await made(ask, [
        'POST',
        '/placement/resource_providers',
        { name: `provider-${name}`, uuid: provider },
      ]);
      await made(ask, ['PUT', `/placement/resource_classes/CUSTOM_C_${name}`]);
      await made(ask, ['PUT', `/placement/traits/CUSTOM_T_${name}`]);
      const inventories = { resource_provider_generation: 0, inventories: { VCPU: inventory(4) } };
      await made(ask, [
        'PUT',
        `/placement/resource_providers/${provider}/inventories`,
        inventories,
      ]);
      return { parent, provider, consumer, child };
    },
    writes: ({ parent, provider, consumer, child }, name) => {
      const at = `/placement/resource_providers/${provider}`;
      const both = { VCPU: inventory(8), [`CUSTOM_C_${name}`]: inventory(2) };
      const claim = {
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
        move: ['PUT', at, { name: `moved-${name}`, parent_provider_uuid: parent }],
        rename: ['PUT', at, { name: `renamed-${name}` }],
        'delete provider': ['DELETE', at],
        'delete parent': ['DELETE', `/placement/resource_providers/${parent}`],
        claim: ['PUT', `/placement/allocations/${consumer}`, claim],
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
    name: 'a consumer',
    async setup(ask, name) {
      const [provider, other, consumer] = [newUuid(), newUuid(), newUuid()];
      for (const [uuid, kind] of [
        [provider, 'provider'],
        [other, 'other'],
      ] as const) {
        await made(ask, [
          'POST',
          '/placement/resource_providers',
          { name: `${kind}-${name}`, uuid },
        ]);
        const inventories = {
          resource_provider_generation: 0,
          inventories: { VCPU: inventory(2) },
        };
        await made(ask, ['PUT', `/placement/resource_providers/${uuid}/inventories`, inventories]);
      }
      const resources = { [provider]: { resources: { VCPU: 1 } } };
      const body = {
        allocations: resources,
        project_id: 'p',
        user_id: 'u',
        consumer_generation: null,
        consumer_type: 'INSTANCE',
      };
      await made(ask, ['PUT', `/placement/allocations/${consumer}`, body]);
      return { provider, other, consumer };
    },
    writes: ({ provider, other, consumer }) => {
      const claim = (on: string, project: string): object => ({
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
        grow: ['PUT', `/placement/allocations/${consumer}`, claim(provider!, 'p')],
        move: ['PUT', `/placement/allocations/${consumer}`, claim(other!, 'q')],
        empty: ['PUT', `/placement/allocations/${consumer}`, empty],
        'post several': ['POST', '/placement/allocations', { [consumer!]: claim(other!, 'p') }],
        delete: ['DELETE', `/placement/allocations/${consumer}`],
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
