// Inventories that are written over: all of a provider at once, or one of them.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  asking,
  claim,
  consumer,
  expectRefusal,
  makeProvider,
  newest,
  provider,
} from './makers.ts';
import { greatest, refusedInventories } from './refused-inventories.ts';

const plain = { reserved: 0, min_unit: 1, max_unit: greatest, step_size: 1, allocation_ratio: 1 };
const noon = { 'last-modified': 'Fri, 20 Nov 2026 12:00:00 GMT', 'cache-control': 'no-cache' };

onEachDatabase('Placement: inventories that are replaced', { auth: 'noauth2' }, (world) => {
  const ask = asking(world);
  const one = provider(1);
  const path = `/resource_providers/${one}/inventories`;
  const put = (generation: unknown, inventories: unknown, version = newest) =>
    ask(`PUT ${path}`, version, {
      body: { resource_provider_generation: generation, inventories },
    });
  const putOne = (name: string, body: object, version = newest) =>
    ask(`PUT ${path}/${name}`, version, { body });
  const generation = async (): Promise<number> =>
    (await ask(`GET ${path}`).expect(200)).body.resource_provider_generation as number;
  const invalid = (verb: string, name: string, comparison: string) =>
    `Unable to ${verb} inventory for resource provider ${one}: Invalid inventory for '${name}' on resource provider '${one}'. The reserved value is ${comparison}.`;

  describe('PUT .../inventories', () => {
    it('makes the inventories exactly these', async () => {
      await makeProvider(ask, one, { has: { VCPU: 4, DISK_GB: 10 } });
      await world.setTime('2026-11-20T13:00:00Z');
      const { body, headers } = await put(
        1,
        { DISK_GB: { total: 20 }, MEMORY_MB: { total: 5 } },
        '1.15',
      ).expect(200);
      expect(body).to.deep.equal({
        resource_provider_generation: 2,
        inventories: { DISK_GB: { total: 20, ...plain }, MEMORY_MB: { total: 5, ...plain } },
      });
      expect(headers).to.include({
        'last-modified': 'Fri, 20 Nov 2026 13:00:00 GMT',
        'cache-control': 'no-cache',
      });
      expect((await ask(`GET ${path}`, newest).expect(200)).body).to.deep.equal(body);
    });

    it('counts the generation up where nothing changes, too', async () => {
      await makeProvider(ask, one, { has: { VCPU: 4 } });
      await put(1, { VCPU: { total: 4 } }).expect(200);
      const emptied = await put(2, {}).expect(200);
      expect(emptied.body).to.deep.equal({ resource_provider_generation: 3, inventories: {} });
      expect(emptied.headers).to.not.have.property('last-modified');
      expect((await put(3, {}).expect(200)).body.resource_provider_generation).to.equal(4);
    });

    it('refuses a stale generation', async () => {
      await makeProvider(ask, one, { has: { VCPU: 4 } });
      expectRefusal(
        await put(0, { VCPU: { total: 8 } }),
        409,
        'resource provider generation conflict',
        'placement.concurrent_update',
      );
      expect((await ask(`GET ${path}/VCPU`).expect(200)).body.total).to.equal(4);
    });

    it('lets one of several writers with the same generation through', async () => {
      await makeProvider(ask, one);
      const answers = await Promise.all([1, 2, 3, 4].map((total) => put(0, { VCPU: { total } })));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409, 409]);
      expect(await generation()).to.equal(1);
      const winner = answers.findIndex(({ status }) => status === 200) + 1;
      expect((await ask(`GET ${path}/VCPU`).expect(200)).body.total).to.equal(winner);
    });

    it('may shrink an inventory below what is used of it', async () => {
      await makeProvider(ask, one, { has: { VCPU: 4 } });
      await claim(ask, consumer(1), { [one]: { VCPU: 4 } });
      await put(2, { VCPU: { total: 1 } }).expect(200);
      expect(
        (await ask(`GET /resource_providers/${one}/usages`).expect(200)).body.usages,
      ).to.deep.equal({ VCPU: 4 });
    });

    it('keeps classes that are in use, and then changes nothing', async () => {
      await makeProvider(ask, one, { has: { DISK_GB: 10, PGPU: 1, VCPU: 4 } });
      await claim(ask, consumer(1), { [one]: { DISK_GB: 1, VCPU: 1 } });
      const message = `update conflict: Inventory for 'VCPU, DISK_GB' on resource provider '${one}' in use.`;
      expectRefusal(
        await put(2, { PGPU: { total: 9 } }),
        409,
        message,
        'placement.inventory.inuse',
      );
      expect(await generation()).to.equal(2);
      expect((await ask(`GET ${path}/PGPU`).expect(200)).body.total).to.equal(1);
    });

    it('refuses classes that there are not', async () => {
      await makeProvider(ask, one);
      const message = `Unknown resource class in inventory for resource provider ${one}: No such resource class NOPE.`;
      expectRefusal(await put(0, { VCPU: { total: 4 }, NOPE: { total: 1 } }), 400, message);
      // Upstream's schema lets such a name through, and where its value is no inventory a 500
      // follows.
      expectRefusal(await put(0, { vcpu: { total: 1 } }), 400, /vcpu/);
      expectRefusal(await put(0, { vcpu: 1 }), 400, /./);
      expect(await generation()).to.equal(0);
    });

    for (const [what, fields, message] of refusedInventories) {
      it(`refuses ${what}`, async () => {
        await makeProvider(ask, one);
        expectRefusal(await put(0, { VCPU: fields }), 400, message);
      });
    }

    it('wants something left to claim, as POST does', async () => {
      await makeProvider(ask, one);
      const full = { VCPU: { total: 4, reserved: 4 } };
      expectRefusal(
        await put(0, full, '1.25'),
        400,
        invalid('update', 'VCPU', 'greater than or equal to total'),
      );
      await put(0, full, '1.26').expect(200);
      expectRefusal(
        await put(1, { VCPU: { total: 4, reserved: 5 } }, '1.26'),
        400,
        invalid('update', 'VCPU', 'greater than total'),
      );
    });

    it('wants both fields and no other, but ignores a generation in an inventory', async () => {
      await makeProvider(ask, one);
      expectRefusal(
        await ask(`PUT ${path}`, newest, { body: { inventories: {} } }),
        400,
        /'resource_provider_generation' is a required property/,
      );
      expectRefusal(
        await ask(`PUT ${path}`, newest, { body: { resource_provider_generation: 0 } }),
        400,
        /'inventories' is a required property/,
      );
      expectRefusal(
        await ask(`PUT ${path}`, newest, {
          body: { resource_provider_generation: 0, inventories: {}, x: 1 },
        }),
        400,
        /'x' was unexpected/,
      );
      expectRefusal(await put('1', {}), 400, /'1' is not of type 'integer'/);
      await put(0, { VCPU: { total: 4, resource_provider_generation: 99 } }).expect(200);
    });

    it('says first that there is no such provider, then what is wrong with the body, then that the generation is stale', async () => {
      const bad = { resource_provider_generation: 9, inventories: { VCPU: {} } };
      expectRefusal(
        await ask(`PUT ${path}`, newest, { body: bad }),
        404,
        `No resource provider with uuid ${one} found`,
      );
      await makeProvider(ask, one);
      expectRefusal(
        await ask(`PUT ${path}`, newest, { body: bad }),
        400,
        /'total' is a required property/,
      );
      expectRefusal(
        await put(9, { NOPE: { total: 1 } }),
        409,
        'resource provider generation conflict',
        'placement.concurrent_update',
      );
    });
  });

  describe('PUT .../inventories/{class}', () => {
    beforeEach(() => makeProvider(ask, one, { has: { VCPU: { total: 4, reserved: 1 } } }));

    it('replaces the inventory: what is left out goes back to what is usual', async () => {
      const { body, headers } = await putOne(
        'VCPU',
        { total: 8, resource_provider_generation: 1 },
        '1.15',
      ).expect(200);
      expect(body).to.deep.equal({ total: 8, ...plain, resource_provider_generation: 2 });
      expect(headers).to.include(noon);
    });

    it('needs the generation, and the right one', async () => {
      expectRefusal(
        await putOne('VCPU', { total: 8 }),
        400,
        /'resource_provider_generation' is a required property/,
      );
      const stale = await putOne('VCPU', { total: 8, resource_provider_generation: 0 });
      expectRefusal(
        stale,
        409,
        'resource provider generation conflict',
        'placement.concurrent_update',
      );
    });

    it('does not take the class in the body', async () => {
      const answer = await putOne('VCPU', {
        resource_class: 'VCPU',
        total: 8,
        resource_provider_generation: 1,
      });
      expectRefusal(
        answer,
        400,
        /Additional properties are not allowed \('resource_class' was unexpected\)/,
      );
    });

    it('refuses what is not there yet: 404 for an unknown class, 400 for a known one', async () => {
      const body = { total: 8, resource_provider_generation: 1 };
      expectRefusal(await putOne('NOPE', body), 404, 'No such resource class NOPE.');
      const message = `No inventory record with resource class for resource provider ${one}: No inventory of class DISK_GB found.`;
      expectRefusal(await putOne('DISK_GB', body), 400, message);
      expect(await generation()).to.equal(1);
    });

    it('wants something left to claim', async () => {
      const answer = await putOne(
        'VCPU',
        { total: 4, reserved: 4, resource_provider_generation: 1 },
        '1.25',
      );
      expectRefusal(answer, 400, invalid('update', 'VCPU', 'greater than or equal to total'));
    });
  });
});
