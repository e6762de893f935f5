// An action that is being done: what its handlers see, and what they answer.
import type { Micros } from '../../../../kernel/clock.ts';
import { SerializationFailure, isDeadlock, isUnreachable } from '../../../../kernel/db/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { contextWith } from '../../../../kernel/context.ts';
import { actingOn } from '../delegation.ts';
import * as store from '../../store/index.ts';
import type { Action, ActionData, Cluster, Json, Memory, Node } from '../../model.ts';
import { latencyOf } from '../../../../kernel/latency.ts';

export interface Ending {
  readonly end: 'OK' | 'ERROR' | 'CANCEL';
  readonly reason: string;
}

/** What a step comes to. The memory and the data of the action are saved with it. */
export type Outcome =
  | Ending
  /** Goes on with the step when all children are over, or one has failed. */
  | { readonly waitFor: 'children'; readonly step: string }
  /** Does the step again when the errands in other regions are done. */
  | { readonly waitFor: 'region'; readonly step: string }
  | { readonly nextCheckAt: Micros; readonly step: string };

export type Step = (run: Run) => Promise<Outcome>;

/** The steps of a kind of action. `begin` comes first. */
export type Handler = Readonly<Record<string, Step>> & { readonly begin: Step };

export const done = (reason: string): Ending => ({ end: 'OK', reason });
export const failed = (reason: string): Ending => ({ end: 'ERROR', reason });

/** An action that is being done. Its data and memory are changed in place. */
export class Run {
  readonly context: Context;
  readonly action: Action;
  readonly data: ActionData;
  readonly memory: Memory;

  constructor(context: Context, action: Action) {
    this.context = context;
    this.action = action;
    this.data = action.data;
    this.memory = action.memory;
  }

  get inputs(): Json {
    return this.action.inputs;
  }

  /** The target of a cluster action as it is now. */
  async cluster(): Promise<Cluster> {
    return (await store.clusters.find(this.context.db, { id: this.action.target }))!;
  }

  /** The target of a node action as it is now. */
  async node(): Promise<Node> {
    return (await store.nodes.find(this.context.db, { id: this.action.target }))!;
  }

  /** The same work, done for the owner of a cluster or a node. */
  owner(of: Pick<Node, 'userId' | 'projectId'>): Promise<Context> {
    return actingOn(this.context, of);
  }

  /**
   * How long the emulator is told that actions of the kind take; the name is such as
   * `cluster.scaleOut`.
   */
  get latency(): Micros {
    const [noun = '', ...words] = this.action.action.toLowerCase().split('_');
    const name = words
      .map((word, at) => (at ? word[0]!.toUpperCase() + word.slice(1) : word))
      .join('');
    return latencyOf(this.context, `${noun}.${name}`);
  }

  /** Goes on with another step after a time; at once, where that is none. */
  after(wait: Micros, step: string, handler: Handler): Promise<Outcome> {
    return wait > 0
      ? Promise.resolve({ nextCheckAt: this.context.now + wait, step })
      : handler[step]!(this);
  }
}

/**
 * Does something so that a failure of it undoes all of it and nothing else. What another writer's
 * speed has spoilt is not a failure: the whole transaction is done again.
 */
export async function attempt<T>(
  context: Context,
  run: (context: Context) => Promise<T>,
): Promise<{ value: T } | { error: Error }> {
  // the first error: undoing may fail as well, and would then hide it
  let thrown: { error: unknown } | undefined;
  try {
    return {
      value: await context.db.transaction(async (db) => {
        try {
          return await run(contextWith(context, { db }));
        } catch (error) {
          thrown ??= { error };
          throw error;
        }
      }),
    };
  } catch (last) {
    const error = thrown ? thrown.error : last;
    if (
      error instanceof SerializationFailure ||
      isDeadlock(error) ||
      isUnreachable(error) ||
      !(error instanceof Error)
    )
      throw error;
    return { error };
  }
}
