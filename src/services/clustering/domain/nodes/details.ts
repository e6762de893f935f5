// The details of a node's physical resource.
import type { Context } from '../../../../kernel/model.ts';
import { runDueJobs } from '../../../../kernel/jobs/due-jobs.ts';
import { attempt, inRegionTransaction, contextWith } from '../../../../kernel/context.ts';
import { driverOf } from './driver-calls.ts';
import type { Json, Node } from '../../model.ts';
import { regionNamed, missingRegion } from './regions.ts';

/**
 * Asks the driver for the details of a node, as its owner sees them, with no more roles than the
 * actor has. A failure becomes an `Error` in the details.
 * @param context outside of a transaction: the node may be in another region
 */
export async function detailsOf(context: Context, node: Node): Promise<Json> {
  const bound = await inRegionTransaction(context, context.region, (region) =>
    attempt(region, (inner) => driverOf(inner, node, context.actor)),
  );
  if ('error' in bound) return errorDetails(bound.error.message);
  const { driver, physical, region: name } = bound.value;
  const region = regionNamed(context, name);
  if (!region) return errorDetails(missingRegion(name));
  // Due jobs run before, as they do for a client's request.
  if (region !== context.region) await runDueJobs(context.cloud, region, context.now);
  const owner = contextWith(physical.context, { db: context.db });
  const tried = await inRegionTransaction(owner, region, (inside) =>
    attempt(inside, (inner) => driver.details({ ...physical, context: inner })),
  );
  return 'value' in tried ? tried.value : errorDetails(tried.error.message);
}

const errorDetails = (message: string): Json => ({ Error: { code: 500, message } });
