// Sends the messages of a region's outbox to servers outside of the cloud. It runs beside the
// requests, so that none waits for such a server.
import { emulatedNow, pauseUnref } from '../clock.ts';
import { inRegionTransaction, systemContext } from '../context.ts';
import type { Database } from '../db/database.ts';
import type { Cloud, Context, Delivery, OutboxSender, Region } from '../model.ts';
import {
  claimBatch,
  keepUndelivered,
  releaseBatch,
  removeBatch,
  renewClaim,
  type Batch,
} from './outbox.ts';

/** The server could not be reached, or failed. The messages are sent again later. */
export class DeliveryFailure extends Error {}

/** How long after each failed attempt the next one begins, in milliseconds. */
const retryDelays = [100, 1_000, 3_000, 10_000];

/** How often a process checks whether another one has stopped sending, in milliseconds. */
const pollInterval = 1_000;

/**
 * How often a process looks for messages of processes that have died, in milliseconds. A process
 * sends its own messages at once.
 */
const watchInterval = 5_000;

/** Sends what processes that died have left in the outboxes, until the cloud stops. */
export async function watchOutboxes(cloud: Cloud): Promise<void> {
  while (!cloud.stopping.signal.aborted) {
    for (const region of cloud.regions.values()) region.outbox.wake(cloud, region);
    await pauseUnref(watchInterval);
  }
}

/** Sends the messages of a database, in the order in which they were written. */
export class DatabaseOutboxSender implements OutboxSender {
  private readonly database: Database;
  private running: Promise<void> | undefined;
  private isWoken = false;
  private isStopped = false;
  private isReadable = true;
  private interrupt = (): void => {};
  private readonly stopped = new Promise<void>((resolve) => (this.interrupt = resolve));

  constructor(database: Database) {
    this.database = database;
  }

  /** Begins to send, unless it is sending already. Call it after a message has been committed. */
  wake(cloud: Cloud, region: Region): void {
    if (this.isStopped) return;
    this.isWoken = true;
    this.running ??= this.run(cloud, region);
  }

  /** Stops after the current attempt. The remaining messages are sent after the next start. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.interrupt();
    await this.running;
  }

  private async run(cloud: Cloud, region: Region): Promise<void> {
    while (this.isWoken && !this.isStopped) {
      this.isWoken = false;
      try {
        await this.sendPending(cloud, region);
        this.isReadable = true;
      } catch (error) {
        // Once is enough: while the database cannot be reached, each look at the outbox fails.
        if (this.isReadable)
          cloud.log.error({ err: error, region: region.name }, 'the outbox cannot be read');
        this.isReadable = false;
      }
    }
    this.running = undefined;
  }

  private async sendPending(cloud: Cloud, region: Region): Promise<void> {
    while (!this.isStopped) {
      const batch = await claimBatch(this.database.db);
      if (!batch) return;
      if (batch === 'elsewhere') await this.sleep(pollInterval);
      else await this.sendBatch(cloud, region, batch);
    }
  }

  /** Sends a batch until it is delivered, or the last attempt has failed. */
  private async sendBatch(cloud: Cloud, region: Region, batch: Batch): Promise<void> {
    const { db } = this.database;
    const delivery = deliveryOf(cloud, batch.kind);
    for (let attempt = 0; ; attempt++) {
      const now = emulatedNow(cloud.sharedState.cached.clock);
      const context = systemContext(cloud, region, db, now);
      try {
        await delivery.send(context, batch.payloads);
        return await removeBatch(db, batch);
      } catch (error) {
        const delay = error instanceof DeliveryFailure ? retryDelays[attempt] : undefined;
        if (delay === undefined) return abandon(context, delivery, batch, error);
        await this.sleep(delay);
      }
      if (this.isStopped) return releaseBatch(db, batch);
      await renewClaim(db, batch);
    }
  }

  private sleep(milliseconds: number): Promise<void> {
    return Promise.race([pauseUnref(milliseconds), this.stopped]);
  }
}

/** Keeps messages that could not be delivered, for `GET /_emulator/outbox`. */
async function abandon(
  context: Context,
  { abandoned }: Delivery,
  batch: Batch,
  error: unknown,
): Promise<void> {
  const { kind, payloads } = batch;
  context.cloud.log.error({ err: error, kind, messages: payloads }, 'messages were not delivered');
  await inRegionTransaction(context, context.region, async (inner) => {
    await keepUndelivered(inner.db, batch, (error as Error).message);
    await abandoned?.(inner, payloads);
  });
}

function deliveryOf({ services }: Cloud, kind: string): Delivery {
  const service = services.find(({ definition }) => definition.deliveries?.[kind]);
  const unknown = (): Promise<never> =>
    Promise.reject(new Error(`No service delivers messages of the kind ${kind}.`));
  return service?.definition.deliveries?.[kind] ?? { send: unknown };
}
