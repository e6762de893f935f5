// The frame of the handlers that count how much fits: each service adds what it counts.
import { emulatedNow } from '../../kernel/clock.ts';
import { systemContext } from '../../kernel/context.ts';
import { transact } from '../../kernel/db/transaction.ts';
import { ok } from '../../kernel/http/reply.ts';
import type { Call, Context, Reply } from '../../kernel/model.ts';
import { regionNamed } from '../../kernel/regions.ts';
import type { Measured } from './model.ts';
import { capacityView } from './report.ts';

/** Counts in the region of a request, as the cloud itself, and replies with the report. */
export async function replyWithCapacity(
  { cloud, query }: Call,
  count: (context: Context) => Promise<Measured>,
): Promise<Reply> {
  const region = regionNamed(cloud, query.last('region'));
  const now = emulatedNow((await cloud.sharedState.read()).clock);
  const measured = await transact(region.database.db, (db, attempt) =>
    count(systemContext(cloud, region, db, now, attempt)),
  );
  return ok({ capacity: capacityView(region.name, measured) });
}
