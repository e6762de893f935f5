// Actions and tasks of servers: an action is recorded, its tasks are done when they are due, and
// what came of each is kept as an event.
import type { Micros } from '../../../../kernel/clock.ts';
import type { Db } from '../../../../kernel/db/database.ts';
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
import { latencyOf } from '../../../../kernel/latency.ts';
import type { Latency } from './latencies.ts';

export type Args = Readonly<Record<string, unknown>>;

/** Something that is done to a server when it is due. */
export interface Task {
  /** The name of the event. */
  readonly event: string;
  /**
   * Does it. @returns how the server changes; undefined where another task of the action follows
   * @throws Fault where it cannot be done
   */
  run(context: Context, server: Server, args: Args): Promise<ServerChanges | undefined>;
  /**
   * How the server changes after a failure, the work of which is undone; without it, the server
   * only gets the fault.
   */
  failed?(context: Context, server: Server, error: ApiError, args: Args): Promise<ServerChanges>;
}

/** The kind of the jobs that are tasks. */
export const taskKind = 'compute.server_task';

interface TaskPayload {
  readonly task: string;
  readonly action: number;
  readonly args: Args;
}

/** Records that the actor of the work has requested an action. @returns the action's number */
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

/** Records an action that is finished already, with its only event. */
export async function recordDone(
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

/**
 * The same of an action that changes what belongs to the server, and nothing in its own row: it
 * claims the server.
 */
export async function recordBeside(
  context: Context,
  server: Server,
  action: string,
  event: string,
): Promise<void> {
  await bumpServerRevision(context.db, server);
  await recordDone(context, server, action, event);
}

/** An action, and the first of its tasks. */
export interface NewAction {
  readonly action: string;
  readonly task: string;
  readonly taskState: string | null;
  readonly args?: Args;
  /** The name of the latency after which the task is due; without one it is due at once. */
  readonly latency?: Latency;
  readonly changes?: ServerChanges;
}

/** Records an action, puts the server into the task state, and schedules the first task. */
export async function startAction(
  context: Context,
  server: Server,
  start: NewAction,
): Promise<Server> {
  const { action, task, taskState, args = {}, latency, changes } = start;
  const actionId = await recordAction(context, server.uuid, action);
  const changed = await updateServer(
    context.db,
    server,
    { ...changes, taskState, actionId },
    context.now,
  );
  await scheduleTask(
    context.db,
    { server: server.uuid, task, action: actionId, args },
    dueAfter(context, latency),
  );
  return changed;
}

const dueAfter = (context: Context, latency: Latency | undefined): Micros =>
  context.now + (latency ? latencyOf(context, latency) : 0);

/** Schedules a task of an action. */
async function scheduleTask(
  db: Db,
  { server, task, action, args }: { server: string; task: string; action: number; args: Args },
  dueAt: Micros,
): Promise<void> {
  const payload: TaskPayload = { task, action, args };
  await schedule(db, { dueAt, kind: taskKind, subject: server, payload });
}

/** Schedules the next task of the action that is going on. */
export const scheduleNextTask = (
  context: Context,
  server: Server,
  task: string,
  args: Args,
  latency?: Latency,
): Promise<void> =>
  scheduleTask(
    context.db,
    { server: server.uuid, task, action: server.actionId!, args },
    dueAfter(context, latency),
  );

/** Does a task that is due, unless the server is deleted, or another action has begun since. */
export async function runTask(
  context: Context,
  tasks: Readonly<Record<string, Task>>,
  uuid: string,
  payload: unknown,
): Promise<void> {
  const { task: name, action, args } = payload as TaskPayload;
  const server = await findServer(context.db, uuid);
  const task = tasks[name];
  if (server && task && server.actionId === action) await doTask(context, server, task, args);
}

/** What of an action is not written yet: the next task writes it together with its own outcome. */
export interface Unwritten {
  readonly changes: ServerChanges;
  readonly events: readonly ServerEvent[];
}

/**
 * Does a task of the action that is going on. What it does not do is undone, and the server tells
 * why. With something unwritten the server's row is taken to be as it was read: the task leaves it
 * alone.
 * @returns why the task was not done
 */
export async function doTask(
  context: Context,
  server: Server,
  task: Task,
  args: Args,
  before?: Unwritten,
): Promise<ApiError | undefined> {
  const { db, now } = context;
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
  await insertEvents(db, server.actionId!, [...(before?.events ?? []), event]);
  const changes =
    'error' in done ? await failedChanges(context, server, task, args, done.error) : done.value;
  const current = changes && (before ? server : await findServer(db, server.uuid));
  if (current)
    await updateServer(
      db,
      current,
      { ...before?.changes, taskState: null, actionId: null, ...changes },
      now,
    );
  return error;
}

const failedChanges = async (
  context: Context,
  server: Server,
  task: Task,
  args: Args,
  error: ApiError,
): Promise<ServerChanges> => ({
  fault: faultOf(error, context.now),
  ...(await task.failed?.(context, server, error, args)),
});

/** A failure as a server keeps it. */
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
 * Does something in a nested transaction, so that a failure undoes all of it and nothing else.
 * Contention with another writer is not a failure: it is thrown on, and the whole transaction is
 * done again.
 */
export async function inSavepoint<T>(
  context: Context,
  run: (context: Context) => Promise<T>,
): Promise<{ value: T } | { error: ApiError }> {
  // the first error: the rollback may fail as well, and would then hide it
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
    context.cloud.log.error({ err: error }, 'unexpected error in the work on a server');
    return {
      error: new ApiError(
        500,
        'An unexpected error prevented this. The log of the emulator has the details.',
      ),
    };
  }
}
