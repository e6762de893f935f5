// Inventories of a provider: listed, shown and deleted. What writes them has files of its own.
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
  refusalOf,
  setInventories,
} from './makers.ts';
import { greatest } from './refused-inventories.ts';

const plain = { reserved: 0, min_unit: 1, max_unit: greatest, step_size: 1, allocation_ratio: 1 };
const noon = { 'last-modified': 'Fri, 20 Nov 2026 12:00:00 GMT', 'cache-control': 'no-cache' };

onEachDatabase('Placement: inventories', { auth: 'noauth2' }, (world) => {
  const ask = asking(world);
  const one = provider(1);
  const path = `/resource_providers/${one}/inventories`;
  const generation = async (): Promise<number> =>
    (await ask(`GET ${path}`).expect(200)).body.resource_provider_generation as number;

  describe('GET .../inventories', () => {
    it('shows the six fields of each class, by class, with the generation', async () => {
      await makeProvider(ask, one, {
        has: {
          MEMORY_MB: {
            total: 10,
            reserved: 1,
            min_unit: 2,
            max_unit: 8,
            step_size: 2,
            allocation_ratio: 1.1,
          },
          VCPU: 4,
        },
      });
      const { body, headers } = await ask(`GET ${path}`, '1.15').expect(200);
      expect(body).to.deep.equal({
        resource_provider_generation: 1,
        inventories: {
          VCPU: { total: 4, ...plain },
          MEMORY_MB: {
            total: 10,
            reserved: 1,
            min_unit: 2,
            max_unit: 8,
            step_size: 2,
            allocation_ratio: 1.1,
          },
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
        expectRefusal(
          await ask(`GET ${path}/${name}`, newest),
          404,
          `No inventory of class ${name} for ${one}`,
        );
    });
  });
  describe('DELETE .../inventories', () => {
    it('deletes all of them, and counts the generation up also where there are none', async () => {
      await makeProvider(ask, one, { has: { VCPU: 4, DISK_GB: 10 } });
      const { headers, text } = await ask(`DELETE ${path}`, '1.5').expect(204);
      expect(text).to.equal('');
      expect(headers).to.not.have.any.keys('content-type', 'last-modified', 'cache-control');
      expect((await ask(`GET ${path}`).expect(200)).body).to.deep.equal({
        resource_provider_generation: 2,
        inventories: {},
      });
      await ask(`DELETE ${path}`, newest).expect(204);
      expect(await generation()).to.equal(3);
    });

    it('keeps them all where one is in use', async () => {
      await makeProvider(ask, one, { has: { DISK_GB: 10, PGPU: 1, VCPU: 4 } });
      await claim(ask, consumer(1), { [one]: { VCPU: 1, DISK_GB: 1 } });
      const message = `Inventory for 'VCPU, DISK_GB' on resource provider '${one}' in use.`;
      expectRefusal(await ask(`DELETE ${path}`, newest), 409, message, 'placement.inventory.inuse');
      expect((await ask(`GET ${path}`).expect(200)).body.inventories).to.have.all.keys(
        'VCPU',
        'DISK_GB',
        'PGPU',
      );
    });

    it('is a method that is not allowed before 1.5, without saying which are', async () => {
      const answer = await ask(`DELETE ${path}`, '1.4');
      expect(refusalOf(answer, 405).detail).to.equal(
        'The method DELETE is not allowed for this resource. \n\n ',
      );
      expect(answer.headers).to.not.have.property('allow');
    });

    it('refuses a provider that there is not', async () => {
      expectRefusal(
        await ask(`DELETE ${path}`, newest),
        404,
        `No resource provider with uuid ${one} found`,
      );
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
      expectRefusal(
        await ask(`DELETE ${path}/VCPU`, newest),
        409,
        message,
        'placement.concurrent_update',
      );
    });

    it('refuses what there is not', async () => {
      expectRefusal(
        await ask(`DELETE ${path}/VCPU`, newest),
        404,
        `No resource provider with uuid ${one} found`,
      );
      await makeProvider(ask, one);
      const absent = (name: string) => `No inventory of class ${name} found for delete`;
      expectRefusal(
        await ask(`DELETE ${path}/VCPU`, newest),
        404,
        `${absent('VCPU')}: ${absent('VCPU')}`,
      );
      expectRefusal(
        await ask(`DELETE ${path}/NOPE`, newest),
        404,
        `${absent('NOPE')}: No such resource class NOPE.`,
      );
      expect(await generation()).to.equal(0);
    });

    it('lets a class go once nobody uses it', async () => {
      await makeProvider(ask, one, { has: { VCPU: 4 } });
      await claim(ask, consumer(1), { [one]: { VCPU: 1 } });
      await ask(`DELETE /allocations/${consumer(1)}`).expect(204);
      await ask(`DELETE ${path}/VCPU`).expect(204);
      await setInventories(ask, one, { VCPU: 2 });
      expect(
        (await ask(`GET /resource_providers/${one}/usages`).expect(200)).body.usages,
      ).to.deep.equal({ VCPU: 0 });
    });
  });
});
