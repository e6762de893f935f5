// The reshaper, which changes inventories and allocations of several providers, or nothing at all.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  allocationBody,
  senderFor,
  claim,
  claimBody,
  consumer,
  expectRefusal,
  makeProvider,
  newest,
  provider,
} from './helpers.ts';

onEachDatabase('Placement: the reshaper', { auth: 'noauth2' }, (world) => {
  const send = senderFor(world);
  const [one, two] = [provider(1), provider(2)];
  const who = consumer(1);
  const service = { 'x-roles': 'service' };
  const reshape = (inventories: unknown, allocations: unknown = {}, version = newest) =>
    send('POST /reshaper', version, { headers: service, body: { inventories, allocations } });
  const generation = async (uuid: string): Promise<number> =>
    (await send(`GET /resource_providers/${uuid}`).expect(200)).body.generation as number;
  const shape = (generationNow: number, totals: Record<string, number>): object => ({
    resource_provider_generation: generationNow,
    inventories: Object.fromEntries(
      Object.entries(totals).map(([name, total]) => [name, { total }]),
    ),
  });
  const totals = async (uuid: string): Promise<object> => {
    const { body } = await send(`GET /resource_providers/${uuid}/inventories`).expect(200);
    return Object.fromEntries(
      Object.entries(body.inventories as Record<string, { total: number }>).map(
        ([name, { total }]) => [name, total],
      ),
    );
  };
  const uses = async (uuid = who): Promise<object> => {
    const { body } = await send(`GET /allocations/${uuid}`, newest).expect(200);
    return Object.fromEntries(
      Object.entries(body.allocations as Record<string, { resources: object }>).map(
        ([rp, { resources }]) => [rp, resources],
      ),
    );
  };
  const usages = async (uuid: string): Promise<object> =>
    (await send(`GET /resource_providers/${uuid}/usages`).expect(200)).body.usages as object;

  /** A host whose consumer uses two classes, and a child without inventories. */
  beforeEach(async () => {
    await makeProvider(send, one, { inventories: { VCPU: 4, DISK_GB: 10 } });
    await makeProvider(send, two, { parent: one });
    await claim(send, who, { [one]: { VCPU: 2, DISK_GB: 5 } });
  });

  describe('POST /reshaper', () => {
    it('moves inventories and their allocations from one provider to another', async () => {
      const move = {
        [who]: claimBody({ [one]: { DISK_GB: 5 }, [two]: { VCPU: 2 } }, { consumer_generation: 1 }),
      };
      const { headers, text } = await reshape(
        { [one]: shape(2, { DISK_GB: 10 }), [two]: shape(0, { VCPU: 4 }) },
        move,
      ).expect(204);
      expect(text).to.equal('');
      expect(headers).to.not.have.any.keys('content-type', 'last-modified', 'cache-control');
      expect([await totals(one), await totals(two)]).to.deep.equal([{ DISK_GB: 10 }, { VCPU: 4 }]);
      expect(await uses()).to.deep.equal({ [one]: { DISK_GB: 5 }, [two]: { VCPU: 2 } });
      expect([await usages(one), await usages(two)]).to.deep.equal([{ DISK_GB: 5 }, { VCPU: 2 }]);
    });

    it('increments generations once for each kind of change', async () => {
      const move = {
        [who]: claimBody({ [one]: { DISK_GB: 5 }, [two]: { VCPU: 2 } }, { consumer_generation: 1 }),
      };
      await reshape(
        { [one]: shape(2, { DISK_GB: 10 }), [two]: shape(0, { VCPU: 4 }) },
        move,
      ).expect(204);
      expect([await generation(one), await generation(two)]).to.deep.equal([5, 3]);
    });

    it('increments the generation less often without inventories or allocations', async () => {
      await send(`DELETE /allocations/${who}`).expect(204);
      await reshape({ [one]: shape(2, {}), [two]: shape(0, { VCPU: 4 }) }).expect(204);
      expect([await generation(one), await generation(two)]).to.deep.equal([3, 2]);
    });

    it('deletes allocations, and creates new consumers', async () => {
      const claims = {
        [who]: claimBody({}, { consumer_generation: 1 }),
        [consumer(2)]: claimBody({ [two]: { VCPU: 1 } }),
      };
      await reshape({ [one]: shape(2, {}), [two]: shape(0, { VCPU: 4 }) }, claims).expect(204);
      expect(await uses()).to.deep.equal({});
      expect(await uses(consumer(2))).to.deep.equal({ [two]: { VCPU: 1 } });
    });

    it('accepts allocations from providers whose inventories do not change', async () => {
      await reshape(
        { [two]: shape(0, { VCPU: 1 }) },
        { [consumer(2)]: claimBody({ [one]: { VCPU: 1 } }) },
      ).expect(204);
      expect(await usages(one)).to.deep.equal({ VCPU: 3, DISK_GB: 5 });
    });

    it('accepts inventories with a capacity of zero', async () => {
      const body = {
        [two]: {
          resource_provider_generation: 0,
          inventories: { VCPU: { total: 4, reserved: 8 } },
        },
      };
      await reshape(body).expect(204);
      expect(await totals(two)).to.deep.equal({ VCPU: 4 });
    });

    it('takes the allocation format of each version', async () => {
      const claims = (rest: object) => ({
        [consumer(2)]: allocationBody(
          { [one]: { VCPU: 1 } },
          { consumer_generation: null, ...rest },
        ),
      });
      await reshape({ [two]: shape(0, {}) }, claims({}), '1.30').expect(204);
      await send(`DELETE /allocations/${consumer(2)}`).expect(204);
      expectRefusal(
        await reshape({ [two]: shape(1, {}) }, claims({ mappings: { 1: [one] } }), '1.33'),
        400,
        /'mappings' was unexpected/,
      );
      await reshape({ [two]: shape(1, {}) }, claims({ mappings: { 1: [one] } }), '1.34').expect(
        204,
      );
      await send(`DELETE /allocations/${consumer(2)}`).expect(204);
      expectRefusal(
        await reshape({ [two]: shape(2, {}) }, claims({}), '1.38'),
        400,
        /'consumer_type' is a required property/,
      );
    });

    it('returns 400 for an invalid body', async () => {
      const post = (body: unknown) => send('POST /reshaper', newest, { headers: service, body });
      for (const [body, message] of [
        [{ inventories: { [one]: shape(2, {}) } }, /'allocations' is a required property/],
        [{ allocations: {} }, /'inventories' is a required property/],
        [
          { inventories: {}, allocations: {} },
          /\{\} (does not have enough properties|should be non-empty)/,
        ],
        [
          { inventories: { zz: shape(0, {}) }, allocations: {} },
          /'zz' does not match any of the regexes/,
        ],
        [
          { inventories: { [one]: { inventories: {} } }, allocations: {} },
          /'resource_provider_generation' is a required property/,
        ],
        [
          { inventories: { [one]: { resource_provider_generation: 2 } }, allocations: {} },
          /'inventories' is a required property/,
        ],
        [
          { inventories: { [one]: shape(2, { VCPU: 0 }) }, allocations: {} },
          /0 is less than the minimum of 1/,
        ],
        [{ inventories: { [one]: shape(2, {}) }, allocations: {}, x: 1 }, /'x' was unexpected/],
      ] as const) {
        expectRefusal(await post(body), 400, message);
      }
    });

    it('returns 400 for an unknown provider', async () => {
      const unknown =
        `Resource provider ${provider(9)} in inventories not found: No ` +
        `resource provider with uuid ${provider(9)} found`;
      expectRefusal(
        await reshape({ [provider(9)]: shape(0, {}) }),
        400,
        unknown,
        'placement.resource_provider.not_found',
      );
      const claims = { [consumer(2)]: claimBody({ [provider(9)]: { VCPU: 1 } }) };
      expectRefusal(
        await reshape({ [two]: shape(0, {}) }, claims),
        400,
        `Allocation for resource provider '${provider(9)}' that does not exist.`,
      );
    });

    it('does not create a consumer if it fails, unlike upstream', async () => {
      await reshape(
        { [two]: shape(0, {}) },
        { [consumer(2)]: claimBody({ [provider(9)]: { VCPU: 1 } }) },
      ).expect(400);
      await claim(send, consumer(2), { [one]: { VCPU: 1 } });
    });

    it('returns 409 for a stale generation of a provider', async () => {
      const stale = `resource provider generation conflict for provider ${one}: actual: 2, given: 7`;
      expectRefusal(
        await reshape({ [one]: shape(7, {}) }),
        409,
        stale,
        'placement.concurrent_update',
      );
    });

    it('returns 409 for a stale generation of a consumer', async () => {
      const claims = { [who]: claimBody({ [one]: { VCPU: 1 } }, { consumer_generation: 7 }) };
      expectRefusal(
        await reshape({ [one]: shape(2, {}) }, claims),
        409,
        'consumer generation conflict - expected 1 but got 7',
        'placement.concurrent_update',
      );
    });

    it('returns 400 for an unknown class', async () => {
      const message = 'malformed reshaper data: No such resource class NOPE.';
      expectRefusal(await reshape({ [two]: shape(0, { NOPE: 1 }) }), 400, message);
      expectRefusal(
        await reshape(
          { [two]: shape(0, {}) },
          { [consumer(2)]: claimBody({ [one]: { NOPE: 1 } }) },
        ),
        400,
        message,
      );
    });

    it('returns 409 and changes nothing if a removed inventory is in use', async () => {
      const message = `update conflict: Inventory for 'VCPU, DISK_GB' on resource provider '${one}' in use.`;
      const body = { [two]: shape(0, { VCPU: 4 }), [one]: shape(2, {}) };
      expectRefusal(await reshape(body), 409, message, 'placement.inventory.inuse');
      expect([await totals(one), await totals(two)]).to.deep.equal([{ VCPU: 4, DISK_GB: 10 }, {}]);
      expect([await generation(one), await generation(two)]).to.deep.equal([2, 0]);
    });

    it('returns 409 and changes nothing if an allocation does not fit', async () => {
      const move = {
        [who]: claimBody({ [one]: { DISK_GB: 5 }, [two]: { VCPU: 8 } }, { consumer_generation: 1 }),
      };
      const message =
        "Unable to allocate inventory: Unable to create allocation for 'VCPU' " +
        `on resource provider '${two}'. The requested amount would exceed the capacity.`;
      expectRefusal(
        await reshape({ [one]: shape(2, { DISK_GB: 10 }), [two]: shape(0, { VCPU: 4 }) }, move),
        409,
        message,
      );
      expect([await totals(one), await totals(two)]).to.deep.equal([{ VCPU: 4, DISK_GB: 10 }, {}]);
      expect(await uses()).to.deep.equal({ [one]: { VCPU: 2, DISK_GB: 5 } });
      expect([await generation(one), await generation(two)]).to.deep.equal([2, 0]);
    });

    it('accepts only one of several concurrent requests with the same generations', async () => {
      const answers = await Promise.all(
        [1, 2, 3].map((total) => reshape({ [two]: shape(0, { VCPU: total }) })),
      );
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([204, 409, 409]);
      expect(await generation(two)).to.equal(2);
    });

    it('returns 404 before 1.30', async () => {
      expectRefusal(await reshape({ [two]: shape(0, {}) }, {}, '1.29'), 404, '');
    });
  });
});
