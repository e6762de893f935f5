// What the owner of a node sees of what it stands for.
import type { Work } from '../../../kernel/model.ts';
import { settle } from '../../../kernel/settle.ts';
import { inRegion, workWith } from '../../../kernel/work.ts';
import { driveableOf } from './engine/driving.ts';
import { attempt } from './engine/run.ts';
import type { Json, Node } from './records.ts';
import { regionNamed, withoutRegion } from './regions.ts';

/** What cannot be told is an `Error`. @param work in no transaction: the node may stand in another region */
export async function detailsOf(work: Work, node: Node): Promise<Json> {
  const { driver, physical, region: name } = await inRegion(work, work.region, (inner) => driveableOf(workWith(inner, {}), node));
  const region = regionNamed(work, name);
  if (!region) return untold(withoutRegion(name));
  // What is due there happens first, as before a client's request.
  if (region !== work.region) await settle(work.cloud, region, work.now);
  const owner = workWith(physical.work, { db: work.db });
  const tried = await inRegion(owner, region, (inside) =>
    attempt(inside, (inner) => driver.details({ ...physical, work: inner })),
  );
  return 'value' in tried ? tried.value : untold(tried.error.message);
}

const untold = (message: string): Json => ({ Error: { code: 500, message } });
