// Replacement of all inventories of a provider, or of one of them.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  senderFor,
  claim,
  consumer,
  expectRefusal,
  makeProvider,
  newest,
  provider,
} from './support.ts';
import { maxInteger, invalidInventories } from './invalid-inventories.ts';

const plain = { reserved: 0, min_unit: 1, max_unit: maxInteger, step_size: 1, allocation_ratio: 1 };
const noon = { 'last-modified': 'Fri, 20 Nov 2026 12:00:00 GMT', 'cache-control': 'no-cache' };

onEachDatabase('Placement: replacement of inventories', { auth: 'noauth2' }, (world) => {
  const send = senderFor(world);
  const one = provider(1);
  const path = `/resource_providers/${one}/inventories`;
  const put = (generation: unknown, inventories: unknown, version = newest) =>
    send(`PUT ${path}`, version, {
      body: { resource_provider_generation: generation, inventories },
    });
  const putOne = (name: string, body: object, version = newest) =>
    send(`PUT ${path}/${name}`, version, { body });
  const generation = async (): Promise<number> =>
    (await send(`GET ${path}`).expect(200)).body.resource_provider_generation as number;
  const invalid = (verb: string, name: string, comparison: string) =>
    `Unable to ${verb} inventory for resource provider ${one}: Invalid inventory for ` +
    `'${name}' on resource provider '${one}'. The reserved value is ${comparison}.`;

  describe('PUT .../inventories', () => {
    it('replaces all inventories', async () => {
      await makeProvider(send, one, { inventories: { VCPU: 4, DISK_GB: 10 } });
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
      expect((await send(`GET ${path}`, newest).expect(200)).body).to.deep.equal(body);
    });

    it('increments the generation even if nothing changes #placement-14', async () => {
      await makeProvider(send, one, { inventories: { VCPU: 4 } });
      await put(1, { VCPU: { total: 4 } }).expect(200);
      const emptied = await put(2, {}).expect(200);
      expect(emptied.body).to.deep.equal({ resource_provider_generation: 3, inventories: {} });
      expect(emptied.headers).to.not.have.property('last-modified');
      expect((await put(3, {}).expect(200)).body.resource_provider_generation).to.equal(4);
    });

    it('returns 409 for a stale generation #placement-14', async () => {
      await makeProvider(send, one, { inventories: { VCPU: 4 } });
      expectRefusal(
        await put(0, { VCPU: { total: 8 } }),
        409,
        'resource provider generation conflict',
        'placement.concurrent_update',
      );
      expect((await send(`GET ${path}/VCPU`).expect(200)).body.total).to.equal(4);
    });

    it('accepts only one of several concurrent writes with the same generation', async () => {
      await makeProvider(send, one);
      const answers = await Promise.all([1, 2, 3, 4].map((total) => put(0, { VCPU: { total } })));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409, 409]);
      expect(await generation()).to.equal(1);
      const winner = answers.findIndex(({ status }) => status === 200) + 1;
      expect((await send(`GET ${path}/VCPU`).expect(200)).body.total).to.equal(winner);
    });

    it('can reduce an inventory below its usage #placement-19', async () => {
      await makeProvider(send, one, { inventories: { VCPU: 4 } });
      await claim(send, consumer(1), { [one]: { VCPU: 4 } });
      await put(2, { VCPU: { total: 1 } }).expect(200);
      expect(
        (await send(`GET /resource_providers/${one}/usages`).expect(200)).body.usages,
      ).to.deep.equal({ VCPU: 4 });
    });

    it('returns 409 and changes nothing if a removed class is in use #placement-18', async () => {
      await makeProvider(send, one, { inventories: { DISK_GB: 10, PGPU: 1, VCPU: 4 } });
      await claim(send, consumer(1), { [one]: { DISK_GB: 1, VCPU: 1 } });
      const message = `update conflict: Inventory for 'VCPU, DISK_GB' on resource provider '${one}' in use.`;
      expectRefusal(
        await put(2, { PGPU: { total: 9 } }),
        409,
        message,
        'placement.inventory.inuse',
      );
      expect(await generation()).to.equal(2);
      expect((await send(`GET ${path}/PGPU`).expect(200)).body.total).to.equal(1);
    });

    it('returns 400 for an unknown class', async () => {
      await makeProvider(send, one);
      const message =
        `Unknown resource class in inventory for resource provider ${one}: No ` +
        'such resource class NOPE.';
      expectRefusal(await put(0, { VCPU: { total: 4 }, NOPE: { total: 1 } }), 400, message);
      // Upstream's schema accepts such a name, and returns 500 if its value is not an inventory.
      expectRefusal(await put(0, { vcpu: { total: 1 } }), 400, /vcpu/);
      expectRefusal(await put(0, { vcpu: 1 }), 400, /./);
      expect(await generation()).to.equal(0);
    });

    for (const [what, fields, message] of invalidInventories) {
      it(`returns 400 for ${what}`, async () => {
        await makeProvider(send, one);
        expectRefusal(await put(0, { VCPU: fields }), 400, message);
      });
    }

    it('returns 400 for a capacity of zero before 1.26, like POST', async () => {
      await makeProvider(send, one);
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

    it('returns 400 for a body other than the two fields', async () => {
      await makeProvider(send, one);
      expectRefusal(
        await send(`PUT ${path}`, newest, { body: { inventories: {} } }),
        400,
        /'resource_provider_generation' is a required property/,
      );
      expectRefusal(
        await send(`PUT ${path}`, newest, { body: { resource_provider_generation: 0 } }),
        400,
        /'inventories' is a required property/,
      );
      expectRefusal(
        await send(`PUT ${path}`, newest, {
          body: { resource_provider_generation: 0, inventories: {}, x: 1 },
        }),
        400,
        /'x' was unexpected/,
      );
      expectRefusal(await put('1', {}), 400, /'1' is not of type 'integer'/);
    });

    it('ignores a generation in an inventory', async () => {
      await makeProvider(send, one);
      await put(0, { VCPU: { total: 4, resource_provider_generation: 99 } }).expect(200);
    });

    it('checks the provider before the body, and the body before the generation', async () => {
      const bad = { resource_provider_generation: 9, inventories: { VCPU: {} } };
      expectRefusal(
        await send(`PUT ${path}`, newest, { body: bad }),
        404,
        `No resource provider with uuid ${one} found`,
      );
      await makeProvider(send, one);
      expectRefusal(
        await send(`PUT ${path}`, newest, { body: bad }),
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
    beforeEach(() => makeProvider(send, one, { inventories: { VCPU: { total: 4, reserved: 1 } } }));

    it('replaces the inventory, and resets absent fields to their defaults', async () => {
      const { body, headers } = await putOne(
        'VCPU',
        { total: 8, resource_provider_generation: 1 },
        '1.15',
      ).expect(200);
      expect(body).to.deep.equal({ total: 8, ...plain, resource_provider_generation: 2 });
      expect(headers).to.include(noon);
    });

    it('returns 400 without a generation', async () => {
      expectRefusal(
        await putOne('VCPU', { total: 8 }),
        400,
        /'resource_provider_generation' is a required property/,
      );
    });

    it('returns 409 for a stale generation', async () => {
      const stale = await putOne('VCPU', { total: 8, resource_provider_generation: 0 });
      expectRefusal(
        stale,
        409,
        'resource provider generation conflict',
        'placement.concurrent_update',
      );
    });

    it('returns 400 for a class in the body', async () => {
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

    it('returns 404 for an unknown class, and 400 for a class without inventory', async () => {
      const body = { total: 8, resource_provider_generation: 1 };
      expectRefusal(await putOne('NOPE', body), 404, 'No such resource class NOPE.');
      const message =
        `No inventory record with resource class for resource provider ${one}: ` +
        'No inventory of class DISK_GB found.';
      expectRefusal(await putOne('DISK_GB', body), 400, message);
      expect(await generation()).to.equal(1);
    });

    it('returns 400 for a capacity of zero before 1.26', async () => {
      const answer = await putOne(
        'VCPU',
        { total: 4, reserved: 4, resource_provider_generation: 1 },
        '1.25',
      );
      expectRefusal(answer, 400, invalid('update', 'VCPU', 'greater than or equal to total'));
    });
  });
});
