// What the owner of a node sees of what it stands for.
import type { Work } from '../../../kernel/model.ts';
import { physicalOf } from './engine/driving.ts';
import { attempt } from './engine/run.ts';
import type { Json, Node } from './records.ts';

/** What cannot be told is an `Error`. */
export async function detailsOf(work: Work, node: Node): Promise<Json> {
  const { driver, physical } = await physicalOf(work, node);
  const tried = await attempt(physical.work, (inner) => driver.details({ ...physical, work: inner }));
  return 'value' in tried ? tried.value : { Error: { code: 500, message: tried.error.message } };
}
