// Tests of the hosts of a new region: those by default, and those of --hosts.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { onEachDatabase, ownCloud } from '../../../support/cloud.ts';
import { ask, config } from '../support.ts';

interface Hypervisor {
  id: string | number;
  hypervisor_hostname: string;
}

const namesOf = (body: unknown): string[] =>
  (body as { hypervisors: Hypervisor[] }).hypervisors.map((one) => one.hypervisor_hostname);

onEachDatabase('compute: hosts of a new region', config, (world) => {
  const idOf = async (name: string, version = '2.53'): Promise<string> => {
    const { body } = await ask(world, 'GET', '/os-hypervisors', { version });
    return String(
      (body as { hypervisors: Hypervisor[] }).hypervisors.find(
        (one) => one.hypervisor_hostname === name,
      )!.id,
    );
  };
  const placement = (method: string, path: string) =>
    world.ask('placement', method, `/placement${path}`, { version: '1.39' });

  describe('a new region', () => {
    it('has three hosts, each with a resource provider of the same id and name', async () => {
      expect(namesOf((await ask(world, 'GET', '/os-hypervisors')).body)).to.deep.equal([
        'compute-1',
        'compute-2',
        'compute-3',
      ]);
      const { body } = await placement('GET', '/resource_providers');
      expect(body.resource_providers.map(({ name }: { name: string }) => name)).to.deep.equal([
        'compute-1',
        'compute-2',
        'compute-3',
      ]);
      expect(body.resource_providers[0].uuid).to.equal(await idOf('compute-1'));
    });

    it('has the inventories and traits that Nova writes', async () => {
      const path = `/resource_providers/${await idOf('compute-1')}`;
      const { inventories } = (await placement('GET', `${path}/inventories`)).body;
      expect(inventories.VCPU).to.deep.equal({
        total: 16,
        reserved: 0,
        min_unit: 1,
        max_unit: 16,
        step_size: 1,
        allocation_ratio: 4,
      });
      expect(inventories.MEMORY_MB).to.deep.include({
        total: 65_536,
        reserved: 512,
        allocation_ratio: 1,
      });
      expect(inventories.DISK_GB).to.deep.include({ total: 1000, reserved: 0 });
      expect((await placement('GET', `${path}/traits`)).body.traits)
        .to.include('COMPUTE_NODE')
        .and.include('OWNER_NOVA');
    });
  });
});

describe('compute: --hosts', () => {
  it('reads hosts from a file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cumulet-hosts-'));
    const file = join(folder, 'hosts.yaml');
    try {
      writeFileSync(
        file,
        'hosts:\n  - { name: a, vcpus: 2, zone: z1 }\n  - { name: b, traits: [CUSTOM_SSD] }\n',
      );
      const opened = await ownCloud('sqlite', { ...config, hosts: file });
      const rows = (await opened!.cloud.firstRegion.database
        .db('compute_hosts')
        .orderBy('id')
        .select('name', 'vcpus')) as object[];
      await opened!.close();
      expect(rows).to.deep.equal([
        { name: 'a', vcpus: 2 },
        { name: 'b', vcpus: 16 },
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('fails with a message that says what is expected', async () => {
    const failure = await ownCloud('sqlite', { ...config, hosts: '/no/such/file' }).catch(
      (error: Error) => error,
    );
    expect((failure as Error).message).to.equal(
      '--hosts /no/such/file: expected a number, or the path of a readable file.',
    );
  });
});
