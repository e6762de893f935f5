// Allocations: what consumers use, how it is written and given back, and the generations that guard
// it.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  allocationBody,
  asking,
  claim,
  claimBody,
  consumer,
  expectRefusal,
  makeProvider,
  newest,
  provider,
} from './makers.ts';

onEachDatabase('Placement: allocations', { auth: 'noauth2' }, (world) => {
  const ask = asking(world);
  const [one, two] = [provider(1), provider(2)];
  const who = consumer(1);
  const put = (body: unknown, version = newest, uuid = who) =>
    ask(`PUT /allocations/${uuid}`, version, { body });
  const show = async (version = newest, uuid = who): Promise<Record<string, unknown>> =>
    (await ask(`GET /allocations/${uuid}`, version).expect(200)).body as Record<string, unknown>;
  const generation = async (uuid: string): Promise<number> =>
    (await ask(`GET /resource_providers/${uuid}`).expect(200)).body.generation as number;
  const usages = async (uuid: string): Promise<unknown> =>
    (await ask(`GET /resource_providers/${uuid}/usages`).expect(200)).body.usages;

  beforeEach(async () => {
    await makeProvider(ask, one, { has: { VCPU: 8, DISK_GB: 8 } });
    await makeProvider(ask, two, { has: { VCPU: 8 } });
  });

  describe('GET /allocations/{consumer}', () => {
    it('shows at each version what that version knows', async () => {
      await claim(ask, who, { [one]: { VCPU: 1, DISK_GB: 2 }, [two]: { VCPU: 3 } });
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

    it('shows nothing, and no other keys, of a consumer that uses nothing, or that cannot be one', async () => {
      for (const uuid of [who, 'nonsense'])
        expect(await show(newest, uuid)).to.deep.equal({ allocations: {} });
    });

    it('is as old as the newest allocation; where there is none, as of now', async () => {
      await claim(ask, who, { [one]: { VCPU: 1 } });
      await world.setTime('2026-11-20T15:00:00Z');
      const used = await ask(`GET /allocations/${who}`, '1.15').expect(200);
      expect(used.headers).to.include({
        'last-modified': 'Fri, 20 Nov 2026 12:00:00 GMT',
        'cache-control': 'no-cache',
      });
      const unused = await ask(`GET /allocations/${consumer(2)}`, '1.15').expect(200);
      expect(unused.headers).to.include({
        'last-modified': 'Fri, 20 Nov 2026 15:00:00 GMT',
        'cache-control': 'no-cache',
      });
    });

    it('shows what PUT takes back as it is, since 1.12', async () => {
      for (const version of ['1.12', '1.27', '1.28', '1.37', '1.38', newest]) {
        await put(claimBody({ [one]: { VCPU: 1 } })).expect(204);
        const before = await show(version);
        await put(before, version).expect(204);
        expect((await show(version))['allocations']).to.have.all.keys(one);
        await ask(`DELETE /allocations/${who}`).expect(204);
      }
    });
  });

  describe('GET /resource_providers/{uuid}/allocations', () => {
    const path = `/resource_providers/${one}/allocations`;

    it('shows who uses the provider, since 1.28 with their generations', async () => {
      expect((await ask(`GET ${path}`, '1.0').expect(200)).body).to.deep.equal({
        allocations: {},
        resource_provider_generation: 1,
      });
      await claim(ask, who, { [one]: { VCPU: 1, DISK_GB: 2 } });
      await claim(ask, consumer(2), { [one]: { VCPU: 3 }, [two]: { VCPU: 1 } });
      const mine = { resources: { VCPU: 1, DISK_GB: 2 } };
      const theirs = { resources: { VCPU: 3 } };
      expect((await ask(`GET ${path}`, '1.27').expect(200)).body).to.deep.equal({
        allocations: { [who]: mine, [consumer(2)]: theirs },
        resource_provider_generation: 3,
      });
      const since = await ask(`GET ${path}`, '1.28').expect(200);
      expect(since.body.allocations).to.deep.equal({
        [who]: { ...mine, consumer_generation: 1 },
        [consumer(2)]: { ...theirs, consumer_generation: 1 },
      });
      expect(since.headers).to.include({
        'last-modified': 'Fri, 20 Nov 2026 12:00:00 GMT',
        'cache-control': 'no-cache',
      });
    });

    it('refuses a provider that there is not', async () => {
      const message = `Resource provider '${provider(9)}' not found: No resource provider with uuid ${provider(9)} found`;
      expectRefusal(
        await ask(`GET /resource_providers/${provider(9)}/allocations`, newest),
        404,
        message,
      );
    });
  });

  describe('DELETE /allocations/{consumer}', () => {
    it('gives everything back, and leaves the generations of providers', async () => {
      await claim(ask, who, { [one]: { VCPU: 1 }, [two]: { VCPU: 2 } });
      const { headers, text } = await ask(`DELETE /allocations/${who}`, newest).expect(204);
      expect(text).to.equal('');
      expect(headers).to.not.have.any.keys('content-type', 'last-modified', 'cache-control');
      expect(await show()).to.deep.equal({ allocations: {} });
      expect([await usages(one), await usages(two)]).to.deep.equal([
        { VCPU: 0, DISK_GB: 0 },
        { VCPU: 0 },
      ]);
      expect([await generation(one), await generation(two)]).to.deep.equal([2, 2]);
    });

    it('refuses a consumer that uses nothing', async () => {
      for (const uuid of [who, 'nonsense'])
        expectRefusal(
          await ask(`DELETE /allocations/${uuid}`, newest),
          404,
          `No allocations for consumer '${uuid}'`,
        );
    });
  });

  describe('PUT /allocations/{consumer}', () => {
    it('replaces what the consumer used; providers that it leaves keep their generation', async () => {
      await claim(ask, who, { [one]: { VCPU: 1, DISK_GB: 2 }, [two]: { VCPU: 1 } });
      await claim(ask, who, { [one]: { VCPU: 4 } }, { consumer_generation: 1 });
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

    it('raises the generation of a provider once, however many classes it gives', async () => {
      await claim(ask, who, { [one]: { VCPU: 1, DISK_GB: 1 } });
      expect(await generation(one)).to.equal(2);
    });

    it('gives everything back where nothing is asked for, since 1.28, and raises the generations of what was left', async () => {
      await claim(ask, who, { [one]: { VCPU: 1 }, [two]: { VCPU: 2 } });
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

    it('counts the generation of the consumer up each time, without it being asked before 1.28', async () => {
      for (let times = 1; times <= 3; times++) {
        await put(allocationBody({ [one]: { VCPU: times } }), '1.27').expect(204);
        expect(await show('1.28')).to.include({ consumer_generation: times });
      }
    });

    it('changes whose it is, and of what type, without counting twice', async () => {
      await claim(ask, who, { [one]: { VCPU: 1 } });
      await claim(
        ask,
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

    it('calls a consumer of no type unknown, and takes that name', async () => {
      await put(allocationBody({ [one]: { VCPU: 1 } }), '1.12').expect(204);
      expect(await show()).to.include({ consumer_type: 'unknown' });
    });

    it('refuses a generation that is not the consumer’s', async () => {
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
      await claim(ask, who, { [one]: { VCPU: 1 } });
      await refuse(0, conflict('1', '0'));
      await refuse(null, conflict('1', 'None'));
      expect(await show('1.28')).to.deep.include({
        allocations: { [one]: { resources: { VCPU: 1 }, generation: 2 } },
        consumer_generation: 1,
      });
    });

    it('wants null again from a consumer that has given everything back', async () => {
      await claim(ask, who, { [one]: { VCPU: 1 } });
      await ask(`DELETE /allocations/${who}`).expect(204);
      expectRefusal(
        await put(claimBody({ [one]: { VCPU: 1 } }, { consumer_generation: 1 })),
        409,
        /expected null but got 1/,
        'placement.concurrent_update',
      );
      await claim(ask, who, { [one]: { VCPU: 1 } });
      await claim(ask, who, {}, { consumer_generation: 1 });
      await claim(ask, who, { [one]: { VCPU: 1 } });
    });

    it('leaves no trace of a consumer whose first claim fails, unlike upstream', async () => {
      for (const uses of [
        { [provider(9)]: { VCPU: 1 } },
        { [one]: { NOPE: 1 } },
        { [one]: { VCPU: 99 } },
      ]) {
        const { status } = await put(claimBody(uses));
        expect(status).to.be.oneOf([400, 409]);
        await claim(ask, who, { [one]: { VCPU: 1 } });
        await ask(`DELETE /allocations/${who}`).expect(204);
      }
    });

    it('leaves no trace of a consumer that has only ever asked for nothing, unlike upstream', async () => {
      await claim(ask, who, {});
      await claim(ask, who, { [one]: { VCPU: 1 } });
      expect(await show('1.28')).to.include({ consumer_generation: 1 });
    });

    it('refuses providers and classes that there are not, providers first', async () => {
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

    it('looks at the generation of the consumer before it looks for the providers', async () => {
      const body = claimBody({ [provider(9)]: { VCPU: 1 } }, { consumer_generation: 3 });
      expectRefusal(
        await put(body),
        409,
        /^consumer generation conflict/,
        'placement.concurrent_update',
      );
    });

    it('lets one of several first claims of a consumer through', async () => {
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
