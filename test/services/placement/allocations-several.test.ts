// Allocations of several consumers in one request, which succeeds or fails as a whole.
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
} from './support.ts';

onEachDatabase('Placement: allocations of several consumers', { auth: 'noauth2' }, (world) => {
  const send = senderFor(world);
  const [one, two] = [provider(1), provider(2)];
  const [first, second] = [consumer(1), consumer(2)];
  const post = (body: unknown, version = newest) => send('POST /allocations', version, { body });
  const show = async (uuid: string): Promise<Record<string, unknown>> =>
    (await send(`GET /allocations/${uuid}`, newest).expect(200)).body as Record<string, unknown>;
  const generation = async (uuid: string): Promise<number> =>
    (await send(`GET /resource_providers/${uuid}`).expect(200)).body.generation as number;

  beforeEach(async () => {
    await makeProvider(send, one, { inventories: { VCPU: 8, DISK_GB: 8 } });
    await makeProvider(send, two, { inventories: { VCPU: 8 } });
  });

  describe('POST /allocations', () => {
    it("writes all allocations, and increments each provider's generation once #placement-10 #placement-13", async () => {
      const { headers, text } = await post(
        {
          [first]: allocationBody({ [one]: { VCPU: 1 } }),
          [second]: allocationBody({ [one]: { VCPU: 2 }, [two]: { VCPU: 3 } }),
        },
        '1.13',
      ).expect(204);
      expect(text).to.equal('');
      expect(headers).to.not.have.any.keys('content-type', 'last-modified', 'cache-control');
      expect(await show(first)).to.deep.include({
        allocations: { [one]: { resources: { VCPU: 1 }, generation: 2 } },
        consumer_generation: 1,
      });
      expect(await show(second)).to.deep.include({ consumer_generation: 1 });
      expect([await generation(one), await generation(two)]).to.deep.equal([2, 2]);
    });

    it('moves allocations from one consumer to another, like a migration', async () => {
      await claim(send, first, { [one]: { VCPU: 8 } });
      await post({
        [first]: claimBody({ [two]: { VCPU: 8 } }, { consumer_generation: 1 }),
        [second]: claimBody({ [one]: { VCPU: 8 } }, { consumer_type: 'MIGRATION' }),
      }).expect(204);
      expect(await show(first)).to.include({ consumer_generation: 2 });
      expect(await show(second)).to.include({ consumer_generation: 1, consumer_type: 'MIGRATION' });
      await post({
        [second]: claimBody({}, { consumer_generation: 1 }),
        [first]: claimBody({ [one]: { VCPU: 8 } }, { consumer_generation: 2 }),
      }).expect(204);
      expect(await show(second)).to.deep.equal({ allocations: {} });
    });

    it('deletes the allocations of a consumer with an empty map, from 1.13 on', async () => {
      await claim(send, first, { [one]: { VCPU: 1 } });
      await post({ [first]: allocationBody({}) }, '1.13').expect(204);
      expect(await show(first)).to.deep.equal({ allocations: {} });
      expect(await generation(one)).to.equal(3);
    });

    it('writes nothing if one of the allocations does not fit #placement-10', async () => {
      const body = {
        [first]: claimBody({ [one]: { VCPU: 5 } }),
        [second]: claimBody({ [one]: { VCPU: 5 } }),
      };
      const message =
        "Unable to allocate inventory: Unable to create allocation for 'VCPU' " +
        `on resource provider '${one}'. The requested amount would exceed the capacity.`;
      expectRefusal(await post(body), 409, message);
      expect([await show(first), await show(second)]).to.deep.equal([
        { allocations: {} },
        { allocations: {} },
      ]);
      expect(await generation(one)).to.equal(1);
    });

    it('returns 409 for a stale generation of a consumer', async () => {
      const body = {
        [first]: claimBody({ [one]: { VCPU: 1 } }),
        [second]: claimBody({ [one]: { VCPU: 1 } }, { consumer_generation: 4 }),
      };
      expectRefusal(
        await post(body),
        409,
        'consumer generation conflict - expected null but got 4',
        'placement.concurrent_update',
      );
      expect(await show(first)).to.deep.equal({ allocations: {} });
    });

    it('returns 400 for an unknown provider or class', async () => {
      expectRefusal(
        await post({ [first]: claimBody({ [provider(9)]: { VCPU: 1 } }) }),
        400,
        `Allocation for resource provider '${provider(9)}' that does not exist.`,
      );
      expectRefusal(
        await post({ [first]: claimBody({ [one]: { NOPE: 1 } }) }),
        400,
        'Unable to allocate inventory No such resource class NOPE.',
      );
    });

    it('returns 400 for a body that PUT rejects at the same version', async () => {
      for (const [version, body, message] of [
        [
          '1.13',
          {},
          /JSON does not validate: \{\} (does not have enough properties|should be non-empty)/,
        ],
        ['1.13', [], /\[\] is not of type 'object'/],
        ['1.13', { zz: allocationBody({}) }, /'zz' does not match any of the regexes/],
        ['1.13', { [first]: { allocations: {} } }, /'(project_id|user_id)' is a required property/],
        [
          '1.27',
          { [first]: allocationBody({}, { consumer_generation: null }) },
          /'consumer_generation' was unexpected/,
        ],
        ['1.28', { [first]: allocationBody({}) }, /'consumer_generation' is a required property/],
        [
          '1.33',
          { [first]: allocationBody({}, { consumer_generation: null, mappings: { 1: [one] } }) },
          /'mappings' was unexpected/,
        ],
        ['1.37', { [first]: claimBody({}) }, /'consumer_type' was unexpected/],
        [
          '1.38',
          { [first]: allocationBody({}, { consumer_generation: null }) },
          /'consumer_type' is a required property/,
        ],
      ] as const) {
        expectRefusal(await post(body, version), 400, message);
      }
    });

    it('accepts mappings', async () => {
      await post({ [first]: claimBody({ [one]: { VCPU: 1 } }, { mappings: { 1: [one] } }) }).expect(
        204,
      );
    });

    it('returns 404 before 1.13', async () => {
      expectRefusal(
        await post({ [first]: allocationBody({ [one]: { VCPU: 1 } }) }, '1.12'),
        404,
        '',
      );
    });
  });
});
