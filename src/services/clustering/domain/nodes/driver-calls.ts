// Letting the driver of a node's profile do something, here or in another region, as often as it
// wants to look again.
import { newUuid } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import { contextWith } from '../../../../kernel/context.ts';
import * as store from '../../store/index.ts';
import { actingOn } from '../delegation.ts';
import { regionFor } from './location.ts';
import { propertiesOf, typeOfProfile } from '../profiles/index.ts';
import type { Driver, Physical, Progress } from '../profiles/types.ts';
import type { Answer, DriverCall, Json, Node } from '../../model.ts';
import { attempt, type Outcome, type Run } from '../engine/step.ts';

/** What a driver works on, for the owner of the node, and in which region that is. */
export interface Driveable {
  readonly driver: Driver;
  readonly physical: Physical;
  readonly region: string;
}

export async function driveableOf(
  context: Context,
  node: Node,
  memory: Json = {},
): Promise<Driveable> {
  const profile = (await store.profiles.find(context.db, { id: node.profileId }))!;
  const properties = propertiesOf(profile);
  const physical = { context: await actingOn(context, node), node, properties, memory };
  return {
    driver: typeOfProfile(profile).driver,
    physical,
    region: regionFor(context, node, properties),
  };
}

/** Calls the driver. A failure of it undoes all of it and nothing else. */
export async function callDriver(
  { driver, physical }: Driveable,
  { method, arguments: rest = [] }: DriverCall,
  context: Context,
): Promise<Answer> {
  const ask = driver[method] as (
    physical: Physical,
    ...rest: readonly unknown[]
  ) => Promise<unknown>;
  const tried = await attempt(context, (inner) =>
    ask({ ...physical, context: contextWith(inner, {}) }, ...rest),
  );
  return 'error' in tried ? { failure: tried.error.message } : { value: tried.value };
}

/**
 * Calls the driver of a node. Where the node stands in another region, it is an errand: the step is
 * done again once there is an answer.
 * @param key where the driver keeps what it remembers.
 * @returns undefined where the answer is not there yet
 */
export async function tryDriver(
  run: Run,
  node: Node,
  key: string,
  call: DriverCall,
): Promise<Answer | undefined> {
  const driveable = await driveableOf(run.context, node, (run.memory[key] ??= {}) as Json);
  const { physical, region } = driveable;
  if (region === run.context.region.name) return callDriver(driveable, call, physical.context);
  const remoteTasks = (run.memory.remoteTasks ??= {});
  const name = `${node.id} ${key}`;
  const known = remoteTasks[name];
  remoteTasks[name] ??= { id: newUuid(), nodeId: node.id, region, call, memory: physical.memory };
  if (!known?.answer) return undefined;
  run.memory[key] = known.memory;
  delete remoteTasks[name];
  return known.answer;
}

/** What came of it: the driver looks again, is done, or has failed. */
export type Driven =
  | { readonly outcome: Outcome }
  | { readonly changes: Partial<Node> }
  | { readonly failure: string };

/**
 * Lets the driver do something.
 * @param key where the driver keeps what it remembers.
 * @param step where the action goes on when the driver looks again
 */
export async function drive(
  run: Run,
  node: Node,
  { key, step, ...call }: DriverCall & { readonly key: string; readonly step: string },
): Promise<Driven> {
  const answer = await tryDriver(run, node, key, call);
  if (!answer) return { outcome: { waitFor: 'region', step } };
  if ('failure' in answer) return answer;
  // Of what only joins or leaves a cluster there is nothing to write down.
  const progress = (answer.value ?? { changes: {} }) as Progress;
  return 'nextCheckAt' in progress
    ? { outcome: { nextCheckAt: progress.nextCheckAt, step } }
    : { changes: progress.changes };
}
