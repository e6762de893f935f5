// Claims whose provider changes between their reads and their commit, on MySQL. SQLite has one
// writer at a time, so nothing comes in between there.
import { expect } from 'chai';
import { transact } from '../../../src/kernel/db/transaction.ts';
import { asApiError } from '../../../src/kernel/db/errors.ts';
import type { ApiError } from '../../../src/kernel/errors.ts';
import {
  deleteAllocations,
  replaceAllocations,
} from '../../../src/services/placement/domain/allocations.ts';
import { onEachDatabase } from '../../support/cloud.ts';
import { consumer, makeProvider, provider, senderFor } from './support.ts';

onEachDatabase('Placement: guarded claims', { auth: 'noauth2' }, (world) => {
  if (world.kind !== 'mysql') return;
  const send = senderFor(world);
  const db = () => world.cloud.firstRegion.database.db;
  const host = provider(1);

  /**
   * Claims for a consumer, and runs `between` after the first attempt has read and written, but
   * before it commits. @returns the number of attempts, and the error if it is refused
   */
  async function claimAround(
    number: number,
    resources: Record<string, number>,
    between: () => PromiseLike<unknown>,
  ): Promise<{ attempts: number; refused?: string }> {
    let attempts = 0;
    const update = {
      consumer: consumer(number),
      projectId: 'p',
      userId: 'u',
      generation: null,
      type: 'INSTANCE',
      allocations: new Map([[host, resources]]),
    };
    try {
      await transact(db(), async (trx, attempt) => {
        attempts = attempt;
        await replaceAllocations({ db: trx, now: 0 }, [update]);
        if (attempt === 1) await between();
      });
      return { attempts };
    } catch (error) {
      return { attempts, refused: (asApiError(error) as ApiError).message };
    }
  }

  const claim =
    (number: number, resources: Record<string, number>, from = host) =>
    () =>
      send(`PUT /allocations/${consumer(number)}`, '1.39', {
        body: {
          allocations: { [from]: { resources } },
          project_id: 'p',
          user_id: 'u',
          consumer_generation: null,
          consumer_type: 'INSTANCE',
        },
      }).expect(204);
  const putInventories = (inventories: object) => () =>
    send(`PUT /resource_providers/${host}/inventories`, '1.39', {
      body: { resource_provider_generation: 1, inventories },
    }).expect(200);
  const state = async (): Promise<unknown> => {
    const { body } = await send(`GET /resource_providers/${host}/usages`, '1.39').expect(200);
    return (body as { usages: unknown }).usages;
  };
  const generation = async (): Promise<number> =>
    ((await send(`GET /resource_providers/${host}`).expect(200)).body as { generation: number })
      .generation;

  beforeEach(async () => {
    await makeProvider(send, host, { inventories: { VCPU: 10, MEMORY_MB: 1000 } });
    // Creates the consumer type, which the claims under test would wait for.
    await makeProvider(send, provider(2), { inventories: { VCPU: 1 } });
    await claim(9, { VCPU: 1 }, provider(2))();
  });

  it('run once if another claim on the provider commits and there is room for both', async () => {
    const result = await claimAround(1, { VCPU: 5 }, claim(2, { VCPU: 5, MEMORY_MB: 10 }));
    expect(result).to.deep.equal({ attempts: 1 });
    expect(await state()).to.deep.equal({ VCPU: 10, MEMORY_MB: 10 });
    expect(await generation()).to.equal(3);
  });

  it('are refused in the words of upstream if another claim takes the room', async () => {
    const result = await claimAround(1, { VCPU: 5, MEMORY_MB: 10 }, claim(2, { VCPU: 6 }));
    expect(result).to.deep.equal({
      attempts: 2,
      refused:
        "Unable to allocate inventory: Unable to create allocation for 'VCPU' on resource " +
        `provider '${host}'. The requested amount would exceed the capacity.`,
    });
    expect(await state()).to.deep.equal({ VCPU: 6, MEMORY_MB: 0 });
    expect(await generation()).to.equal(2);
  });

  it('run once if the inventory has been changed, and still allows them', async () => {
    const changed = { VCPU: { total: 8 }, MEMORY_MB: { total: 1000 } };
    const result = await claimAround(1, { VCPU: 8 }, putInventories(changed));
    expect(result).to.deep.equal({ attempts: 1 });
  });

  for (const [what, inventories, reason] of [
    ['is smaller', { VCPU: { total: 7 } }, 'would exceed the capacity.'],
    [
      'has another unit',
      { VCPU: { total: 10, step_size: 3 } },
      'would violate inventory constraints.',
    ],
    ['has been deleted', { MEMORY_MB: { total: 1 } }, `on resource provider '${host}' invalid.`],
  ] as const)
    it(`are refused if the inventory ${what} meanwhile`, async () => {
      const result = await claimAround(1, { VCPU: 8 }, putInventories(inventories));
      expect(result.attempts).to.equal(2);
      expect(result.refused!.endsWith(reason)).to.equal(true, result.refused);
    });

  it('are refused if another request has created the consumer', async () => {
    const result = await claimAround(1, { VCPU: 1 }, claim(1, { VCPU: 2 }));
    expect(result).to.deep.equal({
      attempts: 2,
      refused: 'consumer generation conflict - expected 1 but got None',
    });
    expect(await state()).to.deep.equal({ VCPU: 2, MEMORY_MB: 0 });
  });

  it('are released once by two requests that delete them at once', async () => {
    await claim(1, { VCPU: 4 })();
    await claim(2, { VCPU: 3 })();
    let attempts = 0;
    const error: unknown = await transact(db(), async (trx, attempt) => {
      attempts = attempt;
      await deleteAllocations(trx, consumer(1));
      if (attempt === 1) await send(`DELETE /allocations/${consumer(1)}`, '1.39').expect(204);
    }).catch((thrown: unknown) => thrown);
    expect([attempts, (error as ApiError).status]).to.deep.equal([2, 404]);
    expect(await state()).to.deep.equal({ VCPU: 3, MEMORY_MB: 0 });
  });
});
