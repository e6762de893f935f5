// Inventories of a provider: list, show and delete. Other files test their creation and update.
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
  refusalOf,
  setInventories,
} from './support.ts';
import { maxInteger } from './invalid-inventories.ts';

const plain = { reserved: 0, min_unit: 1, max_unit: maxInteger, step_size: 1, allocation_ratio: 1 };
const noon = { 'last-modified': 'Fri, 20 Nov 2026 12:00:00 GMT', 'cache-control': 'no-cache' };

onEachDatabase('Placement: inventories', { auth: 'noauth2' }, (world) => {
  const send = senderFor(world);
  const one = provider(1);
  const path = `/resource_providers/${one}/inventories`;
  const generation = async (): Promise<number> =>
    (await send(`GET ${path}`).expect(200)).body.resource_provider_generation as number;

  describe('GET .../inventories', () => {
    it('returns the fields of each class, and the generation #placement-5', async () => {
      await makeProvider(send, one, {
        inventories: {
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
      const { body, headers } = await send(`GET ${path}`, '1.15').expect(200);
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

    it('returns no Last-Modified without inventories', async () => {
      await makeProvider(send, one);
      const { body, headers } = await send(`GET ${path}`, '1.15').expect(200);
      expect(body).to.deep.equal({ resource_provider_generation: 0, inventories: {} });
      expect(headers['cache-control']).to.equal('no-cache');
      expect(headers).to.not.have.property('last-modified');
    });

    it('returns 404 for an unknown provider', async () => {
      const message =
        `No resource provider with uuid ${one} found : No resource provider ` +
        `with uuid ${one} found`;
      expectRefusal(await send(`GET ${path}`, newest), 404, message);
      expectRefusal(await send(`GET ${path}/VCPU`, newest), 404, message);
    });
  });

  describe('GET .../inventories/{class}', () => {
    it('returns one inventory', async () => {
      await makeProvider(send, one, { inventories: { VCPU: 4 } });
      const { body, headers } = await send(`GET ${path}/VCPU`, '1.15').expect(200);
      expect(body).to.deep.equal({ total: 4, ...plain, resource_provider_generation: 1 });
      expect(headers).to.include(noon);
    });

    it('returns 404 for a class without inventory, and for an unknown class', async () => {
      await makeProvider(send, one);
      for (const name of ['VCPU', 'NOPE'])
        expectRefusal(
          await send(`GET ${path}/${name}`, newest),
          404,
          `No inventory of class ${name} for ${one}`,
        );
    });
  });
  describe('DELETE .../inventories', () => {
    it('deletes all inventories, and always increments the generation', async () => {
      await makeProvider(send, one, { inventories: { VCPU: 4, DISK_GB: 10 } });
      const { headers, text } = await send(`DELETE ${path}`, '1.5').expect(204);
      expect(text).to.equal('');
      expect(headers).to.not.have.any.keys('content-type', 'last-modified', 'cache-control');
      expect((await send(`GET ${path}`).expect(200)).body).to.deep.equal({
        resource_provider_generation: 2,
        inventories: {},
      });
      await send(`DELETE ${path}`, newest).expect(204);
      expect(await generation()).to.equal(3);
    });

    it('returns 409 and keeps all inventories if one is in use', async () => {
      await makeProvider(send, one, { inventories: { DISK_GB: 10, PGPU: 1, VCPU: 4 } });
      await claim(send, consumer(1), { [one]: { VCPU: 1, DISK_GB: 1 } });
      const message = `Inventory for 'VCPU, DISK_GB' on resource provider '${one}' in use.`;
      expectRefusal(
        await send(`DELETE ${path}`, newest),
        409,
        message,
        'placement.inventory.inuse',
      );
      expect((await send(`GET ${path}`).expect(200)).body.inventories).to.have.all.keys(
        'VCPU',
        'DISK_GB',
        'PGPU',
      );
    });

    it('returns 405 without an Allow header before 1.5', async () => {
      const answer = await send(`DELETE ${path}`, '1.4');
      expect(refusalOf(answer, 405).detail).to.equal(
        'The method DELETE is not allowed for this resource. \n\n ',
      );
      expect(answer.headers).to.not.have.property('allow');
    });

    it('returns 404 for an unknown provider', async () => {
      expectRefusal(
        await send(`DELETE ${path}`, newest),
        404,
        `No resource provider with uuid ${one} found`,
      );
    });
  });

  describe('DELETE .../inventories/{class}', () => {
    it('deletes an inventory and increments the generation', async () => {
      await makeProvider(send, one, { inventories: { VCPU: 4, DISK_GB: 10 } });
      await send(`DELETE ${path}/VCPU`, '1.0').expect(204);
      expect((await send(`GET ${path}`).expect(200)).body).to.deep.equal({
        resource_provider_generation: 2,
        inventories: { DISK_GB: { total: 10, ...plain } },
      });
    });

    it('returns 409 with the code of a concurrent update if the inventory is in use #placement-18', async () => {
      await makeProvider(send, one, { inventories: { VCPU: 4 } });
      await claim(send, consumer(1), { [one]: { VCPU: 1 } });
      const message =
        "Unable to delete inventory of class VCPU: Inventory for 'VCPU' on " +
        `resource provider '${one}' in use.`;
      expectRefusal(
        await send(`DELETE ${path}/VCPU`, newest),
        409,
        message,
        'placement.concurrent_update',
      );
    });

    it('returns 404 for a class without inventory, an unknown class or provider', async () => {
      expectRefusal(
        await send(`DELETE ${path}/VCPU`, newest),
        404,
        `No resource provider with uuid ${one} found`,
      );
      await makeProvider(send, one);
      const absent = (name: string) => `No inventory of class ${name} found for delete`;
      expectRefusal(
        await send(`DELETE ${path}/VCPU`, newest),
        404,
        `${absent('VCPU')}: ${absent('VCPU')}`,
      );
      expectRefusal(
        await send(`DELETE ${path}/NOPE`, newest),
        404,
        `${absent('NOPE')}: No such resource class NOPE.`,
      );
      expect(await generation()).to.equal(0);
    });

    it('deletes an inventory after its allocations are deleted', async () => {
      await makeProvider(send, one, { inventories: { VCPU: 4 } });
      await claim(send, consumer(1), { [one]: { VCPU: 1 } });
      await send(`DELETE /allocations/${consumer(1)}`).expect(204);
      await send(`DELETE ${path}/VCPU`).expect(204);
      await setInventories(send, one, { VCPU: 2 });
      expect(
        (await send(`GET /resource_providers/${one}/usages`).expect(200)).body.usages,
      ).to.deep.equal({ VCPU: 0 });
    });
  });
});
