// Captures a cloud: each service inserts what it reads into a new cloud in memory.
import { inCentralTransaction, systemContext } from '../../kernel/context.ts';
import type { Micros } from '../../kernel/clock.ts';
import { transact } from '../../kernel/db/transaction.ts';
import type { Cloud } from '../../kernel/model.ts';
import type { CaptureSource } from './model.ts';

/**
 * Fills a new cloud with what its services read.
 * @param startedAt the time of rows whose own time the source does not show
 * @returns how many resources, by noun
 */
export async function captureInto(
  cloud: Cloud,
  source: CaptureSource,
  startedAt: Micros,
): Promise<Readonly<Record<string, number>>> {
  const region = cloud.firstRegion;
  const captured: Record<string, number> = {};
  for (const { definition } of cloud.services) {
    const { capture, database } = definition;
    if (!capture || !source.has(definition.name)) continue;
    const counts = await transact(region.database.db, (db, attempt) => {
      const context = systemContext(cloud, region, db, startedAt, attempt);
      return database === 'central'
        ? inCentralTransaction(context, (inner) => capture(inner, source))
        : capture(context, source);
    });
    Object.assign(captured, counts);
  }
  return captured;
}
