// The data of the loads: upstream's nested performance tree, flat hosts, hosts with shared storage.
import { randomUUID } from 'node:crypto';
import type { Ask, Client } from '../client.ts';

/** Upstream's gate query for the nested tree (gate/perfload-nested-runner.sh). */
export const gateQuery =
  '/allocation_candidates?resources=DISK_GB:10&required=COMPUTE_VOLUME_MULTI_ATTACH' +
  '&resources_COMPUTE=VCPU:1,MEMORY_MB:256' +
  '&required_COMPUTE=CUSTOM_FOO&resources_FPGA=FPGA:1&group_policy=none&same_subtree=_COMPUTE,_FPGA';

interface Made {
  readonly name: string;
  readonly parent?: string;
  readonly inventories: Record<string, object>;
  readonly traits?: readonly string[];
}

/** The requests that make upstream's tree of a host: two NUMA nodes, three FPGAs, a GPU. */
export function nestedTree(): { root: string; asks: Ask[] } {
  const [root, numa0, numa1] = [randomUUID(), randomUUID(), randomUUID()];
  const traits = { numa0: ['HW_NUMA_ROOT'], numa1: ['HW_NUMA_ROOT', 'CUSTOM_FOO'] };
  const asks = [
    ...provider(root, {
      name: root,
      inventories: { DISK_GB: { total: 20480 } },
      traits: ['COMPUTE_VOLUME_MULTI_ATTACH'],
    }),
    ...provider(numa0, {
      name: `numa0-${numa0}`,
      parent: root,
      inventories: {
        VCPU: { total: 4, reserved: 2 },
        MEMORY_MB: { total: 2048, min_unit: 512, step_size: 256 },
      },
      traits: traits.numa0,
    }),
    ...device('fpga0-0', numa0, { FPGA: { total: 1 } }),
    ...device('pgpu0-0', numa0, { VGPU: { total: 8 } }),
    ...provider(numa1, {
      name: `numa1-${numa1}`,
      parent: root,
      inventories: {
        VCPU: { total: 4 },
        MEMORY_MB: { total: 2048, min_unit: 256, max_unit: 1024 },
      },
      traits: traits.numa1,
    }),
    ...device('fpga1-0', numa1, { FPGA: { total: 1 } }),
    ...device('fpga1-1', numa1, { FPGA: { total: 1 } }),
  ];
  return { root, asks };
}

function device(name: string, parent: string, inventories: Record<string, object>): Ask[] {
  const uuid = randomUUID();
  return provider(uuid, { name: `${name}-${uuid}`, parent, inventories });
}

function provider(uuid: string, { name, parent, inventories, traits }: Made): Ask[] {
  const path = `/resource_providers/${uuid}`;
  return [
    {
      method: 'POST',
      path: '/resource_providers',
      body: { uuid, name, ...(parent ? { parent_provider_uuid: parent } : {}) },
    },
    {
      method: 'PUT',
      path: `${path}/inventories`,
      body: { resource_provider_generation: 0, inventories },
    },
    ...(traits
      ? [
          {
            method: 'PUT',
            path: `${path}/traits`,
            body: { resource_provider_generation: 1, traits },
          },
        ]
      : []),
  ];
}

/** A host without children, in an aggregate. */
export function flatHost(aggregate: string, disk: boolean): { uuid: string; asks: Ask[] } {
  const uuid = randomUUID();
  const inventories = {
    VCPU: { total: 64, allocation_ratio: 4 },
    MEMORY_MB: { total: 262144 },
    ...(disk ? { DISK_GB: { total: 4000 } } : {}),
  };
  const path = `/resource_providers/${uuid}`;
  const asks = provider(uuid, { name: `host-${uuid}`, inventories, traits: ['HW_CPU_X86_AVX2'] });
  return {
    uuid,
    asks: [
      ...asks,
      {
        method: 'PUT',
        path: `${path}/aggregates`,
        body: { resource_provider_generation: 2, aggregates: [aggregate] },
      },
    ],
  };
}

/** Storage that is shared with the hosts of an aggregate. */
export function sharedStorage(aggregate: string): Ask[] {
  const uuid = randomUUID();
  const asks = provider(uuid, {
    name: `storage-${uuid}`,
    inventories: { DISK_GB: { total: 2_000_000 } },
    traits: ['MISC_SHARES_VIA_AGGREGATE', 'STORAGE_DISK_SSD'],
  });
  return [
    ...asks,
    {
      method: 'PUT',
      path: `/resource_providers/${uuid}/aggregates`,
      body: { resource_provider_generation: 2, aggregates: [aggregate] },
    },
  ];
}

/** Sends requests sequentially. */
export async function perform(client: Client, asks: readonly Ask[]): Promise<void> {
  for (const one of asks) await client.must(one);
}
