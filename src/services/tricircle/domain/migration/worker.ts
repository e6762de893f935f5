// The job of a move: runs one step of it, or undoes one, and schedules the next. The row of the
// move has everything that it needs, so another process goes on after a kill.
import { SECOND } from '../../../../kernel/clock.ts';
import {
  centralContext,
  inCentralTransaction,
  inRegionTransaction,
} from '../../../../kernel/context.ts';
import { ApiError } from '../../../../kernel/errors.ts';
import { cancel, schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context, Job } from '../../../../kernel/model.ts';
import { centralRegionOf } from '../../../../kernel/regions.ts';
import { PodFailure } from '../../clients/pods.ts';
import type { Migration, Move, MoveStatus } from '../../model.ts';
import * as store from '../../store/migrations.ts';
import { findPod } from '../../store/pods.ts';
import { loadSettings } from '../settings.ts';
import { steps, switchIndex } from './steps/index.ts';
import type { Outcome, Work } from './steps/step.ts';
import { switchRoutings } from './steps/switch.ts';

export const moveKind = 'tricircle.move';

/** How often a step before the switch is tried again if a pod does not answer. */
const maxAttempts = 3;

/** The longest time between two attempts, in seconds. */
const maxDelay = 3600;

/** How often the job of a move that is not there yet runs: the process may still insert it. */
const maxRounds = 60;

interface Payload {
  /** How often the job has found no move. */
  readonly rounds?: number;
}

/** Schedules the next step of a move, in the place of one that is scheduled. */
export const scheduleStep = (
  context: Context,
  moveId: string,
  delay: number,
  payload: Payload = {},
): Promise<void> =>
  inRegionTransaction(context, centralRegionOf(context.cloud)!, async ({ db, now }) => {
    await cancel(db, moveKind, moveId);
    await schedule(db, { dueAt: now + delay, kind: moveKind, subject: moveId, payload });
  });

/** Runs or undoes one step of a move. */
export async function advance(context: Context, { subject, payload }: Required<Job>) {
  const { db } = centralContext(context);
  const move = await store.findMove(db, subject);
  const migration = move && (await store.findMigration(db, move.migrationId));
  if (!move || !migration) {
    const { rounds = 0 } = (payload ?? {}) as Payload;
    if (rounds < maxRounds) await scheduleStep(context, subject, SECOND, { rounds: rounds + 1 });
    return;
  }
  if (isFinal(move)) return;
  const { migrationStepDuration } = await loadSettings({ db });
  const changes = await changesOf(context, migration, move);
  const isSaved = await save(context, move, changes);
  const { attempts = 0 } = isSaved ? changes : {};
  const delay = attempts ? Math.min(2 ** attempts, maxDelay) : migrationStepDuration;
  await scheduleStep(context, subject, delay * SECOND);
}

const isFinal = ({ status }: Pick<Move, 'status'>): boolean =>
  status === 'MOVED' || status === 'UNDONE';

type Changes = Partial<Pick<Move, 'status' | 'step' | 'attempts' | 'error' | 'resources'>>;

/** Works on a move. @returns what has changed */
async function changesOf(context: Context, migration: Migration, move: Move): Promise<Changes> {
  if (isCancelled(migration, move)) return { status: 'UNDOING', attempts: 0 };
  const isUndoing = move.status === 'UNDOING';
  try {
    const work = await workOf(context, move);
    const { isDone, resources } = isUndoing ? await undoStep(work) : await runStep(work);
    if (!isDone) return { attempts: 0 };
    return {
      step: move.step + (isUndoing ? -1 : 1),
      attempts: 0,
      ...(isUndoing ? {} : { error: null }),
      ...(resources ? { resources } : {}),
    };
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof PodFailure)) throw error;
    return afterFailure(context, move, error);
  }
}

const isCancelled = ({ status }: Migration, move: Move): boolean =>
  status === 'CANCELLING' && move.status === 'MOVING' && move.step <= switchIndex;

async function workOf(context: Context, move: Move): Promise<Work> {
  const { db } = centralContext(context);
  const [source, target] = [
    await findPod(db, move.sourcePodId),
    await findPod(db, move.targetPodId),
  ];
  if (!source || !target) throw new PodFailure('One of the pods has been deleted.');
  return { context, move, source, target };
}

/** The switch has nothing to do in the pods: see `save`. */
const runStep = (work: Work): Promise<Outcome> =>
  work.move.step === switchIndex
    ? Promise.resolve({ isDone: true })
    : steps[work.move.step]!.run(work);

const undoStep = (work: Work): Promise<Outcome> =>
  steps[work.move.step]!.undo?.(work) ?? Promise.resolve({ isDone: true });

/**
 * A move is undone if a pod refuses a step before the switch, or does not answer several times.
 * Any other step is tried again, and less and less often.
 */
function afterFailure(context: Context, move: Move, error: Error): Changes {
  context.cloud.log.warn({ err: error, move: move.id }, 'a step of a migration failed');
  const isPassing =
    error instanceof PodFailure || (error instanceof ApiError && error.status >= 500);
  const attempts = move.attempts + 1;
  const mayUndo = move.status === 'MOVING' && move.step <= switchIndex;
  if (mayUndo && (!isPassing || attempts >= maxAttempts))
    return { status: 'UNDOING', attempts: 0, error: error.message };
  // The error that was the reason to undo the move is of more use than a later one.
  const message = move.status === 'UNDOING' ? (move.error ?? error.message) : error.message;
  return { attempts, error: message };
}

/**
 * Records what has changed, and changes the routings after the step before the switch.
 * @returns false if another process was faster
 */
const save = async (context: Context, read: Move, changes: Changes): Promise<boolean> => {
  try {
    return await inCentralTransaction(context, (central) => saveIn(central, read, changes));
  } catch (error) {
    if (!(error instanceof ApiError) || read.step !== switchIndex) throw error;
    // The routings are not as they were: nothing is switched.
    const undoing = { status: 'UNDOING', attempts: 0, error: error.message } as const;
    return inCentralTransaction(context, (central) => saveIn(central, read, undoing));
  }
};

async function saveIn(central: Context, read: Move, changes: Changes): Promise<boolean> {
  const { db, now } = central;
  const move = await store.findMove(db, read.id);
  const migration = await store.findMigration(db, read.migrationId);
  if (!move || !migration || move.revision !== read.revision) return false;
  const isSwitched = move.status === 'MOVING' && changes.step === switchIndex + 1;
  // The client may have cancelled the migration meanwhile.
  if (isSwitched && isCancelled(migration, move)) return false;
  if (isSwitched) {
    const [source, target] = [
      await findPod(db, move.sourcePodId),
      await findPod(db, move.targetPodId),
    ];
    await switchRoutings(central, { move, source: source!, target: target! });
  }
  const changed = { ...move, ...changes };
  const status = endOf(changed) ?? changed.status;
  await store.updateMove(db, move, {
    ...changes,
    status,
    step: Math.max(0, changed.step),
    updatedAt: now,
  });
  if (isFinal({ status })) await finish(central, migration, move.id);
  return true;
}

/** The status of a move that has come to its end; undefined for any other. */
function endOf({ status, step }: Pick<Move, 'status' | 'step'>): MoveStatus | undefined {
  if (status === 'MOVING' && step === steps.length) return 'MOVED';
  return status === 'UNDOING' && step < 0 ? 'UNDONE' : undefined;
}

/** Ends a move, and the migration after its last one. */
async function finish({ db, now }: Context, migration: Migration, moveId: string): Promise<void> {
  await store.endMoving(db, moveId);
  const moves = await store.listMoves(db, [migration.id]);
  if (!moves.every(isFinal)) return;
  const areMoved = moves.every(({ status }) => status === 'MOVED');
  const failed = migration.status === 'CANCELLING' ? 'CANCELLED' : 'FAIL';
  await store.updateMigration(db, migration, {
    status: areMoved ? 'SUCCESS' : failed,
    finishedAt: now,
  });
}
