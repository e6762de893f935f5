// Tests of adding and removing hosts through the emulator's API.
import { expect } from 'chai';
import { onEachDatabase } from '../../../support/cloud.ts';
import { putServer } from '../servers/by-hand.ts';
import { ask, config, member } from '../support.ts';

interface Hypervisor {
  id: string | number;
  hypervisor_hostname: string;
}

const namesOf = (body: unknown): string[] =>
  (body as { hypervisors: Hypervisor[] }).hypervisors.map((one) => one.hypervisor_hostname);

onEachDatabase('compute: hosts of the emulator', config, (world) => {
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

  describe('/_emulator/hosts', () => {
    const own = (method: string, path = '', body?: object) =>
      world.ask('emulator', method, `/_emulator/hosts${path}`, {
        token: null,
        ...(body ? { body } : {}),
      });

    it('adds a host with ratios, reserved amounts, traits and a zone', async () => {
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

    it('removes a host with its service and its provider, and from its aggregates', async () => {
      const { body } = await own('POST', '', { name: 'big', zone: 'az1' });
      expect((await own('DELETE', '/big')).status).to.equal(204);
      expect((await placement('GET', `/resource_providers/${body.uuid}`)).status).to.equal(404);
      expect((await ask(world, 'GET', '/os-services?host=big')).body.services).to.deep.equal([]);
      expect((await ask(world, 'GET', '/os-aggregates')).body.aggregates[0].hosts).to.deep.equal(
        [],
      );
      expect((await own('DELETE', '/big')).status).to.equal(404);
    });

    it('returns 409 for a host with servers, or with allocations in Placement', async () => {
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

    it('returns 400 for an invalid host, with a message that says what is expected', async () => {
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
    });

    it('returns 409 for a taken name', async () => {
      expect((await own('POST', '', { name: 'compute-1' })).status).to.equal(409);
    });

    it('keeps added hosts in a reset of Placement, but not in one of Compute', async () => {
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
