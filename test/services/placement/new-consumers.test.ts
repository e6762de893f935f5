// Allocations to consumers that are known to be new, such as servers that are being built.
import { expect } from 'chai';
import { systemContext } from '../../../src/kernel/context.ts';
import { asApiError } from '../../../src/kernel/db/errors.ts';
import { transact } from '../../../src/kernel/db/transaction.ts';
import type { ApiError } from '../../../src/kernel/errors.ts';
import { allocateToNew } from '../../../src/services/placement/index.ts';
import { noon, onEachDatabase } from '../../support/cloud.ts';
import { claimBody, consumer, makeProvider, newest, provider, senderFor } from './support.ts';

onEachDatabase('Placement: allocations to new consumers', { auth: 'noauth2' }, (world) => {
  const send = senderFor(world);
  const host = provider(1);

  beforeEach(async () => {
    const VCPU = { total: 4, max_unit: 3 };
    await makeProvider(send, host, { inventories: { VCPU, MEMORY_MB: 100 } });
  });

  interface Claim {
    readonly consumer: string;
    readonly VCPU: number;
    readonly from?: string;
  }

  /** Claims in one transaction. @returns the number of its attempts, and why it is refused */
  async function claim(...claims: readonly Claim[]): Promise<{ attempts: number; why?: string }> {
    const { firstRegion } = world.cloud;
    let attempts = 0;
    try {
      await transact(firstRegion.database.db, async (db, attempt) => {
        attempts = attempt;
        await allocateToNew(
          systemContext(world.cloud, firstRegion, db, noon, attempt),
          claims.map(({ consumer: id, VCPU, from = host }) => ({
            consumer: id,
            projectId: 'p',
            userId: 'u',
            allocations: new Map([[from, { VCPU, MEMORY_MB: 1 }]]),
          })),
        );
      });
      return { attempts };
    } catch (error) {
      const { status, message } = asApiError(error) as ApiError;
      return { attempts, why: `${status} ${message}` };
    }
  }

  const usage = async (): Promise<unknown> =>
    (await send(`GET /resource_providers/${host}/usages`, newest).expect(200)).body.usages;

  it('are written for several consumers at once', async () => {
    const claims = [1, 2].map((number) => ({ consumer: consumer(number), VCPU: number }));
    expect(await claim(...claims)).to.deep.equal({ attempts: 1 });
    expect(await usage()).to.deep.equal({ VCPU: 3, MEMORY_MB: 2 });
    const { body } = await send(`GET /allocations/${consumer(2)}`, newest).expect(200);
    expect(body).to.include({ project_id: 'p', user_id: 'u', consumer_type: 'INSTANCE' });
    expect(body.allocations[host].resources).to.deep.equal({ VCPU: 2, MEMORY_MB: 1 });
    expect(body.consumer_generation).to.equal(1);
  });

  it('replace those of a consumer that is not new after all, in a second attempt', async () => {
    const body = claimBody({ [host]: { VCPU: 3 } }, { consumer_generation: null });
    await send(`PUT /allocations/${consumer(1)}`, newest, { body }).expect(204);
    expect(await claim({ consumer: consumer(1), VCPU: 2 })).to.deep.equal({ attempts: 2 });
    expect(await usage()).to.deep.equal({ VCPU: 2, MEMORY_MB: 1 });
  });

  it('return 409 if there is no room for all, and allocate nothing', async () => {
    const claims = [1, 2].map((number) => ({ consumer: consumer(number), VCPU: 3 }));
    const { why } = await claim(...claims);
    expect(why).to.match(/^409 Unable to allocate inventory: .*exceed the capacity/);
    await claim({ consumer: consumer(3), VCPU: 3 });
    expect((await claim({ consumer: consumer(4), VCPU: 2 })).why).to.equal(why);
    expect(await usage()).to.deep.equal({ VCPU: 3, MEMORY_MB: 1 });
  });

  it('return 409 for an amount that the inventory does not allow', async () => {
    const { attempts, why } = await claim({ consumer: consumer(1), VCPU: 4 });
    expect(attempts).to.equal(1);
    expect(why).to.match(/^409 Unable to allocate inventory: .*violate inventory constraints/);
  });

  it('return 400 for an unknown provider', async () => {
    const { why } = await claim({ consumer: consumer(1), VCPU: 1, from: provider(9) });
    expect(why).to.match(/^400 Allocation for resource provider .* that does not exist/);
  });

  it('see an inventory that has just been changed', async () => {
    await claim({ consumer: consumer(1), VCPU: 1 });
    const { body } = await send(`GET /resource_providers/${host}/inventories`, newest);
    const { VCPU, MEMORY_MB } = body.inventories;
    await send(`PUT /resource_providers/${host}/inventories`, newest, {
      body: {
        resource_provider_generation: body.resource_provider_generation,
        inventories: { VCPU: { ...VCPU, total: 8, max_unit: 8 }, MEMORY_MB },
      },
    }).expect(200);
    expect(await claim({ consumer: consumer(2), VCPU: 7 })).to.deep.equal({ attempts: 1 });
    expect(await usage()).to.deep.equal({ VCPU: 8, MEMORY_MB: 2 });
  });
});
