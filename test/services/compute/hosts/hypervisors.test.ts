// Tests of hypervisors, and of the hosts behind them that come and go.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { onEachDatabase, ownCloud } from '../../../support/cloud.ts';
import { putServer } from '../servers/by-hand.ts';
import { ask, config, expectFault, member } from '../support.ts';

interface Hypervisor {
  id: string | number;
  hypervisor_hostname: string;
}

const namesOf = (body: unknown): string[] =>
  (body as { hypervisors: Hypervisor[] }).hypervisors.map((one) => one.hypervisor_hostname);

onEachDatabase('compute: hypervisors', config, (world) => {
  const idOf = async (name: string, version = '2.53'): Promise<string> => {
    const { body } = await ask(world, 'GET', '/os-hypervisors', { version });
    return String(
      (body as { hypervisors: Hypervisor[] }).hypervisors.find(
        (one) => one.hypervisor_hostname === name,
      )!.id,
    );
  };
  const placement = (method: string, path: string, body?: unknown) =>
    world.ask('placement', method, `/placement${path}`, {
      version: '1.39',
      ...(body === undefined ? {} : { body }),
    });

  describe('a new region', () => {
    it('has three hosts, each with a provider of the same id and name', async () => {
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

    it('whose inventories and traits are as Nova writes them', async () => {
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

  describe('GET /os-hypervisors', () => {
    it('has numbers for ids until 2.52, and UUIDs from 2.53 on', async () => {
      const old = await ask(world, 'GET', '/os-hypervisors', { version: '2.52' });
      expect(old.body.hypervisors[0].id).to.be.a('number');
      expect(Object.keys(old.body.hypervisors[0] as object).toSorted()).to.deep.equal([
        'hypervisor_hostname',
        'id',
        'state',
        'status',
      ]);
      expect(
        (await ask(world, 'GET', '/os-hypervisors', { version: '2.53' })).body.hypervisors[0].id,
      ).to.match(/^[0-9a-f-]{36}$/);
    });

    it('goes page by page from 2.33 on', async () => {
      const first = await ask(world, 'GET', '/os-hypervisors?limit=2', { version: '2.53' });
      expect(namesOf(first.body)).to.deep.equal(['compute-1', 'compute-2']);
      const next = new URL(
        (first.body as { hypervisors_links: { href: string }[] }).hypervisors_links[0]!.href,
      );
      expect(
        namesOf(
          (await world.ask('compute', 'GET', next.pathname + next.search, { version: '2.53' }))
            .body,
        ),
      ).to.deep.equal(['compute-3']);
      expect(
        namesOf((await ask(world, 'GET', '/os-hypervisors?limit=2', { version: '2.32' })).body),
      ).to.have.length(3);
      expectFault(
        await ask(world, 'GET', '/os-hypervisors?marker=x', { version: '2.53' }),
        400,
        'marker [x] not found',
      );
      expectFault(
        await ask(world, 'GET', '/os-hypervisors?marker=99', { version: '2.33' }),
        400,
        'marker [99] not found',
      );
    });

    it('finds by a part of the name from 2.53 on, and not in pages', async () => {
      expect(
        namesOf(
          (
            await ask(world, 'GET', '/os-hypervisors?hypervisor_hostname_pattern=UTE-2', {
              version: '2.53',
            })
          ).body,
        ),
      ).to.deep.equal(['compute-2']);
      expectFault(
        await ask(world, 'GET', '/os-hypervisors?hypervisor_hostname_pattern=none', {
          version: '2.53',
        }),
        404,
        "No hypervisor matching 'none' could be found.",
      );
      expectFault(
        await ask(world, 'GET', '/os-hypervisors?hypervisor_hostname_pattern=c&limit=1', {
          version: '2.53',
        }),
        400,
        /^Paging over hypervisors/,
      );
      expectFault(
        await ask(world, 'GET', '/os-hypervisors?x=1', { version: '2.53' }),
        400,
        /Additional properties are not allowed/,
      );
    });

    it('lists servers where they are asked for, and empty lists only from 2.75 on', async () => {
      const { uuid } = await putServer(world, { host: 'compute-2' });
      const servers = async (version: string): Promise<unknown[]> =>
        (
          await ask(world, 'GET', '/os-hypervisors?with_servers=True', { version })
        ).body.hypervisors.map((one: { servers?: unknown }) => one.servers);
      expect(await servers('2.74')).to.deep.equal([undefined, [{ name: 'vm', uuid }], undefined]);
      expect(await servers('2.75')).to.deep.equal([[], [{ name: 'vm', uuid }], []]);
    });

    it('is for administrators', async () => {
      expectFault(
        await ask(world, 'GET', '/os-hypervisors', member),
        403,
        "Policy doesn't allow os_compute_api:os-hypervisors:list to be performed.",
      );
    });
  });

  describe('GET /os-hypervisors/{id}', () => {
    it('shows figures that follow Placement until 2.87, and uptime instead from 2.88 on', async () => {
      const id = await idOf('compute-1');
      const allocations = { [id]: { resources: { VCPU: 3, MEMORY_MB: 1024, DISK_GB: 10 } } };
      await placement('PUT', '/allocations/11111111-1111-1111-1111-111111111111', {
        allocations,
        project_id: 'p',
        user_id: 'u',
        consumer_generation: null,
        consumer_type: 'INSTANCE',
      });
      await putServer(world, { host: 'compute-1' });
      const { hypervisor } = (await ask(world, 'GET', `/os-hypervisors/${id}`, { version: '2.87' }))
        .body;
      expect(hypervisor).to.deep.include({
        vcpus: 16,
        vcpus_used: 3,
        memory_mb: 65_536,
        memory_mb_used: 1536,
        free_ram_mb: 64_000,
        local_gb: 1000,
        local_gb_used: 10,
        free_disk_gb: 990,
        running_vms: 1,
        current_workload: 0,
        hypervisor_hostname: 'compute-1',
        state: 'up',
        status: 'enabled',
      });
      expect(hypervisor.cpu_info.topology.cores).to.equal(16);
      expect(hypervisor.service).to.deep.include({ host: 'compute-1', disabled_reason: null });
      const newer = (await ask(world, 'GET', `/os-hypervisors/${id}`, { version: '2.88' })).body
        .hypervisor;
      expect(newer).to.not.have.any.keys('vcpus', 'cpu_info', 'running_vms');
      expect(newer.uptime).to.match(/^ 12:00:00 up \d+ days, /);
    });

    it('has cpu_info as text until 2.27', async () => {
      const { body } = await ask(world, 'GET', `/os-hypervisors/${await idOf('compute-1', '2.1')}`);
      expect(JSON.parse(body.hypervisor.cpu_info as string)).to.have.property('arch', 'x86_64');
    });

    it('refuses what is no id', async () => {
      expectFault(
        await ask(world, 'GET', '/os-hypervisors/compute-1', { version: '2.53' }),
        400,
        'Invalid uuid compute-1',
      );
      expectFault(
        await ask(world, 'GET', '/os-hypervisors/compute-1', { version: '2.52' }),
        404,
        "Hypervisor with ID 'compute-1' could not be found.",
      );
      expectFault(
        await ask(world, 'GET', '/os-hypervisors/99999', { version: '2.52' }),
        404,
        "Hypervisor with ID '99999' could not be found.",
      );
    });
  });

  describe('what there was once', () => {
    it('sums up the figures until 2.87', async () => {
      const { body } = await ask(world, 'GET', '/os-hypervisors/statistics');
      expect(body.hypervisor_statistics).to.deep.include({
        count: 3,
        vcpus: 48,
        memory_mb: 196_608,
        memory_mb_used: 1536,
        running_vms: 0,
      });
      expectFault(
        await ask(world, 'GET', '/os-hypervisors/statistics', { version: '2.88' }),
        404,
        'The resource could not be found.',
      );
    });

    it('tells the uptime until 2.87', async () => {
      await world.ask('emulator', 'POST', '/_emulator/hosts', {
        token: null,
        body: { name: 'late' },
      });
      await world.setTime('2026-11-22T13:05:00Z');
      const { body } = await ask(
        world,
        'GET',
        `/os-hypervisors/${await idOf('late', '2.1')}/uptime`,
      );
      expect(body.hypervisor.uptime).to.match(/^ 13:05:00 up 2 days, 1:05,/);
      expectFault(
        await ask(world, 'GET', `/os-hypervisors/${await idOf('compute-1')}/uptime`, {
          version: '2.88',
        }),
        404,
        'The resource could not be found.',
      );
    });

    it('searches, and lists servers, until 2.52', async () => {
      const { uuid } = await putServer(world, { host: 'compute-2' });
      expect(namesOf((await ask(world, 'GET', '/os-hypervisors/ute-2/search')).body)).to.deep.equal(
        ['compute-2'],
      );
      expectFault(
        await ask(world, 'GET', '/os-hypervisors/none/search'),
        404,
        "No hypervisor matching 'none' could be found.",
      );
      const { body } = await ask(world, 'GET', '/os-hypervisors/compute/servers');
      expect(body.hypervisors.map((one: { servers?: unknown }) => one.servers)).to.deep.equal([
        undefined,
        [{ name: 'vm', uuid }],
        undefined,
      ]);
      expectFault(
        await ask(world, 'GET', '/os-hypervisors/ute-2/search', { version: '2.53' }),
        404,
        'The resource could not be found.',
      );
    });
  });

  describe('/_emulator/hosts', () => {
    const own = (method: string, path = '', body?: object) =>
      world.ask('emulator', method, `/_emulator/hosts${path}`, {
        token: null,
        ...(body ? { body } : {}),
      });

    it('adds a host, in a zone, with traits of its own', async () => {
      const { status, body } = await own('POST', '', {
        name: 'big',
        vcpus: 64,
        memory_mb: 1024,
        ratios: { vcpus: 2 },
        reserved: { memory_mb: 24 },
        traits: ['CUSTOM_GOLD', 'HW_CPU_X86_AVX'],
        zone: 'az1',
      });
      expect(status).to.equal(201);
      expect(body).to.deep.include({
        name: 'big',
        vcpus: 64,
        memory_mb: 1024,
        disk_gb: 1000,
        enabled: true,
        up: true,
      });
      expect(await idOf('big')).to.equal(body.uuid);
      const { inventories } = (
        await placement('GET', `/resource_providers/${body.uuid}/inventories`)
      ).body;
      expect(inventories.VCPU).to.deep.include({ total: 64, max_unit: 64, allocation_ratio: 2 });
      expect(inventories.MEMORY_MB).to.deep.include({ total: 1024, reserved: 24 });
      expect((await placement('GET', `/resource_providers/${body.uuid}/traits`)).body.traits)
        .to.include('CUSTOM_GOLD')
        .and.include('HW_CPU_X86_AVX');
      const zones = (await ask(world, 'GET', '/os-availability-zone', member)).body
        .availabilityZoneInfo;
      expect(zones.map(({ zoneName }: { zoneName: string }) => zoneName)).to.deep.equal([
        'nova',
        'az1',
      ]);
      expect((await own('GET')).body.hosts.map(({ name }: { name: string }) => name)).to.deep.equal(
        ['compute-1', 'compute-2', 'compute-3', 'big'],
      );
    });

    it('removes one with its service, its provider and its places in aggregates', async () => {
      const { body } = await own('POST', '', { name: 'big', zone: 'az1' });
      expect((await own('DELETE', '/big')).status).to.equal(204);
      expect((await placement('GET', `/resource_providers/${body.uuid}`)).status).to.equal(404);
      expect((await ask(world, 'GET', '/os-services?host=big')).body.services).to.deep.equal([]);
      expect((await ask(world, 'GET', '/os-aggregates')).body.aggregates[0].hosts).to.deep.equal(
        [],
      );
      expect((await own('DELETE', '/big')).status).to.equal(404);
    });

    it('keeps a host that servers are on, or whose provider is used', async () => {
      await putServer(world, { host: 'compute-1' });
      expect((await own('DELETE', '/compute-1')).status).to.equal(409);
      const id = await idOf('compute-2');
      await placement('PUT', '/allocations/11111111-1111-1111-1111-111111111111', {
        allocations: { [id]: { resources: { VCPU: 1 } } },
        project_id: 'p',
        user_id: 'u',
        consumer_generation: null,
        consumer_type: 'INSTANCE',
      });
      expect((await own('DELETE', '/compute-2')).status).to.equal(409);
      expect(namesOf((await ask(world, 'GET', '/os-hypervisors')).body)).to.include('compute-2');
    });

    it('refuses what is no host, and says what is expected', async () => {
      for (const [body, message] of [
        [{ name: 'a b' }, /name: letters, digits/],
        [{ name: 'x', vcpus: 0 }, /vcpus: a whole number of at least 1/],
        [{ name: 'x', traits: ['NO_SUCH'] }, /traits: a list of standard traits/],
        [{ name: 'x', zone: 'a:b' }, /zone: a name without a colon/],
        [{ name: 'x', region: 'None' }, /There is no region 'None'/],
      ] as const) {
        const reply = await own('POST', '', body);
        expect([reply.status, reply.body.error.message]).to.satisfy(
          ([status, text]: [number, string]) => status === 400 && message.test(text),
        );
      }
      expect((await own('POST', '', { name: 'compute-1' })).status).to.equal(409);
    });

    it('outlive a reset of Placement alone, and are as at first after one of Compute', async () => {
      const { body } = await own('POST', '', { name: 'big', zone: 'az1' });
      const reset = (service: string) =>
        world.ask('emulator', 'POST', '/_emulator/reset', { token: null, body: { service } });
      await reset('placement');
      expect(
        (await placement('GET', '/resource_providers?name=big')).body.resource_providers,
      ).to.have.length(1);
      const { aggregates } = (await placement('GET', `/resource_providers/${body.uuid}/aggregates`))
        .body;
      expect(aggregates).to.deep.equal([
        (await ask(world, 'GET', '/os-aggregates', { version: '2.41' })).body.aggregates[0].uuid,
      ]);
      expect((await reset('compute')).status).to.equal(204);
      expect(namesOf((await ask(world, 'GET', '/os-hypervisors')).body)).to.deep.equal([
        'compute-1',
        'compute-2',
        'compute-3',
      ]);
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

  it('says what is wrong with one', async () => {
    const failure = await ownCloud('sqlite', { ...config, hosts: '/no/such/file' }).catch(
      (error: Error) => error,
    );
    expect((failure as Error).message).to.equal(
      '--hosts /no/such/file: expected a number, or the path of a readable file.',
    );
  });
});
