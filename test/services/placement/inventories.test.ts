// Inventories of a provider: what it has of each class.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { asking, claim, consumer, expectRefusal, makeProvider, newest, provider, refusalOf, setInventories } from './makers.ts';

const greatest = 2_147_483_647;
const plain = { reserved: 0, min_unit: 1, max_unit: greatest, step_size: 1, allocation_ratio: 1 };
const noon = { 'last-modified': 'Fri, 20 Nov 2026 12:00:00 GMT', 'cache-control': 'no-cache' };

onEachDatabase('Placement: inventories', { auth: 'noauth2' }, (world) => {
  const ask = asking(world);
  const one = provider(1);
  const path = `/resource_providers/${one}/inventories`;
  const post = (body: object, version = newest) => ask(`POST ${path}`, version, { body });
  const put = (generation: unknown, inventories: unknown, version = newest) =>
    ask(`PUT ${path}`, version, { body: { resource_provider_generation: generation, inventories } });
  const putOne = (name: string, body: object, version = newest) => ask(`PUT ${path}/${name}`, version, { body });
  const generation = async (): Promise<number> =>
    (await ask(`GET ${path}`).expect(200)).body.resource_provider_generation as number;
  const invalid = (verb: string, name: string, comparison: string) =>
    `Unable to ${verb} inventory for resource provider ${one}: Invalid inventory for '${name}' on resource provider '${one}'. The reserved value is ${comparison}.`;

  /** Bodies that no version takes, with what is wrong. */
  const refused: readonly (readonly [string, object, RegExp])[] = [
    ['no total', { reserved: 1 }, /'total' is a required property/],
    [
      'a total of 0',
      { total: 0 },
      /0 is less than the minimum of 1 {2}Failed validating 'minimum' in schema.*\['properties'\]\['total'\]:/,
    ],
    ['a negative total', { total: -1 }, /-1 is less than the minimum of 1/],
    [
      'a total that no column holds',
      { total: greatest + 1 },
      /2147483648 is greater than the maximum of 2147483647 {2}Failed validating 'maximum'/,
    ],
    ['a total in quotes', { total: '4' }, /'4' is not of type 'integer'/],
    ['true for a total', { total: true }, /True is not of type 'integer'/],
    ['half a unit', { total: 4.5 }, /4\.5 is not of type 'integer'/],
    ['negative reserves', { total: 4, reserved: -1 }, /-1 is less than the minimum of 0/],
    ['a least unit of 0', { total: 4, min_unit: 0 }, /0 is less than the minimum of 1/],
    ['a greatest unit of 0', { total: 4, max_unit: 0 }, /0 is less than the minimum of 1/],
    ['a step of 0', { total: 4, step_size: 0 }, /0 is less than the minimum of 1/],
    ['a ratio that no float holds', { total: 4, allocation_ratio: 3.5e38 }, /is greater than the maximum of 3\.40282e\+38/],
    ['other fields', { total: 4, bad_field: 1 }, /Additional properties are not allowed \('bad_field' was unexpected\)/],
  ];

  describe('GET .../inventories', () => {
    it('shows the six fields of each class, by class, with the generation', async () => {
      await makeProvider(ask, one, {
        has: { MEMORY_MB: { total: 10, reserved: 1, min_unit: 2, max_unit: 8, step_size: 2, allocation_ratio: 1.1 }, VCPU: 4 },
      });
      const { body, headers } = await ask(`GET ${path}`, '1.15').expect(200);
      expect(body).to.deep.equal({
        resource_provider_generation: 1,
        inventories: {
          VCPU: { total: 4, ...plain },
          MEMORY_MB: { total: 10, reserved: 1, min_unit: 2, max_unit: 8, step_size: 2, allocation_ratio: 1.1 },
        },
      });
      expect(headers).to.include(noon);
    });

    it('has no time to tell where there is no inventory', async () => {
      await makeProvider(ask, one);
      const { body, headers } = await ask(`GET ${path}`, '1.15').expect(200);
      expect(body).to.deep.equal({ resource_provider_generation: 0, inventories: {} });
      expect(headers['cache-control']).to.equal('no-cache');
      expect(headers).to.not.have.property('last-modified');
    });

    it('refuses a provider that there is not', async () => {
      const message = `No resource provider with uuid ${one} found : No resource provider with uuid ${one} found`;
      expectRefusal(await ask(`GET ${path}`, newest), 404, message);
      expectRefusal(await ask(`GET ${path}/VCPU`, newest), 404, message);
    });
  });

  describe('GET .../inventories/{class}', () => {
    it('shows one inventory', async () => {
      await makeProvider(ask, one, { has: { VCPU: 4 } });
      const { body, headers } = await ask(`GET ${path}/VCPU`, '1.15').expect(200);
      expect(body).to.deep.equal({ total: 4, ...plain, resource_provider_generation: 1 });
      expect(headers).to.include(noon);
    });

    it('refuses classes that the provider has nothing of, known or not', async () => {
      await makeProvider(ask, one);
      for (const name of ['VCPU', 'NOPE'])
        expectRefusal(await ask(`GET ${path}/${name}`, newest), 404, `No inventory of class ${name} for ${one}`);
    });
  });

  describe('POST .../inventories', () => {
    beforeEach(() => makeProvider(ask, one));

    it('adds an inventory with what is usual, and says where it is', async () => {
      const { body, headers } = await post({ resource_class: 'VCPU', total: 4 }, '1.15').expect(201);
      expect(body).to.deep.equal({ total: 4, ...plain, resource_provider_generation: 1 });
      expect(headers['location']).to.match(new RegExp(`^http://[^/]+/placement${path}/VCPU$`));
      expect(headers).to.include({ ...noon, 'content-type': 'application/json' });
      await post({ resource_class: 'DISK_GB', total: 12, reserved: 2 }, '1.14').expect(201);
      expect(await generation()).to.equal(2);
    });

    it('does not look at the generation, though it must be a number', async () => {
      await post({ resource_class: 'VCPU', total: 4, resource_provider_generation: 77 }).expect(201);
      expectRefusal(
        await post({ resource_class: 'DISK_GB', total: 4, resource_provider_generation: 'x' }),
        400,
        /'x' is not of type 'integer'/,
      );
    });

    it('takes 12.0 for 12, and a least unit above the greatest', async () => {
      const { body } = await post(
        '{"resource_class": "VCPU", "total": 12.0, "min_unit": 5, "max_unit": 2}' as unknown as object,
      ).expect(201);
      expect(body).to.include({ total: 12, min_unit: 5, max_unit: 2 });
    });

    for (const [what, body, message] of refused) {
      it(`refuses ${what}`, async () => {
        const answer = await post({ resource_class: 'VCPU', ...body });
        expectRefusal(answer, 400, message);
        expect(refusalOf(answer, 400).detail).to.contain(' JSON does not validate: ');
      });
    }

    it('refuses classes that there are not, or that cannot be', async () => {
      expectRefusal(
        await post({ resource_class: 'NOPE', total: 4 }),
        400,
        `Unable to create inventory for resource provider ${one}: No such resource class NOPE.`,
      );
      expectRefusal(await post({ resource_class: 'vcpu', total: 4 }), 400, /'vcpu' does not match '\^\[A-Z0-9_\]\+\$'/);
      expectRefusal(await post({ total: 4 }), 400, /'resource_class' is a required property/);
    });

    it('refuses a second inventory of a class', async () => {
      await post({ resource_class: 'VCPU', total: 4 }).expect(201);
      expectRefusal(await post({ resource_class: 'VCPU', total: 8 }), 409, /^Update conflict: /, 'placement.concurrent_update');
      expect(await generation()).to.equal(1);
    });

    it('says first that there is no such provider', async () => {
      const answer = await ask(`POST /resource_providers/${provider(9)}/inventories`, newest, { body: { bad: 1 } });
      expectRefusal(answer, 404, `No resource provider with uuid ${provider(9)} found`);
    });

    it('wants something left to claim, before 1.26', async () => {
      for (const fields of [
        { total: 4, reserved: 4 },
        { total: 4, reserved: 5 },
        { total: 4, allocation_ratio: 0 },
        { total: 1, allocation_ratio: 0.5 },
      ]) {
        expectRefusal(
          await post({ resource_class: 'VCPU', ...fields }, '1.25'),
          400,
          invalid('create', 'VCPU', 'greater than or equal to total'),
        );
      }
    });

    it('takes an inventory that is reserved as a whole, since 1.26, and no more than that', async () => {
      await post({ resource_class: 'VCPU', total: 4, reserved: 4 }, '1.26').expect(201);
      await post({ resource_class: 'DISK_GB', total: 4, allocation_ratio: 0 }, '1.26').expect(201);
      await post({ resource_class: 'PGPU', total: 1, allocation_ratio: 0.5 }, '1.26').expect(201);
      for (const fields of [
        { total: 4, reserved: 5 },
        { total: 4, allocation_ratio: -1 },
      ]) {
        expectRefusal(
          await post({ resource_class: 'VGPU', ...fields }, '1.26'),
          400,
          invalid('create', 'VGPU', 'greater than total'),
        );
      }
    });

    it('looks at what is left before it looks for the class', async () => {
      expectRefusal(
        await post({ resource_class: 'NOPE', total: 4, reserved: 4 }, '1.25'),
        400,
        invalid('create', 'NOPE', 'greater than or equal to total'),
      );
    });
  });

  describe('PUT .../inventories', () => {
    it('makes the inventories exactly these', async () => {
      await makeProvider(ask, one, { has: { VCPU: 4, DISK_GB: 10 } });
      await world.setTime('2026-11-20T13:00:00Z');
      const { body, headers } = await put(1, { DISK_GB: { total: 20 }, MEMORY_MB: { total: 5 } }, '1.15').expect(200);
      expect(body).to.deep.equal({
        resource_provider_generation: 2,
        inventories: { DISK_GB: { total: 20, ...plain }, MEMORY_MB: { total: 5, ...plain } },
      });
      expect(headers).to.include({ 'last-modified': 'Fri, 20 Nov 2026 13:00:00 GMT', 'cache-control': 'no-cache' });
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
      expect((await ask(`GET /resource_providers/${one}/usages`).expect(200)).body.usages).to.deep.equal({ VCPU: 4 });
    });

    it('keeps classes that are in use, and then changes nothing', async () => {
      await makeProvider(ask, one, { has: { DISK_GB: 10, PGPU: 1, VCPU: 4 } });
      await claim(ask, consumer(1), { [one]: { DISK_GB: 1, VCPU: 1 } });
      const message = `update conflict: Inventory for 'VCPU, DISK_GB' on resource provider '${one}' in use.`;
      expectRefusal(await put(2, { PGPU: { total: 9 } }), 409, message, 'placement.inventory.inuse');
      expect(await generation()).to.equal(2);
      expect((await ask(`GET ${path}/PGPU`).expect(200)).body.total).to.equal(1);
    });

    it('refuses classes that there are not', async () => {
      await makeProvider(ask, one);
      const message = `Unknown resource class in inventory for resource provider ${one}: No such resource class NOPE.`;
      expectRefusal(await put(0, { VCPU: { total: 4 }, NOPE: { total: 1 } }), 400, message);
      // Upstream's schema lets such a name through, and where its value is no inventory a 500 follows.
      expectRefusal(await put(0, { vcpu: { total: 1 } }), 400, /vcpu/);
      expectRefusal(await put(0, { vcpu: 1 }), 400, /./);
      expect(await generation()).to.equal(0);
    });

    for (const [what, fields, message] of refused) {
      it(`refuses ${what}`, async () => {
        await makeProvider(ask, one);
        expectRefusal(await put(0, { VCPU: fields }), 400, message);
      });
    }

    it('wants something left to claim, as POST does', async () => {
      await makeProvider(ask, one);
      const full = { VCPU: { total: 4, reserved: 4 } };
      expectRefusal(await put(0, full, '1.25'), 400, invalid('update', 'VCPU', 'greater than or equal to total'));
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
        await ask(`PUT ${path}`, newest, { body: { resource_provider_generation: 0, inventories: {}, x: 1 } }),
        400,
        /'x' was unexpected/,
      );
      expectRefusal(await put('1', {}), 400, /'1' is not of type 'integer'/);
      await put(0, { VCPU: { total: 4, resource_provider_generation: 99 } }).expect(200);
    });

    it('says first that there is no such provider, then what is wrong with the body, then that the generation is stale', async () => {
      const bad = { resource_provider_generation: 9, inventories: { VCPU: {} } };
      expectRefusal(await ask(`PUT ${path}`, newest, { body: bad }), 404, `No resource provider with uuid ${one} found`);
      await makeProvider(ask, one);
      expectRefusal(await ask(`PUT ${path}`, newest, { body: bad }), 400, /'total' is a required property/);
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
      const { body, headers } = await putOne('VCPU', { total: 8, resource_provider_generation: 1 }, '1.15').expect(200);
      expect(body).to.deep.equal({ total: 8, ...plain, resource_provider_generation: 2 });
      expect(headers).to.include(noon);
    });

    it('needs the generation, and the right one', async () => {
      expectRefusal(await putOne('VCPU', { total: 8 }), 400, /'resource_provider_generation' is a required property/);
      const stale = await putOne('VCPU', { total: 8, resource_provider_generation: 0 });
      expectRefusal(stale, 409, 'resource provider generation conflict', 'placement.concurrent_update');
    });

    it('does not take the class in the body', async () => {
      const answer = await putOne('VCPU', { resource_class: 'VCPU', total: 8, resource_provider_generation: 1 });
      expectRefusal(answer, 400, /Additional properties are not allowed \('resource_class' was unexpected\)/);
    });

    it('refuses what is not there yet: 404 for an unknown class, 400 for a known one', async () => {
      const body = { total: 8, resource_provider_generation: 1 };
      expectRefusal(await putOne('NOPE', body), 404, 'No such resource class NOPE.');
      const message = `No inventory record with resource class for resource provider ${one}: No inventory of class DISK_GB found.`;
      expectRefusal(await putOne('DISK_GB', body), 400, message);
      expect(await generation()).to.equal(1);
    });

    it('wants something left to claim', async () => {
      const answer = await putOne('VCPU', { total: 4, reserved: 4, resource_provider_generation: 1 }, '1.25');
      expectRefusal(answer, 400, invalid('update', 'VCPU', 'greater than or equal to total'));
    });
  });

  describe('DELETE .../inventories', () => {
    it('deletes all of them, and counts the generation up also where there are none', async () => {
      await makeProvider(ask, one, { has: { VCPU: 4, DISK_GB: 10 } });
      const { headers, text } = await ask(`DELETE ${path}`, '1.5').expect(204);
      expect(text).to.equal('');
      expect(headers).to.not.have.any.keys('content-type', 'last-modified', 'cache-control');
      expect((await ask(`GET ${path}`).expect(200)).body).to.deep.equal({ resource_provider_generation: 2, inventories: {} });
      await ask(`DELETE ${path}`, newest).expect(204);
      expect(await generation()).to.equal(3);
    });

    it('keeps them all where one is in use', async () => {
      await makeProvider(ask, one, { has: { DISK_GB: 10, PGPU: 1, VCPU: 4 } });
      await claim(ask, consumer(1), { [one]: { VCPU: 1, DISK_GB: 1 } });
      const message = `Inventory for 'VCPU, DISK_GB' on resource provider '${one}' in use.`;
      expectRefusal(await ask(`DELETE ${path}`, newest), 409, message, 'placement.inventory.inuse');
      expect((await ask(`GET ${path}`).expect(200)).body.inventories).to.have.all.keys('VCPU', 'DISK_GB', 'PGPU');
    });

    it('is a method that is not allowed before 1.5, without saying which are', async () => {
      const answer = await ask(`DELETE ${path}`, '1.4');
      expect(refusalOf(answer, 405).detail).to.equal('The method DELETE is not allowed for this resource. \n\n ');
      expect(answer.headers).to.not.have.property('allow');
    });

    it('refuses a provider that there is not', async () => {
      expectRefusal(await ask(`DELETE ${path}`, newest), 404, `No resource provider with uuid ${one} found`);
    });
  });

  describe('DELETE .../inventories/{class}', () => {
    it('deletes one and counts the generation up', async () => {
      await makeProvider(ask, one, { has: { VCPU: 4, DISK_GB: 10 } });
      await ask(`DELETE ${path}/VCPU`, '1.0').expect(204);
      expect((await ask(`GET ${path}`).expect(200)).body).to.deep.equal({
        resource_provider_generation: 2,
        inventories: { DISK_GB: { total: 10, ...plain } },
      });
    });

    it('keeps what is in use, and calls that an update by someone else, as upstream does', async () => {
      await makeProvider(ask, one, { has: { VCPU: 4 } });
      await claim(ask, consumer(1), { [one]: { VCPU: 1 } });
      const message = `Unable to delete inventory of class VCPU: Inventory for 'VCPU' on resource provider '${one}' in use.`;
      expectRefusal(await ask(`DELETE ${path}/VCPU`, newest), 409, message, 'placement.concurrent_update');
    });

    it('refuses what there is not', async () => {
      expectRefusal(await ask(`DELETE ${path}/VCPU`, newest), 404, `No resource provider with uuid ${one} found`);
      await makeProvider(ask, one);
      const absent = (name: string) => `No inventory of class ${name} found for delete`;
      expectRefusal(await ask(`DELETE ${path}/VCPU`, newest), 404, `${absent('VCPU')}: ${absent('VCPU')}`);
      expectRefusal(await ask(`DELETE ${path}/NOPE`, newest), 404, `${absent('NOPE')}: No such resource class NOPE.`);
      expect(await generation()).to.equal(0);
    });

    it('lets a class go once nobody uses it', async () => {
      await makeProvider(ask, one, { has: { VCPU: 4 } });
      await claim(ask, consumer(1), { [one]: { VCPU: 1 } });
      await ask(`DELETE /allocations/${consumer(1)}`).expect(204);
      await ask(`DELETE ${path}/VCPU`).expect(204);
      await setInventories(ask, one, { VCPU: 2 });
      expect((await ask(`GET /resource_providers/${one}/usages`).expect(200)).body.usages).to.deep.equal({ VCPU: 0 });
    });
  });
});
