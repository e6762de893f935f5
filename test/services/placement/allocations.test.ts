// Allocations of consumers: creation, replacement and deletion, and the generations that protect
// them.
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

onEachDatabase('Placement: allocations', { auth: 'noauth2' }, (world) => {
  const send = senderFor(world);
  const [one, two] = [provider(1), provider(2)];
  const who = consumer(1);
  const put = (body: unknown, version = newest, uuid = who) =>
    send(`PUT /allocations/${uuid}`, version, { body });
  const show = async (version = newest, uuid = who): Promise<Record<string, unknown>> =>
    (await send(`GET /allocations/${uuid}`, version).expect(200)).body as Record<string, unknown>;
  const generation = async (uuid: string): Promise<number> =>
    (await send(`GET /resource_providers/${uuid}`).expect(200)).body.generation as number;
  const usages = async (uuid: string): Promise<unknown> =>
    (await send(`GET /resource_providers/${uuid}/usages`).expect(200)).body.usages;

  beforeEach(async () => {
    await makeProvider(send, one, { inventories: { VCPU: 8, DISK_GB: 8 } });
    await makeProvider(send, two, { inventories: { VCPU: 8 } });
  });

  describe('GET /allocations/{consumer}', () => {
    it('returns the fields of each version #placement-9', async () => {
      await claim(send, who, { [one]: { VCPU: 1, DISK_GB: 2 }, [two]: { VCPU: 3 } });
      const allocations = {
        [one]: { resources: { VCPU: 1, DISK_GB: 2 }, generation: 2 },
        [two]: { resources: { VCPU: 3 }, generation: 2 },
      };
      const owner = { project_id: 'project', user_id: 'user' };
      expect(await show('1.0')).to.deep.equal({ allocations });
      expect(await show('1.11')).to.deep.equal({ allocations });
      expect(await show('1.12')).to.deep.equal({ allocations, ...owner });
      expect(await show('1.27')).to.deep.equal({ allocations, ...owner });
      expect(await show('1.28')).to.deep.equal({ allocations, ...owner, consumer_generation: 1 });
      expect(await show('1.37')).to.deep.equal({ allocations, ...owner, consumer_generation: 1 });
      expect(await show('1.38')).to.deep.equal({
        allocations,
        ...owner,
        consumer_generation: 1,
        consumer_type: 'INSTANCE',
      });
    });

    it('returns only an empty map for an unknown consumer or a malformed UUID', async () => {
      for (const uuid of [who, 'nonsense'])
        expect(await show(newest, uuid)).to.deep.equal({ allocations: {} });
    });

    it('returns the time of the newest allocation as Last-Modified', async () => {
      await claim(send, who, { [one]: { VCPU: 1 } });
      await world.setTime('2026-11-20T15:00:00Z');
      const used = await send(`GET /allocations/${who}`, '1.15').expect(200);
      expect(used.headers).to.include({
        'last-modified': 'Fri, 20 Nov 2026 12:00:00 GMT',
        'cache-control': 'no-cache',
      });
    });

    it('returns the current time as Last-Modified without allocations', async () => {
      await world.setTime('2026-11-20T15:00:00Z');
      const unused = await send(`GET /allocations/${consumer(2)}`, '1.15').expect(200);
      expect(unused.headers).to.include({
        'last-modified': 'Fri, 20 Nov 2026 15:00:00 GMT',
        'cache-control': 'no-cache',
      });
    });

    it('returns a body that PUT accepts unchanged, from 1.12 on', async () => {
      for (const version of ['1.12', '1.27', '1.28', '1.37', '1.38', newest]) {
        await put(claimBody({ [one]: { VCPU: 1 } })).expect(204);
        const before = await show(version);
        await put(before, version).expect(204);
        expect((await show(version))['allocations']).to.have.all.keys(one);
        await send(`DELETE /allocations/${who}`).expect(204);
      }
    });
  });

  describe('GET /resource_providers/{uuid}/allocations', () => {
    const path = `/resource_providers/${one}/allocations`;

    it('returns the consumers of the provider, with generations from 1.28 on', async () => {
      expect((await send(`GET ${path}`, '1.0').expect(200)).body).to.deep.equal({
        allocations: {},
        resource_provider_generation: 1,
      });
      await claim(send, who, { [one]: { VCPU: 1, DISK_GB: 2 } });
      await claim(send, consumer(2), { [one]: { VCPU: 3 }, [two]: { VCPU: 1 } });
      const mine = { resources: { VCPU: 1, DISK_GB: 2 } };
      const theirs = { resources: { VCPU: 3 } };
      expect((await send(`GET ${path}`, '1.27').expect(200)).body).to.deep.equal({
        allocations: { [who]: mine, [consumer(2)]: theirs },
        resource_provider_generation: 3,
      });
      const since = await send(`GET ${path}`, '1.28').expect(200);
      expect(since.body.allocations).to.deep.equal({
        [who]: { ...mine, consumer_generation: 1 },
        [consumer(2)]: { ...theirs, consumer_generation: 1 },
      });
      expect(since.headers).to.include({
        'last-modified': 'Fri, 20 Nov 2026 12:00:00 GMT',
        'cache-control': 'no-cache',
      });
    });

    it('returns 404 for an unknown provider', async () => {
      const message =
        `Resource provider '${provider(9)}' not found: No resource provider ` +
        `with uuid ${provider(9)} found`;
      expectRefusal(
        await send(`GET /resource_providers/${provider(9)}/allocations`, newest),
        404,
        message,
      );
    });
  });

  describe('DELETE /allocations/{consumer}', () => {
    it("deletes all allocations, and does not change the providers' generations #placement-16", async () => {
      await claim(send, who, { [one]: { VCPU: 1 }, [two]: { VCPU: 2 } });
      const { headers, text } = await send(`DELETE /allocations/${who}`, newest).expect(204);
      expect(text).to.equal('');
      expect(headers).to.not.have.any.keys('content-type', 'last-modified', 'cache-control');
      expect(await show()).to.deep.equal({ allocations: {} });
      expect([await usages(one), await usages(two)]).to.deep.equal([
        { VCPU: 0, DISK_GB: 0 },
        { VCPU: 0 },
      ]);
      expect([await generation(one), await generation(two)]).to.deep.equal([2, 2]);
    });

    it('returns 404 for a consumer without allocations', async () => {
      for (const uuid of [who, 'nonsense'])
        expectRefusal(
          await send(`DELETE /allocations/${uuid}`, newest),
          404,
          `No allocations for consumer '${uuid}'`,
        );
    });
  });

  describe('PUT /allocations/{consumer}', () => {
    it('replaces the allocations, and keeps the generations of former providers #placement-15', async () => {
      await claim(send, who, { [one]: { VCPU: 1, DISK_GB: 2 }, [two]: { VCPU: 1 } });
      await claim(send, who, { [one]: { VCPU: 4 } }, { consumer_generation: 1 });
      expect(await show('1.28')).to.deep.include({
        allocations: { [one]: { resources: { VCPU: 4 }, generation: 3 } },
        consumer_generation: 2,
      });
      expect([await usages(one), await usages(two)]).to.deep.equal([
        { VCPU: 4, DISK_GB: 0 },
        { VCPU: 0 },
      ]);
      expect(await generation(two)).to.equal(2);
    });

    it("increments a provider's generation once for several classes", async () => {
      await claim(send, who, { [one]: { VCPU: 1, DISK_GB: 1 } });
      expect(await generation(one)).to.equal(2);
    });

    it('deletes the allocations with an empty map, from 1.28 on', async () => {
      await claim(send, who, { [one]: { VCPU: 1 }, [two]: { VCPU: 2 } });
      expectRefusal(
        await put(allocationBody({}), '1.27'),
        400,
        /should be non-empty|does not have enough properties/,
      );
      await put(allocationBody({}, { consumer_generation: 1 }), '1.28').expect(204);
      expect(await show()).to.deep.equal({ allocations: {} });
      expect([await generation(one), await generation(two)]).to.deep.equal([3, 3]);
      expect([await usages(one), await usages(two)]).to.deep.equal([
        { VCPU: 0, DISK_GB: 0 },
        { VCPU: 0 },
      ]);
    });

    it("increments the consumer's generation, without checking it before 1.28", async () => {
      for (let times = 1; times <= 3; times++) {
        await put(allocationBody({ [one]: { VCPU: times } }), '1.27').expect(204);
        expect(await show('1.28')).to.include({ consumer_generation: times });
      }
    });

    it('changes project, user and type, and increments the generation once', async () => {
      await claim(send, who, { [one]: { VCPU: 1 } });
      await claim(
        send,
        who,
        { [one]: { VCPU: 1 } },
        { consumer_generation: 1, project_id: 'p2', user_id: 'u2', consumer_type: 'MIGRATION' },
      );
      expect(await show()).to.include({
        project_id: 'p2',
        user_id: 'u2',
        consumer_type: 'MIGRATION',
        consumer_generation: 2,
      });
      await put(allocationBody({ [one]: { VCPU: 1 } }, { consumer_generation: 2 }), '1.37').expect(
        204,
      );
      expect(await show()).to.include({
        project_id: 'project',
        consumer_type: 'MIGRATION',
        consumer_generation: 3,
      });
    });

    it('shows a consumer without a type as unknown, and accepts that type #placement-23', async () => {
      await put(allocationBody({ [one]: { VCPU: 1 } }), '1.12').expect(204);
      expect(await show()).to.include({ consumer_type: 'unknown' });
    });

    it('returns 409 for a stale generation of the consumer', async () => {
      const conflict = (expected: string, got: string) =>
        `consumer generation conflict - expected ${expected} but got ${got}`;
      const refuse = async (given: number | null, message: string): Promise<void> => {
        expectRefusal(
          await put(claimBody({ [one]: { VCPU: 2 } }, { consumer_generation: given })),
          409,
          message,
          'placement.concurrent_update',
        );
      };
      await refuse(5, conflict('null', '5'));
      await refuse(0, conflict('null', '0'));
      await claim(send, who, { [one]: { VCPU: 1 } });
      await refuse(0, conflict('1', '0'));
      await refuse(null, conflict('1', 'None'));
      expect(await show('1.28')).to.deep.include({
        allocations: { [one]: { resources: { VCPU: 1 }, generation: 2 } },
        consumer_generation: 1,
      });
    });

    it('requires null as the generation after all allocations are deleted', async () => {
      await claim(send, who, { [one]: { VCPU: 1 } });
      await send(`DELETE /allocations/${who}`).expect(204);
      expectRefusal(
        await put(claimBody({ [one]: { VCPU: 1 } }, { consumer_generation: 1 })),
        409,
        /expected null but got 1/,
        'placement.concurrent_update',
      );
      await claim(send, who, { [one]: { VCPU: 1 } });
      await claim(send, who, {}, { consumer_generation: 1 });
      await claim(send, who, { [one]: { VCPU: 1 } });
    });

    it('does not create a consumer whose first allocation fails, unlike upstream', async () => {
      for (const uses of [
        { [provider(9)]: { VCPU: 1 } },
        { [one]: { NOPE: 1 } },
        { [one]: { VCPU: 99 } },
      ]) {
        const { status } = await put(claimBody(uses));
        expect(status).to.be.oneOf([400, 409]);
        await claim(send, who, { [one]: { VCPU: 1 } });
        await send(`DELETE /allocations/${who}`).expect(204);
      }
    });

    it('does not create a consumer for an empty map, unlike upstream', async () => {
      await claim(send, who, {});
      await claim(send, who, { [one]: { VCPU: 1 } });
      expect(await show('1.28')).to.include({ consumer_generation: 1 });
    });

    it('returns 400 for an unknown provider before an unknown class', async () => {
      expectRefusal(
        await put(claimBody({ [provider(9)]: { NOPE: 1 } })),
        400,
        `Allocation for resource provider '${provider(9)}' that does not exist.`,
      );
      const message = `Unable to allocate inventory for consumer ${who}: No such resource class NOPE.`;
      expectRefusal(await put(claimBody({ [one]: { NOPE: 1 } })), 400, message);
      expectRefusal(
        await put(
          { allocations: [{ resource_provider: { uuid: provider(9) }, resources: { VCPU: 1 } }] },
          '1.0',
        ),
        400,
        /that does not exist\.$/,
      );
    });

    it("checks the consumer's generation before it looks up the providers", async () => {
      const body = claimBody({ [provider(9)]: { VCPU: 1 } }, { consumer_generation: 3 });
      expectRefusal(
        await put(body),
        409,
        /^consumer generation conflict/,
        'placement.concurrent_update',
      );
    });

    it('accepts only one of several concurrent first allocations of a consumer', async () => {
      const answers = await Promise.all(
        [1, 2, 3, 4].map((amount) => put(claimBody({ [one]: { VCPU: amount } }))),
      );
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([204, 409, 409, 409]);
      for (const refused of answers.filter(({ status }) => status === 409)) {
        expectRefusal(
          refused,
          409,
          'consumer generation conflict - expected 1 but got None',
          'placement.concurrent_update',
        );
      }
    });
  });
});
