// Allocations against the capacity of inventories, which are never over-committed.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import {
  senderFor,
  claim,
  claimBody,
  consumer,
  expectRefusal,
  makeProvider,
  newest,
  provider,
  setInventories,
} from './support.ts';

onEachDatabase('Placement: capacity', { auth: 'noauth2' }, (world) => {
  const send = senderFor(world);
  const [one, two] = [provider(1), provider(2)];
  const who = consumer(1);
  const put = (
    uses: Record<string, Record<string, number>>,
    generation: number | null = null,
    uuid = who,
  ) =>
    send(`PUT /allocations/${uuid}`, newest, {
      body: claimBody(uses, { consumer_generation: generation }),
    });
  const used = async (uuid: string): Promise<Record<string, number>> =>
    (await send(`GET /resource_providers/${uuid}/usages`).expect(200)).body.usages as Record<
      string,
      number
    >;
  const failed = (name: string, why: string, uuid = one) =>
    `Unable to allocate inventory: Unable to create allocation for '${name}' on resource ` +
    `provider '${uuid}'. The requested amount would ${why}.`;
  const tooMuch = failed('VCPU', 'exceed the capacity');
  const badAmount = failed('VCPU', 'violate inventory constraints');

  describe('the capacity', () => {
    it('is (total - reserved) * ratio, rounded down #placement-6', async () => {
      await makeProvider(send, one, {
        inventories: { VCPU: { total: 4, reserved: 1, allocation_ratio: 1.5 } },
      });
      expectRefusal(await put({ [one]: { VCPU: 5 } }), 409, tooMuch);
      await put({ [one]: { VCPU: 4 } }).expect(204);
    });

    it('is computed in double precision', async () => {
      await makeProvider(send, one, {
        inventories: {
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

    it('limits the sum of all consumers #placement-6', async () => {
      await makeProvider(send, one, { inventories: { VCPU: 4 } });
      await put({ [one]: { VCPU: 3 } }).expect(204);
      expectRefusal(await put({ [one]: { VCPU: 2 } }, null, consumer(2)), 409, tooMuch);
      await put({ [one]: { VCPU: 1 } }, null, consumer(2)).expect(204);
      expect(await used(one)).to.deep.equal({ VCPU: 4 });
    });

    it("counts the consumer's own allocations as free", async () => {
      await makeProvider(send, one, { inventories: { VCPU: 4 } });
      await put({ [one]: { VCPU: 3 } }).expect(204);
      await put({ [one]: { VCPU: 4 } }, 1).expect(204);
      expectRefusal(await put({ [one]: { VCPU: 5 } }, 2), 409, tooMuch);
    });

    it('is free again after the allocations of a consumer are deleted #placement-16', async () => {
      await makeProvider(send, one, { inventories: { VCPU: 4 } });
      await put({ [one]: { VCPU: 4 } }).expect(204);
      expectRefusal(await put({ [one]: { VCPU: 4 } }, null, consumer(2)), 409, tooMuch);
      await send(`DELETE /allocations/${who}`, newest).expect(204);
      await put({ [one]: { VCPU: 4 } }, null, consumer(2)).expect(204);
    });

    it('is zero if the whole inventory is reserved', async () => {
      await makeProvider(send, one, { inventories: { VCPU: { total: 4, reserved: 4 } } });
      expectRefusal(await put({ [one]: { VCPU: 1 } }), 409, tooMuch);
    });
  });

  describe('an inventory reduced below its usage', () => {
    const shrunk = async (): Promise<void> => {
      await makeProvider(send, one, { inventories: { VCPU: 4 } });
      await put({ [one]: { VCPU: 4 } }).expect(204);
      await setInventories(send, one, { VCPU: { total: 1, max_unit: 3 } });
    };

    it('lets an allocation shrink or stay, but not grow', async () => {
      await shrunk();
      await put({ [one]: { VCPU: 3 } }, 1).expect(204);
      await put({ [one]: { VCPU: 3 } }, 2).expect(204);
      await put({ [one]: { VCPU: 2 } }, 3).expect(204);
      expectRefusal(await put({ [one]: { VCPU: 3 } }, 4), 409, tooMuch);
      await put({ [one]: { VCPU: 1 } }, 4).expect(204);
    });

    it('still checks step_size', async () => {
      await shrunk();
      expectRefusal(await put({ [one]: { VCPU: 4 } }, 1), 409, badAmount);
    });

    it('rejects allocations of other consumers #placement-19', async () => {
      await shrunk();
      expectRefusal(await put({ [one]: { VCPU: 1 } }, null, consumer(2)), 409, tooMuch);
    });

    it('lets a request move amounts between its consumers', async () => {
      await makeProvider(send, one, { inventories: { VCPU: 4 } });
      await put({ [one]: { VCPU: 3 } }).expect(204);
      await put({ [one]: { VCPU: 1 } }, null, consumer(2)).expect(204);
      await setInventories(send, one, { VCPU: 2 });
      const both = (mine: number, theirs: number, generation: number) =>
        send('POST /allocations', newest, {
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

  describe('min_unit, max_unit and step_size', () => {
    beforeEach(() =>
      makeProvider(send, one, {
        inventories: { VCPU: { total: 20, min_unit: 4, max_unit: 12, step_size: 4 } },
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
      it(`${fits ? 'accept' : 'reject'} ${amount}, with 4 to 12 in steps of 4 #placement-7`, async () => {
        const answer = await put({ [one]: { VCPU: amount } });
        if (fits) expect(answer.status).to.equal(204);
        else expectRefusal(answer, 409, badAmount);
      });
    }

    it('reject min_unit if it is no multiple of step_size #placement-8', async () => {
      await makeProvider(send, two, {
        inventories: { VCPU: { total: 100, min_unit: 5, max_unit: 100, step_size: 10 } },
      });
      const refused = await put({ [two]: { VCPU: 5 } });
      expectRefusal(refused, 409, failed('VCPU', 'violate inventory constraints', two));
      await put({ [two]: { VCPU: 10 } }).expect(204);
    });

    it('apply to each consumer of a request separately', async () => {
      const body = Object.fromEntries(
        [1, 2].map((number) => [consumer(number), claimBody({ [one]: { VCPU: 8 } })]),
      );
      await send('POST /allocations', newest, { body }).expect(204);
      expect(await used(one)).to.deep.equal({ VCPU: 16 });
    });
  });

  describe('a provider without the requested inventory', () => {
    it('appears in the error with all classes if it has none of them', async () => {
      await makeProvider(send, one);
      await makeProvider(send, two, { inventories: { DISK_GB: 5 } });
      expectRefusal(
        await put({ [one]: { VCPU: 1 } }),
        409,
        `Unable to allocate inventory: Inventory for 'VCPU' on resource provider '${one}' invalid.`,
      );
      expectRefusal(
        await put({ [one]: { VCPU: 1 }, [two]: { VCPU: 1 } }),
        409,
        new RegExp(
          "^Unable to allocate inventory: Inventory for 'VCPU' on resource provider " +
            `'(${one}, ${two}|${two}, ${one})' invalid\\.$`,
        ),
      );
      const either = new RegExp(
        "^Unable to allocate inventory: Inventory for '(VCPU, MEMORY_MB|MEMORY_MB, VCPU)' on " +
          `resource provider '${one}' invalid\\.$`,
      );
      expectRefusal(await put({ [one]: { VCPU: 1, MEMORY_MB: 1 } }), 409, either);
    });

    it('appears in the error with the missing class', async () => {
      await makeProvider(send, one, { inventories: { DISK_GB: 5 } });
      const message =
        "Unable to allocate inventory: Inventory for 'VCPU' on resource " +
        `provider '${one}' invalid.`;
      expectRefusal(await put({ [one]: { DISK_GB: 1, VCPU: 1 } }), 409, message);
      expect(await used(one)).to.deep.equal({ DISK_GB: 0 });
    });

    it('rejects amounts that no inventory can have', async () => {
      await makeProvider(send, one, { inventories: { VCPU: 4 } });
      expectRefusal(await put({ [one]: { VCPU: 2_147_483_648 } }), 409, badAmount);
    });
  });

  describe('concurrent allocations', () => {
    it('use the whole capacity and never more #placement-12', async () => {
      await makeProvider(send, one, { inventories: { VCPU: 10 } });
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

    it("increment the provider's generation once each #placement-13", async () => {
      await makeProvider(send, one, { inventories: { VCPU: 10 } });
      await Promise.all(
        Array.from({ length: 6 }, (_, number) =>
          put({ [one]: { VCPU: 1 } }, null, consumer(number)).expect(204),
        ),
      );
      expect((await send(`GET /resource_providers/${one}`).expect(200)).body.generation).to.equal(
        7,
      );
    });

    it('all succeed on several providers in opposite orders', async () => {
      await makeProvider(send, one, { inventories: { VCPU: 100 } });
      await makeProvider(send, two, { inventories: { VCPU: 100 } });
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

    it('do not over-commit a concurrently reduced inventory', async () => {
      await makeProvider(send, one, { inventories: { VCPU: 8 } });
      const shrink = send(`PUT /resource_providers/${one}/inventories/VCPU`, newest, {
        body: { total: 4, resource_provider_generation: 1 },
      });
      const answers = await Promise.all([
        ...[1, 2, 3, 4].map((number) => put({ [one]: { VCPU: 2 } }, null, consumer(number))),
        shrink,
      ]);
      const served = answers.slice(0, 4).filter(({ status }) => status === 204).length;
      const total = (await send(`GET /resource_providers/${one}/inventories/VCPU`).expect(200)).body
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

  it('frees a deleted allocation after another one has failed', async () => {
    await makeProvider(send, one, { inventories: { VCPU: 4 } });
    await makeProvider(send, two, { inventories: { VCPU: 4 } });
    await claim(send, who, { [one]: { VCPU: 4 } });
    expectRefusal(
      await put({ [two]: { VCPU: 5 } }, 1),
      409,
      failed('VCPU', 'exceed the capacity', two),
    );
    expect([await used(one), await used(two)]).to.deep.equal([{ VCPU: 4 }, { VCPU: 0 }]);
  });
});
