// The steps of a move: what each can use, and what it returns.
import { badRequest, type ApiError } from '../../../../../kernel/errors.ts';
import type { Context } from '../../../../../kernel/model.ts';
import type { Move, MovedResource, MovedType, Pod } from '../../../model.ts';

/** A move that a job works on. */
export interface Work {
  /** The context of a job of the central region, outside of any transaction. */
  readonly context: Context;
  readonly source: Pod;
  readonly target: Pod;
  readonly move: Move;
}

/** What a step has come to. */
export interface Outcome {
  /** False if a pod is still at work: then the step runs again later. */
  readonly isDone: boolean;
  /** The resources, if the step has learnt more about them. */
  readonly resources?: readonly MovedResource[];
}

export const done: Outcome = { isDone: true };
export const waiting: Outcome = { isDone: false };

/**
 * A step of a move. Both functions look at the pods before they write, because the process may die
 * at any moment, and another one then runs the step again.
 */
export interface Step {
  readonly name: string;
  /** @throws ApiError if a pod refuses: then the move is undone; PodFailure */
  run(work: Work): Promise<Outcome>;
  /** Undoes the step, whether it has ended or not; absent if it has changed nothing. */
  undo?(work: Work): Promise<Outcome>;
}

/** The resources of a type. */
export const ofType = (
  { resources }: Pick<Move, 'resources'>,
  type: MovedType,
): readonly MovedResource[] => resources.filter((resource) => resource.type === type);

/** Runs a function for each resource of a type. @returns waiting if any has to wait */
export async function forEach(
  { move }: Work,
  type: MovedType,
  run: (resource: MovedResource) => Promise<boolean>,
): Promise<Outcome> {
  let isDone = true;
  for (const resource of ofType(move, type)) if (!(await run(resource))) isDone = false;
  return isDone ? done : waiting;
}

/** Runs parts of a step in turn, each after the end of the one before. */
export async function inTurn(...parts: readonly (() => Promise<Outcome>)[]): Promise<Outcome> {
  for (const part of parts) if (!(await part()).isDone) return waiting;
  return done;
}

/** The error after which a move is undone. */
export const cannotMove = (message: string): ApiError =>
  badRequest(message, { code: 'tricircle.cannot_move' });
