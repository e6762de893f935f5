// Tests of the outbox: messages are sent once, in order, and only after a commit.
import { expect } from 'chai';
import { machineNow, pause, SECOND } from '../../../src/kernel/clock.ts';
import { inRegionTransaction, systemContext } from '../../../src/kernel/context.ts';
import { listMessages, post } from '../../../src/kernel/jobs/outbox.ts';
import { DatabaseOutboxSender, DeliveryFailure } from '../../../src/kernel/jobs/outbox-sender.ts';
import type { Cloud, Context, Delivery } from '../../../src/kernel/model.ts';
import { noon, onEachDatabase } from '../../support/cloud.ts';
import { toy, withToy } from '../toy.ts';

onEachDatabase('outbox', {}, (world) => {
  let sent: unknown[];
  let abandoned: unknown[];
  let failures: Error[];
  let cloud: Cloud;
  let context: Context;

  beforeEach(() => {
    [sent, abandoned, failures] = [[], [], []];
    const delivery: Delivery = {
      send(_context, payloads) {
        const failure = failures.shift();
        if (failure) return Promise.reject(failure);
        sent.push(...payloads);
        return Promise.resolve();
      },
      abandoned(_context, payloads) {
        abandoned.push(...payloads);
        return Promise.resolve();
      },
    };
    cloud = withToy(world.cloud, toy([], { deliveries: { 'toy.note': delivery } }));
    const { firstRegion: region } = cloud;
    context = systemContext(cloud, region, region.database.db, noon);
  });

  const postAll = (payloads: readonly unknown[], kind = 'toy.note'): Promise<void> =>
    inRegionTransaction(context, context.region, async (inner) => {
      for (const payload of payloads) await post(inner, kind, payload);
    });

  /** Waits until no message is to be sent. @returns the errors of the undelivered ones */
  async function settled(): Promise<(string | null)[]> {
    for (;;) {
      const errors = (await listMessages(context.db)).map(({ error }) => error);
      if (!errors.includes(null)) return errors;
      await pause(2);
    }
  }

  it('sends messages in the order in which they were written', async () => {
    const payloads = Array.from({ length: 250 }, (_, number) => ({ number }));
    await postAll(payloads);
    expect(await settled()).to.deep.equal([]);
    expect(sent).to.deep.equal(payloads);
  });

  it('sends nothing if the transaction rolls back', async () => {
    const failing = inRegionTransaction(context, context.region, async (inner) => {
      await post(inner, 'toy.note', 'lost');
      throw new Error('rolled back');
    });
    expect(await failing.catch((error: Error) => error.message)).to.equal('rolled back');
    await postAll(['kept']);
    await settled();
    expect(sent).to.deep.equal(['kept']);
  });

  it('sends what was written in a savepoint', async () => {
    await inRegionTransaction(context, context.region, (inner) =>
      inner.db.transaction((db) => post({ ...inner, db }, 'toy.note', 'nested')),
    );
    await settled();
    expect(sent).to.deep.equal(['nested']);
  });

  it('sends again after a failure, before the messages that follow', async () => {
    failures.push(new DeliveryFailure('unreachable'));
    await postAll(['first']);
    await postAll(['second']);
    expect(await settled()).to.deep.equal([]);
    expect(sent).to.deep.equal(['first', 'second']);
    expect(abandoned).to.deep.equal([]);
  });

  it('keeps a message that is refused, and goes on with the next one', async () => {
    failures.push(new Error('refused'));
    await postAll(['bad']);
    await settled();
    await postAll(['good']);
    expect(await settled()).to.deep.equal(['refused']);
    expect([sent, abandoned]).to.deep.equal([['good'], ['bad']]);
  });

  it('keeps a message of an unknown kind', async () => {
    await postAll(['odd'], 'toy.unknown');
    expect(await settled()).to.deep.equal([
      'No service delivers messages of the kind toy.unknown.',
    ]);
  });

  it('sends each message once if several processes send', async () => {
    const others = [1, 2].map(() => new DatabaseOutboxSender(context.region.database));
    const payloads = Array.from({ length: 120 }, (_, number) => number);
    await Promise.all(
      payloads.map(async (number) => {
        await postAll([number]);
        for (const other of others) other.wake(cloud, context.region);
      }),
    );
    await settled();
    await Promise.all(others.map((other) => other.stop()));
    expect(sent.toSorted()).to.deep.equal(payloads.toSorted());
  });

  it('sends messages that a machine whose clock ran ahead has claimed', async () => {
    const claimedAt = machineNow() + 3600 * SECOND;
    const row = { kind: 'toy.note', payload: '"claimed"', created_at: noon };
    await context.db('outbox').insert({ ...row, claimed_at: claimedAt });
    cloud.firstRegion.outbox.wake(cloud, cloud.firstRegion);
    await settled();
    expect(sent).to.deep.equal(['claimed']);
  });

  it('leaves messages to the next start when it is stopped', async () => {
    const sender = new DatabaseOutboxSender(context.region.database);
    const region = { ...context.region, outbox: sender };
    failures.push(new DeliveryFailure('unreachable'), new DeliveryFailure('unreachable'));
    await inRegionTransaction({ ...context, region }, region, (inner) =>
      post(inner, 'toy.note', 'later'),
    );
    while (failures.length > 1) await pause(2);
    await sender.stop();
    const [message] = await listMessages(context.db);
    expect(message).to.include({ payload: 'later', claimedAt: null, error: null });
    failures.length = 0;
    cloud.firstRegion.outbox.wake(cloud, cloud.firstRegion);
    await settled();
    expect(sent).to.deep.equal(['later']);
  });
});
