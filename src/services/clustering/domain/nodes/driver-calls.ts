// Calls the driver of a node's profile, in this region or in another one.
import { attempt, contextWith } from '../../../../kernel/context.ts';
import { once } from '../../../../kernel/db/transaction.ts';
import { newUuid } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import type {
  Action,
  Answer,
  DriverCall,
  DriverMemory,
  DriverPurpose,
  Memory,
  Node,
} from '../../model.ts';
import * as store from '../../store/index.ts';
import { actingOn, type Requester } from '../delegation.ts';
import type { Suspension } from '../engine/step.ts';
import { propertiesOf, typeOfProfile } from '../profiles/index.ts';
import type { Driver, Physical, Progress } from '../profiles/types.ts';
import { regionFor } from './location.ts';

/** A driver with its argument: the node's physical resource, as its owner sees it. */
export interface BoundDriver {
  readonly driver: Driver;
  readonly physical: Physical;
  /** The region of the physical resource. */
  readonly region: string;
}

/** @param requester for whom the driver is called */
export async function driverOf(
  context: Context,
  node: Node,
  requester: Requester,
  memory: DriverMemory = {},
): Promise<BoundDriver> {
  const { db } = context;
  const { profileId: id } = node;
  const found = once(db, `clustering.profile.${id}`, () => store.profiles.find(db, { id }));
  const profile = (await found)!;
  const properties = propertiesOf(profile);
  const physical = { context: await actingOn(context, node, requester), node, properties, memory };
  return {
    driver: typeOfProfile(profile).driver,
    physical,
    region: regionFor(context, node, properties),
  };
}

/** The result of a driver call, and what the driver remembers for the next one. */
export interface DriverResult {
  readonly answer: Answer;
  readonly memory: DriverMemory;
}

/** Calls the driver. A failure undoes the changes of the call and nothing else. */
export async function callDriver(
  { driver, physical }: BoundDriver,
  { method, arguments: rest = [] }: DriverCall,
  context: Context,
): Promise<DriverResult> {
  const call = driver[method] as (
    physical: Physical,
    ...rest: readonly unknown[]
  ) => Promise<unknown>;
  const tried = await attempt(context, (inner) =>
    call({ ...physical, context: contextWith(inner, {}) }, ...rest),
  );
  const { memory } = physical;
  if ('error' in tried) return { answer: { failure: tried.error.message }, memory };
  const { value } = tried;
  if (typeof value !== 'object' || value === null || !('nextCheckAt' in value))
    return { answer: { value }, memory };
  const { nextCheckAt, memory: newMemory } = value as Extract<Progress, { nextCheckAt: unknown }>;
  return { answer: { value: { nextCheckAt } }, memory: newMemory };
}

/** The answer of a driver, if it has answered yet, and what the action has to remember. */
export interface DriverReply {
  readonly answer?: Answer;
  readonly remember: Memory;
}

/**
 * Calls the driver of a node for an action. If the node is in another region, the call becomes a
 * remote task, and the step has to run again when it has an answer.
 */
export async function tryDriver(
  context: Context,
  action: Action,
  node: Node,
  purpose: DriverPurpose,
  call: DriverCall,
): Promise<DriverReply> {
  const { memory } = action;
  const bound = await driverOf(context, node, action, memory[purpose]);
  const { physical, region } = bound;
  if (region === context.region.name) {
    const result = await callDriver(bound, call, physical.context);
    return { answer: result.answer, remember: { [purpose]: result.memory } };
  }
  const name = `${node.id} ${purpose}`;
  const { [name]: task, ...remoteTasks } = memory.remoteTasks ?? {};
  if (task?.answer)
    return { answer: task.answer, remember: { remoteTasks, [purpose]: task.memory } };
  const pending = task ?? {
    id: newUuid(),
    nodeId: node.id,
    region,
    call,
    memory: physical.memory,
  };
  return { remember: { remoteTasks: { ...remoteTasks, [name]: pending } } };
}

/**
 * The result of a driver call: the action is suspended, the node changes, or the call has failed.
 */
export type Driven = { readonly remember: Memory } & (
  | { readonly suspension: Suspension }
  | { readonly changes: Partial<Node> }
  | { readonly failure: string }
);

/**
 * Lets the driver change a node's physical resource.
 * @param step where the action resumes if the driver has to poll, or is in another region
 */
export async function drive(
  context: Context,
  action: Action,
  node: Node,
  {
    purpose,
    step,
    ...call
  }: DriverCall & { readonly purpose: DriverPurpose; readonly step: string },
): Promise<Driven> {
  const { answer, remember } = await tryDriver(context, action, node, purpose, call);
  if (!answer) return { suspension: { waitFor: 'remote tasks', step }, remember };
  if ('failure' in answer) return { failure: answer.failure, remember };
  // Joining and leaving a cluster return nothing.
  const progress = (answer.value ?? { changes: {} }) as
    { readonly changes: Partial<Node> } | { readonly nextCheckAt: number };
  return 'nextCheckAt' in progress
    ? { suspension: { resumeAt: progress.nextCheckAt, step }, remember }
    : { changes: progress.changes, remember };
}
