// Letting the driver of a node's profile do something, as often as it wants to look again.
import type { Work } from '../../../../kernel/model.ts';
import { workWith } from '../../../../kernel/work.ts';
import * as store from '../../store/index.ts';
import { actingOn } from '../owners.ts';
import { propertiesOf, typeOfProfile } from '../profiles/index.ts';
import type { Driver, Physical, Progress } from '../profiles/types.ts';
import type { Json, Node } from '../records.ts';
import { attempt, type Outcome, type Run } from './run.ts';

/** What a driver works on, for the owner of the node. */
export async function physicalOf(work: Work, node: Node, memory: Json = {}): Promise<{ driver: Driver; physical: Physical }> {
  const profile = (await store.profiles.find(work.db, { id: node.profileId }))!;
  const physical = { work: await actingOn(work, node), node, properties: propertiesOf(profile), memory };
  return { driver: typeOfProfile(profile).driver, physical };
}

/** What came of it: the driver looks again, is done, or has failed. */
export type Driven = { readonly outcome: Outcome } | { readonly changes: Partial<Node> } | { readonly failure: string };

/**
 * Lets the driver do something. A failure of it undoes all of it and nothing else.
 * @param key where the driver keeps what it remembers. @param step where the action goes on when the driver looks again
 */
export async function drive(
  run: Run,
  node: Node,
  { key, step, ask }: { key: string; step: string; ask: (driver: Driver, physical: Physical) => Promise<Progress> },
): Promise<Driven> {
  const memory = (run.memory[key] ??= {}) as Json;
  const { driver, physical } = await physicalOf(run.work, node, memory);
  const tried = await attempt(physical.work, (work) => ask(driver, { ...physical, work: workWith(work, {}) }));
  if ('error' in tried) return { failure: tried.error.message };
  if ('lookAt' in tried.value) return { outcome: { lookAt: tried.value.lookAt, step } };
  return { changes: tried.value.changes };
}
