// An action that is being done: what its handlers see, and what they answer.
import type { Micros } from '../../../../kernel/clock.ts';
import { Contention, isDeadlock, isGone } from '../../../../kernel/db/errors.ts';
import type { Work } from '../../../../kernel/model.ts';
import { workWith } from '../../../../kernel/work.ts';
import { actingOn } from '../owners.ts';
import * as store from '../../store/index.ts';
import type { Action, ActionData, Cluster, Json, Memory, Node } from '../records.ts';
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
  | { readonly lookAt: Micros; readonly step: string };

export type Step = (run: Run) => Promise<Outcome>;

/** The steps of a kind of action. `begin` comes first. */
export type Handler = Readonly<Record<string, Step>> & { readonly begin: Step };

export const done = (reason: string): Ending => ({ end: 'OK', reason });
export const failed = (reason: string): Ending => ({ end: 'ERROR', reason });

/** An action that is being done. Its data and memory are changed in place. */
export class Run {
  readonly work: Work;
  readonly action: Action;
  readonly data: ActionData;
  readonly memory: Memory;

  constructor(work: Work, action: Action) {
    this.work = work;
    this.action = action;
    this.data = action.data;
    this.memory = action.memory;
  }

  get inputs(): Json {
    return this.action.inputs;
  }

  /** The target of a cluster action as it is now. */
  async cluster(): Promise<Cluster> {
    return (await store.clusters.find(this.work.db, { id: this.action.target }))!;
  }

  /** The target of a node action as it is now. */
  async node(): Promise<Node> {
    return (await store.nodes.find(this.work.db, { id: this.action.target }))!;
  }

  /** The same work, done for the owner of a cluster or a node. */
  owner(of: Pick<Node, 'userId' | 'projectId'>): Promise<Work> {
    return actingOn(this.work, of);
  }

  /** How long the emulator is told that actions of the kind take; the name is such as `cluster.scaleOut`. */
  get latency(): Micros {
    const [noun = '', ...words] = this.action.action.toLowerCase().split('_');
    const name = words.map((word, at) => (at ? word[0]!.toUpperCase() + word.slice(1) : word)).join('');
    return latencyOf(this.work, `${noun}.${name}`);
  }

  /** Goes on with another step after a time; at once, where that is none. */
  after(wait: Micros, step: string, handler: Handler): Promise<Outcome> {
    return wait > 0 ? Promise.resolve({ lookAt: this.work.now + wait, step }) : handler[step]!(this);
  }
}

/**
 * Does something so that a failure of it undoes all of it and nothing else. What another writer's speed has spoilt is not a failure: the
 * whole transaction is done again.
 */
export async function attempt<T>(work: Work, run: (work: Work) => Promise<T>): Promise<{ value: T } | { error: Error }> {
  let thrown: { error: unknown } | undefined; // the first error: undoing may fail as well, and would then hide it
  try {
    return {
      value: await work.db.transaction(async (db) => {
        try {
          return await run(workWith(work, { db }));
        } catch (error) {
          thrown ??= { error };
          throw error;
        }
      }),
    };
  } catch (last) {
    const error = thrown ? thrown.error : last;
    if (error instanceof Contention || isDeadlock(error) || isGone(error) || !(error instanceof Error)) throw error;
    return { error };
  }
}
