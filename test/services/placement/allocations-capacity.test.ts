// What fits: amounts against inventories, and that nothing is ever given out twice.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  asking,
  claim,
  claimBody,
  consumer,
  expectRefusal,
  makeProvider,
  newest,
  provider,
  setInventories,
} from './makers.ts';

onEachDatabase('Placement: what fits', { auth: 'noauth2' }, (world) => {
  const ask = asking(world);
  const [one, two] = [provider(1), provider(2)];
  const who = consumer(1);
  const put = (
    uses: Record<string, Record<string, number>>,
    generation: number | null = null,
    uuid = who,
  ) =>
    ask(`PUT /allocations/${uuid}`, newest, {
      body: claimBody(uses, { consumer_generation: generation }),
    });
  const used = async (uuid: string): Promise<Record<string, number>> =>
    (await ask(`GET /resource_providers/${uuid}/usages`).expect(200)).body.usages as Record<
      string,
      number
    >;
  const failed = (name: string, why: string, uuid = one) =>
    `Unable to allocate inventory: Unable to create allocation for '${name}' on resource provider '${uuid}'. The requested amount would ${why}.`;
  const tooMuch = failed('VCPU', 'exceed the capacity');
  const badAmount = failed('VCPU', 'violate inventory constraints');

  describe('the capacity', () => {
    it('is what is not reserved times the ratio; a fraction of a unit is no unit', async () => {
      await makeProvider(ask, one, {
        has: { VCPU: { total: 4, reserved: 1, allocation_ratio: 1.5 } },
      });
      expectRefusal(await put({ [one]: { VCPU: 5 } }), 409, tooMuch);
      await put({ [one]: { VCPU: 4 } }).expect(204);
    });

    it('is reckoned in double precision', async () => {
      await makeProvider(ask, one, {
        has: {
          VCPU: { total: 10, allocation_ratio: 1.1 },
          DISK_GB: { total: 100, allocation_ratio: 1.15 },
        },
      });
      await put({ [one]: { VCPU: 11, DISK_GB: 114 } }).expect(204);
      // 100 * 1.15 is a little less than 115.
      expectRefusal(
        await put({ [one]: { DISK_GB: 115 } }, 1),
        409,
        failed('DISK_GB', 'exceed the capacity'),
      );
    });

    it('is for all consumers together', async () => {
      await makeProvider(ask, one, { has: { VCPU: 4 } });
      await put({ [one]: { VCPU: 3 } }).expect(204);
      expectRefusal(await put({ [one]: { VCPU: 2 } }, null, consumer(2)), 409, tooMuch);
      await put({ [one]: { VCPU: 1 } }, null, consumer(2)).expect(204);
      expect(await used(one)).to.deep.equal({ VCPU: 4 });
    });

    it('counts what the consumer already has as given back', async () => {
      await makeProvider(ask, one, { has: { VCPU: 4 } });
      await put({ [one]: { VCPU: 3 } }).expect(204);
      await put({ [one]: { VCPU: 4 } }, 1).expect(204);
      expectRefusal(await put({ [one]: { VCPU: 5 } }, 2), 409, tooMuch);
    });

    it('is nothing where all is reserved', async () => {
      await makeProvider(ask, one, { has: { VCPU: { total: 4, reserved: 4 } } });
      expectRefusal(await put({ [one]: { VCPU: 1 } }), 409, tooMuch);
    });
  });

  describe('an inventory that has shrunk below what is used', () => {
    const shrunk = async (): Promise<void> => {
      await makeProvider(ask, one, { has: { VCPU: 4 } });
      await put({ [one]: { VCPU: 4 } }).expect(204);
      await setInventories(ask, one, { VCPU: { total: 1, max_unit: 3 } });
    };

    it('lets a claim become less, or stay, but not grow', async () => {
      await shrunk();
      await put({ [one]: { VCPU: 3 } }, 1).expect(204);
      await put({ [one]: { VCPU: 3 } }, 2).expect(204);
      await put({ [one]: { VCPU: 2 } }, 3).expect(204);
      expectRefusal(await put({ [one]: { VCPU: 3 } }, 4), 409, tooMuch);
      await put({ [one]: { VCPU: 1 } }, 4).expect(204);
    });

    it('still minds the size of the pieces', async () => {
      await shrunk();
      expectRefusal(await put({ [one]: { VCPU: 4 } }, 1), 409, badAmount);
    });

    it('gives nothing to others', async () => {
      await shrunk();
      expectRefusal(await put({ [one]: { VCPU: 1 } }, null, consumer(2)), 409, tooMuch);
    });

    it('lets several consumers of one request shift what they have among them', async () => {
      await makeProvider(ask, one, { has: { VCPU: 4 } });
      await put({ [one]: { VCPU: 3 } }).expect(204);
      await put({ [one]: { VCPU: 1 } }, null, consumer(2)).expect(204);
      await setInventories(ask, one, { VCPU: 2 });
      const both = (mine: number, theirs: number, generation: number) =>
        ask('POST /allocations', newest, {
          body: {
            [who]: claimBody({ [one]: { VCPU: mine } }, { consumer_generation: generation }),
            [consumer(2)]: claimBody(
              { [one]: { VCPU: theirs } },
              { consumer_generation: generation },
            ),
          },
        });
      await both(1, 3, 1).expect(204);
      expectRefusal(await both(2, 3, 2), 409, tooMuch);
      await both(1, 2, 2).expect(204);
      expect(await used(one)).to.deep.equal({ VCPU: 3 });
    });
  });

  describe('the size of a piece', () => {
    beforeEach(() =>
      makeProvider(ask, one, {
        has: { VCPU: { total: 20, min_unit: 4, max_unit: 12, step_size: 4 } },
      }),
    );

    for (const [amount, fits] of [
      [3, false],
      [4, true],
      [6, false],
      [8, true],
      [12, true],
      [16, false],
    ] as const) {
      it(`${fits ? 'takes' : 'refuses'} ${amount} of 4 to 12 in steps of 4`, async () => {
        const answer = await put({ [one]: { VCPU: amount } });
        if (fits) expect(answer.status).to.equal(204);
        else expectRefusal(answer, 409, badAmount);
      });
    }

    it('counts for each consumer of a request alone', async () => {
      const body = Object.fromEntries(
        [1, 2].map((number) => [consumer(number), claimBody({ [one]: { VCPU: 8 } })]),
      );
      await ask('POST /allocations', newest, { body }).expect(204);
      expect(await used(one)).to.deep.equal({ VCPU: 16 });
    });
  });

  describe('a provider that has not what is asked for', () => {
    it('is named with all classes where it has none of them', async () => {
      await makeProvider(ask, one);
      await makeProvider(ask, two, { has: { DISK_GB: 5 } });
      expectRefusal(
        await put({ [one]: { VCPU: 1 } }),
        409,
        `Unable to allocate inventory: Inventory for 'VCPU' on resource provider '${one}' invalid.`,
      );
      expectRefusal(
        await put({ [one]: { VCPU: 1 }, [two]: { VCPU: 1 } }),
        409,
        new RegExp(
          `^Unable to allocate inventory: Inventory for 'VCPU' on resource provider '(${one}, ${two}|${two}, ${one})' invalid\\.$`,
        ),
      );
      const either = new RegExp(
        `^Unable to allocate inventory: Inventory for '(VCPU, MEMORY_MB|MEMORY_MB, VCPU)' on resource provider '${one}' invalid\\.$`,
      );
      expectRefusal(await put({ [one]: { VCPU: 1, MEMORY_MB: 1 } }), 409, either);
    });

    it('is named with the class that it lacks', async () => {
      await makeProvider(ask, one, { has: { DISK_GB: 5 } });
      const message = `Unable to allocate inventory: Inventory for 'VCPU' on resource provider '${one}' invalid.`;
      expectRefusal(await put({ [one]: { DISK_GB: 1, VCPU: 1 } }), 409, message);
      expect(await used(one)).to.deep.equal({ DISK_GB: 0 });
    });

    it('refuses amounts that no inventory can have', async () => {
      await makeProvider(ask, one, { has: { VCPU: 4 } });
      expectRefusal(await put({ [one]: { VCPU: 2_147_483_648 } }), 409, badAmount);
    });
  });

  describe('many claims at the same time', () => {
    it('never get more than there is, and get all there is', async () => {
      await makeProvider(ask, one, { has: { VCPU: 10 } });
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, number) =>
          put({ [one]: { VCPU: 3 } }, null, consumer(number)),
        ),
      );
      const served = answers.filter(({ status }) => status === 204).length;
      expect(served).to.equal(3);
      expect(await used(one)).to.deep.equal({ VCPU: 9 });
      for (const answer of answers.filter(({ status }) => status !== 204))
        expectRefusal(answer, 409, tooMuch);
    });

    it('raise the generation of the provider once each', async () => {
      await makeProvider(ask, one, { has: { VCPU: 10 } });
      await Promise.all(
        Array.from({ length: 6 }, (_, number) =>
          put({ [one]: { VCPU: 1 } }, null, consumer(number)).expect(204),
        ),
      );
      expect((await ask(`GET /resource_providers/${one}`).expect(200)).body.generation).to.equal(7);
    });

    it('on several providers in opposite orders all go through', async () => {
      await makeProvider(ask, one, { has: { VCPU: 100 } });
      await makeProvider(ask, two, { has: { VCPU: 100 } });
      const uses = (number: number) =>
        number % 2
          ? { [one]: { VCPU: 1 }, [two]: { VCPU: 2 } }
          : { [two]: { VCPU: 2 }, [one]: { VCPU: 1 } };
      await Promise.all(
        Array.from({ length: 8 }, (_, number) =>
          put(uses(number), null, consumer(number)).expect(204),
        ),
      );
      expect([await used(one), await used(two)]).to.deep.equal([{ VCPU: 8 }, { VCPU: 16 }]);
    });

    it('do not over-commit when an inventory shrinks meanwhile', async () => {
      await makeProvider(ask, one, { has: { VCPU: 8 } });
      const shrink = ask(`PUT /resource_providers/${one}/inventories/VCPU`, newest, {
        body: { total: 4, resource_provider_generation: 1 },
      });
      const answers = await Promise.all([
        ...[1, 2, 3, 4].map((number) => put({ [one]: { VCPU: 2 } }, null, consumer(number))),
        shrink,
      ]);
      const served = answers.slice(0, 4).filter(({ status }) => status === 204).length;
      const total = (await ask(`GET /resource_providers/${one}/inventories/VCPU`).expect(200)).body
        .total as number;
      expect((await used(one))['VCPU']).to.equal(served * 2);
      if (total === 4) expect(answers[4]!.status).to.equal(200);
      else
        expectRefusal(
          answers[4]!,
          409,
          'resource provider generation conflict',
          'placement.concurrent_update',
        );
      if (total === 8) expect(served).to.equal(4);
    });
  });

  it('gives back what a claim had where another claim has failed', async () => {
    await makeProvider(ask, one, { has: { VCPU: 4 } });
    await makeProvider(ask, two, { has: { VCPU: 4 } });
    await claim(ask, who, { [one]: { VCPU: 4 } });
    expectRefusal(
      await put({ [two]: { VCPU: 5 } }, 1),
      409,
      failed('VCPU', 'exceed the capacity', two),
    );
    expect([await used(one), await used(two)]).to.deep.equal([{ VCPU: 4 }, { VCPU: 0 }]);
  });
});
