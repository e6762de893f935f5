// What the owner of a node sees of what it stands for.
import type { Context } from '../../../../kernel/model.ts';
import { runDueJobs } from '../../../../kernel/jobs/runner.ts';
import { inRegionTransaction, contextWith } from '../../../../kernel/context.ts';
import { driveableOf } from './driver-calls.ts';
import { attempt } from '../engine/step.ts';
import type { Json, Node } from '../../model.ts';
import { regionNamed, withoutRegion } from './regions.ts';

/**
 * What cannot be told is an `Error`.
 * @param context in no transaction: the node may stand in another region
 */
export async function detailsOf(context: Context, node: Node): Promise<Json> {
  const {
    driver,
    physical,
    region: name,
  } = await inRegionTransaction(context, context.region, (inner) =>
    driveableOf(contextWith(inner, {}), node),
  );
  const region = regionNamed(context, name);
  if (!region) return untold(withoutRegion(name));
  // What is due there happens first, as before a client's request.
  if (region !== context.region) await runDueJobs(context.cloud, region, context.now);
  const owner = contextWith(physical.context, { db: context.db });
  const tried = await inRegionTransaction(owner, region, (inside) =>
    attempt(inside, (inner) => driver.details({ ...physical, context: inner })),
  );
  return 'value' in tried ? tried.value : untold(tried.error.message);
}

const untold = (message: string): Json => ({ Error: { code: 500, message } });
