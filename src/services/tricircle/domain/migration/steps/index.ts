// The steps of a move, in order. Those before the switch can be undone, backwards.
import { copy, create, prepare, settle } from './copy.ts';
import { check, lock, stop } from './freeze.ts';
import type { Step } from './step.ts';
import { release } from './switch.ts';

/** The worker changes the routings, in the transaction that records the end of the step. */
const switching: Step = {
  name: 'switch',
  run: () => {
    throw new Error('The worker runs this step.');
  },
};

export const steps: readonly Step[] = [
  lock,
  check,
  stop,
  prepare,
  copy,
  create,
  settle,
  switching,
  release,
];

/** The step after which a move is not undone. */
export const switchIndex = steps.indexOf(switching);
