// Records the actions of servers and runs their tasks: each task is a job, and its outcome is
// stored as an event of the action.
import type { Micros } from '../../../../kernel/clock.ts';
import {
  SerializationFailure,
  isDeadlock,
  isDiskFull,
  isUnreachable,
  isRefusedByConstraint,
} from '../../../../kernel/db/errors.ts';
import { ApiError } from '../../../../kernel/errors.ts';
import { schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../kernel/model.ts';
import { insertAction, insertEvents } from '../../store/servers/actions.ts';
import { bumpServerRevision, findServer, updateServer } from '../../store/servers/servers.ts';
import type { Server, ServerChanges, ServerEvent } from '../../model.ts';
import { notifyAction } from './notifications.ts';
import { latencyOf } from '../../../../kernel/latency.ts';
import type { Latency } from './latencies.ts';
import type { NoArgs, TaskArgs, TaskName } from './task-args.ts';

/** A step of an action, which runs as a job when it is due. */
export interface Task<Args extends object = NoArgs> {
  /** The name of the event. */
  readonly event: string;
  /**
   * Runs the task.
   * @returns the changes of the server; undefined if another task of the action follows
   * @throws ApiError if the task fails
   */
  run(context: Context, server: Server, args: Args): Promise<ServerChanges | undefined>;
  /**
   * The changes of the server after a failure; everything that `run` wrote is rolled back by then.
   * Without this function, the server only records the fault.
   */
  failed?(context: Context, server: Server, error: ApiError, args: Args): Promise<ServerChanges>;
}

/** The task of each name. */
export type Tasks = { readonly [Name in TaskName]: Task<TaskArgs[Name]> };

/** The kind of the jobs that run tasks. */
export const taskKind = 'compute.server_task';

/** A task to run, with its arguments. */
interface TaskCall<Name extends TaskName> {
  readonly task: Name;
  readonly args: TaskArgs[Name];
}

interface TaskPayload<Name extends TaskName> extends TaskCall<Name> {
  readonly action: number;
}

/** Records an action that the actor has requested. @returns the action's id */
export function recordAction(
  { db, now, requestId, actor }: Context,
  serverUuid: string,
  action: string,
): Promise<number> {
  const { userId, projectId = '' } = actor;
  return insertAction(db, {
    serverUuid,
    action,
    requestId,
    projectId,
    userId,
    message: null,
    startedAt: now,
    updatedAt: now,
  });
}

/** Records an action that is already finished, with its only event, and no notification. */
export async function recordFinished(
  context: Context,
  server: Pick<Server, 'uuid' | 'host'>,
  action: string,
  event: string,
): Promise<void> {
  const id = await recordAction(context, server.uuid, action);
  const { db, now } = context;
  const { host } = server;
  await insertEvents(db, id, [
    { event, result: 'Success', details: null, host, startedAt: now, finishedAt: now },
  ]);
}

/** Records an action that is already finished, and its notifications. */
export async function recordDone(
  context: Context,
  server: Server,
  action: string,
  event: string,
  volumeId?: string,
): Promise<void> {
  await recordFinished(context, server, action, event);
  await notifyAction(context, server, event, 'start', { volumeId });
  await notifyAction(context, server, event, 'end', { volumeId });
}

/**
 * Records a finished action that has changed a volume or a port of the server, but not the server's
 * own row. It bumps the revision of the server.
 */
export async function recordDeviceChange(
  context: Context,
  server: Server,
  action: string,
  event: string,
  volumeId?: string,
): Promise<void> {
  await bumpServerRevision(context.db, server);
  await recordDone(context, server, action, event, volumeId);
}

/** An action and the first of its tasks. */
export interface NewAction<Name extends TaskName> extends TaskCall<Name> {
  readonly action: string;
  readonly taskState: string | null;
  /** The latency after which the task is due. Without one, the task is due at once. */
  readonly latency?: Latency;
  readonly changes?: ServerChanges;
}

/** Records an action, sets the task state of the server, and schedules the first task. */
export async function startAction<Name extends TaskName>(
  context: Context,
  server: Server,
  { action, task, args, taskState, latency, changes }: NewAction<Name>,
): Promise<Server> {
  const actionId = await recordAction(context, server.uuid, action);
  const changed = await updateServer(
    context.db,
    server,
    { ...changes, taskState, actionId },
    context.now,
  );
  await scheduleTask(context, server.uuid, { task, action: actionId, args }, latency);
  return changed;
}

async function scheduleTask<Name extends TaskName>(
  context: Context,
  server: string,
  payload: TaskPayload<Name>,
  latency: Latency | Micros = 0,
): Promise<void> {
  const delay = typeof latency === 'number' ? latency : latencyOf(context, latency);
  const dueAt = context.now + delay;
  await schedule(context.db, { dueAt, kind: taskKind, subject: server, payload });
}

/** Schedules the next task of the current action. */
export const scheduleNextTask = <Name extends TaskName>(
  context: Context,
  server: Server,
  task: Name,
  args: TaskArgs[Name],
  latency?: Latency | Micros,
): Promise<void> =>
  scheduleTask(context, server.uuid, { task, action: server.actionId!, args }, latency);

/** Runs a due task, unless the server is deleted or has started another action since. */
export const runTask = (
  context: Context,
  tasks: Tasks,
  uuid: string,
  payload: unknown,
): Promise<void> => runPayload(context, tasks, uuid, payload as TaskPayload<TaskName>);

async function runPayload<Name extends TaskName>(
  context: Context,
  tasks: Tasks,
  uuid: string,
  { task: name, action, args }: TaskPayload<Name>,
): Promise<void> {
  const server = await findServer(context.db, uuid);
  // A newer version of the emulator may have written the job.
  const task: Task<TaskArgs[Name]> | undefined = tasks[name];
  if (server && task && server.actionId === action) await doTask(context, server, task, args);
}

/** Changes and events of an action that the next task writes together with its own outcome. */
export interface Unwritten {
  readonly changes: ServerChanges;
  readonly events: readonly ServerEvent[];
}

/**
 * Runs a task of the current action, and records its outcome. If the task fails, everything that it
 * wrote is rolled back, and the server records the error. With `unwritten`, the task must not write
 * the server's row, which is assumed to be unchanged since it was read.
 * @returns the error of a failed task
 */
export async function doTask<Args extends object>(
  context: Context,
  server: Server,
  task: Task<Args>,
  args: Args,
  unwritten?: Unwritten,
): Promise<ApiError | undefined> {
  const { db, now } = context;
  await notifyAction(context, { ...server, ...unwritten?.changes }, task.event, 'start');
  const done = await inSavepoint(context, (inner) => task.run(inner, server, args));
  const error = 'error' in done ? done.error : undefined;
  const outcome = error
    ? { result: 'Error', details: error.message }
    : { result: 'Success', details: null };
  const event = {
    event: task.event,
    startedAt: now,
    finishedAt: now,
    host: server.host,
    ...outcome,
  };
  await insertEvents(db, server.actionId!, [...(unwritten?.events ?? []), event]);
  const changes =
    'error' in done
      ? await changesAfterFailure(context, server, task, args, done.error)
      : done.value;
  const current = changes && (unwritten ? server : await findServer(db, server.uuid));
  const written =
    current &&
    (await updateServer(
      db,
      current,
      { ...unwritten?.changes, taskState: null, actionId: null, ...changes },
      now,
    ));
  const phase = error ? 'error' : 'end';
  // The row no longer refers to the action, which knows who has requested it.
  const { actionId } = server;
  await notifyAction(context, { ...(written ?? server), actionId }, task.event, phase, { error });
  return error;
}

const changesAfterFailure = async <Args extends object>(
  context: Context,
  server: Server,
  task: Task<Args>,
  args: Args,
  error: ApiError,
): Promise<ServerChanges> => ({
  fault: faultOf(error, context.now),
  ...(await task.failed?.(context, server, error, args)),
});

/** The fault that a server records for an error. */
export const faultOf = (
  { message }: Pick<ApiError, 'message'>,
  createdAt: Micros,
): NonNullable<Server['fault']> => ({
  code: 500,
  message: message.slice(0, 255),
  details: `Fault: ${message}`,
  createdAt,
});

/**
 * Runs a function in a nested transaction, so that a failure rolls back all of its writes and no
 * others. A serialization failure is not returned but thrown, because the whole transaction has to
 * run again.
 */
export async function inSavepoint<T>(
  context: Context,
  run: (context: Context) => Promise<T>,
): Promise<{ value: T } | { error: ApiError }> {
  // The first error. If the rollback fails too, its error would hide this one.
  let thrown: { error: unknown } | undefined;
  try {
    const value = await context.db.transaction(async (db) => {
      try {
        return await run({ ...context, db });
      } catch (error) {
        thrown = { error };
        throw error;
      }
    });
    return { value };
  } catch (caught) {
    const error = thrown ? thrown.error : caught;
    if (error instanceof ApiError) return { error };
    if (error instanceof SerializationFailure || isDeadlock(error) || isRefusedByConstraint(error))
      throw error;
    if (isUnreachable(error) || isDiskFull(error)) throw error;
    context.cloud.log.error({ err: error }, 'unexpected error in a task of a server');
    return {
      error: new ApiError(
        500,
        'An unexpected error prevented this. The log of the emulator has the details.',
      ),
    };
  }
}
