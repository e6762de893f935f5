// Steps: an action is a sequence of them. A step is a function of the action; what it returns says
// how the action goes on and what it remembers.
import type { Micros } from '../../../../kernel/clock.ts';
import { latencyOf } from '../../../../kernel/latency.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Action, Cluster, Memory, Node } from '../../model.ts';

export interface Ending {
  readonly end: 'OK' | 'ERROR' | 'CANCEL';
  readonly reason: string;
}

/** Runs another step after a wait; in the same transaction if there is nothing to wait for. */
interface NextStep {
  readonly next: string;
  readonly wait: Micros;
  /** The target, if the step has changed it and returns it. */
  readonly target?: Target | undefined;
}

/** The ways to suspend an action: it resumes with `step`. */
export type Suspension = { readonly step: string } & (
  | {
      /**
       * `children`: until all child actions have finished, or one has failed. `remote tasks`: until
       * the driver calls in other regions have returned.
       */
      readonly waitFor: 'children' | 'remote tasks';
    }
  | { readonly resumeAt: Micros }
);

/** How an action goes on after a step. */
export type Outcome = Ending | NextStep | Suspension;

/** The outcome of a step, with the fields that it changes in the memory of the action. */
export type StepResult = Outcome & { readonly remember?: Memory };

/** The cluster or the node that an action is about. */
export type Target = Cluster | Node;

/**
 * @param action the action with its current data and memory, which the step does not change
 * @param target its target as it is when the step begins
 */
export type Step<T extends Target> = (
  context: Context,
  action: Action,
  target: T,
) => Promise<StepResult>;

/**
 * The steps of a kind of action by name. Existing databases hold the names. `begin` is the first.
 */
export type Steps<T extends Target> = Readonly<Record<string, Step<T>>> & {
  readonly begin: Step<T>;
};

export const succeeded = (reason: string): Ending => ({ end: 'OK', reason });
export const failed = (reason: string): Ending => ({ end: 'ERROR', reason });
export const goTo = (next: string, wait: Micros = 0, target?: Target): NextStep => ({
  next,
  wait,
  target,
});

/** Adds fields to the memory of an action. */
export const withMemory = (action: Action, fields: Memory | undefined): Action =>
  fields ? { ...action, memory: { ...action.memory, ...fields } } : action;

/** The name under which --latency knows a kind of action, such as `cluster.scaleOut`. */
export function latencyName(kind: string): string {
  const [noun = '', ...words] = kind.toLowerCase().split('_');
  const name = words.map((word, index) => (index ? word[0]!.toUpperCase() + word.slice(1) : word));
  return `${noun}.${name.join('')}`;
}

/** How long --latency makes an action take. */
export const actionLatency = (context: Context, { action }: Action): Micros =>
  latencyOf(context, latencyName(action));
