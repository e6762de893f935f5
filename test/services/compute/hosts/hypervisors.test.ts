// Tests of hypervisors.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
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

  describe('GET /os-hypervisors', () => {
    it('returns numbers as ids until 2.52, and UUIDs from 2.53 on', async () => {
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

    it('returns pages from 2.33 on', async () => {
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
    });

    it('returns 400 for an unknown marker', async () => {
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

    it('filters by a part of the name from 2.53 on', async () => {
      expect(
        namesOf(
          (
            await ask(world, 'GET', '/os-hypervisors?hypervisor_hostname_pattern=UTE-2', {
              version: '2.53',
            })
          ).body,
        ),
      ).to.deep.equal(['compute-2']);
    });

    it('returns 404 if no name matches', async () => {
      expectFault(
        await ask(world, 'GET', '/os-hypervisors?hypervisor_hostname_pattern=none', {
          version: '2.53',
        }),
        404,
        "No hypervisor matching 'none' could be found.",
      );
    });

    it('returns 400 for a filter with pages, and for an unknown parameter', async () => {
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

    it('lists servers if requested, and empty lists from 2.75 on', async () => {
      const { uuid } = await putServer(world, { host: 'compute-2' });
      const servers = async (version: string): Promise<unknown[]> =>
        (
          await ask(world, 'GET', '/os-hypervisors?with_servers=True', { version })
        ).body.hypervisors.map((one: { servers?: unknown }) => one.servers);
      expect(await servers('2.74')).to.deep.equal([undefined, [{ name: 'vm', uuid }], undefined]);
      expect(await servers('2.75')).to.deep.equal([[], [{ name: 'vm', uuid }], []]);
    });

    it('returns 403 for a member', async () => {
      expectFault(
        await ask(world, 'GET', '/os-hypervisors', member),
        403,
        "Policy doesn't allow os_compute_api:os-hypervisors:list to be performed.",
      );
    });
  });

  describe('GET /os-hypervisors/{id}', () => {
    it('returns the usage in Placement until 2.87, and the uptime from 2.88 on', async () => {
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

    it('returns cpu_info as text until 2.27', async () => {
      const { body } = await ask(world, 'GET', `/os-hypervisors/${await idOf('compute-1', '2.1')}`);
      expect(JSON.parse(body.hypervisor.cpu_info as string)).to.have.property('arch', 'x86_64');
    });

    it('returns 400 for an invalid UUID, and 404 for an unknown number', async () => {
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

  describe('removed operations', () => {
    it('return statistics until 2.87', async () => {
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

    it('return the uptime until 2.87', async () => {
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

    it('search by name and list servers until 2.52', async () => {
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
});
