// Records the actions of servers and runs their tasks: each task is a job, and its outcome is
// stored as an event of the action.
import type { Micros } from '../../../../kernel/clock.ts';
import { isDiskFull, isRefusedByConstraint } from '../../../../kernel/db/errors.ts';
import * as transactions from '../../../../kernel/db/transaction.ts';
import { contextWith } from '../../../../kernel/context.ts';
import { ApiError } from '../../../../kernel/errors.ts';
import { schedule } from '../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../kernel/model.ts';
import {
  insertAction,
  insertEvents,
  insertEventsOfAll,
  insertFirstActions,
} from '../../store/servers/actions.ts';
import { bumpServerRevision, findServer } from '../../store/servers/servers.ts';
import type { Server, ServerChanges, ServerEvent } from '../../model.ts';
import { changeServer, changeServers } from './change.ts';
import { notifyAction } from './notifications.ts';
import { latencyOf } from '../../../../kernel/latency.ts';
import type { Latency } from './latencies.ts';
import type { NoArgs, TaskArgs, TaskName } from './task-args.ts';

/** A step of an action, which runs as a job when it is due. */
export interface Task<Args extends object = NoArgs> {
  /** The name of the event. */
  readonly event: string;
  /** The fields that only the notifications of this task have. */
  notified?(args: Args): object;
  /** Whether `run` writes anything, with these arguments; by default it does. */
  writes?(args: Args): boolean;
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
  /** The id of the request that has started the action. Jobs of older versions have none. */
  readonly requestId?: string;
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

/** Records the creation of servers. */
export const recordCreations = (
  { db, now, requestId, actor }: Context,
  servers: readonly string[],
): Promise<void> => {
  const { userId, projectId = '' } = actor;
  const common = { action: 'create', requestId, projectId, userId, message: null };
  return insertFirstActions(
    db,
    servers.map((serverUuid) => ({ ...common, serverUuid, startedAt: now, updatedAt: now })),
  );
};

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

/**
 * Records an action that is already finished, and its notifications.
 * @param fields the fields that only its notifications have
 */
export async function recordDone(
  context: Context,
  server: Server,
  action: string,
  event: string,
  fields?: object,
): Promise<void> {
  await recordFinished(context, server, action, event);
  await notifyAction(context, server, event, 'start', { fields });
  await notifyAction(context, server, event, 'end', { fields });
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
  fields?: object,
): Promise<void> {
  await bumpServerRevision(context.db, server);
  await recordDone(context, server, action, event, fields);
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
  const changed = await changeServer(context, server, { ...changes, taskState, actionId });
  await scheduleTask(context, server.uuid, { task, action: actionId, args }, latency);
  return changed;
}

async function scheduleTask<Name extends TaskName>(
  context: Context,
  server: string,
  call: Omit<TaskPayload<Name>, 'requestId'>,
  latency: Latency | Micros = 0,
): Promise<void> {
  const payload: TaskPayload<Name> = { ...call, requestId: context.requestId };
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
  job: Context,
  tasks: Tasks,
  uuid: string,
  { task: name, action, requestId = job.requestId, args }: TaskPayload<Name>,
): Promise<void> {
  const context = contextWith(job, { requestId });
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
  const fields = task.notified?.(args);
  await notifyAction(context, { ...server, ...unwritten?.changes }, task.event, 'start', {
    fields,
  });
  const done = await outcomeOf(context, server, task, args);
  return recordOutcome(context, server, task, args, done, unwritten);
}

/** The changes of a server that a task returns, or the error with which it fails. */
type Outcome = { readonly value: ServerChanges | undefined } | { readonly error: ApiError };

const outcomeOf = <Args extends object>(
  context: Context,
  server: Server,
  task: Task<Args>,
  args: Args,
): Promise<Outcome> =>
  (task.writes?.(args) ?? true)
    ? inSavepoint(context, (inner) => task.run(inner, server, args))
    : task.run(context, server, args).then((value) => ({ value }));

/** A server whose action has started, and what its task is to write with its outcome. */
export interface Started<Args extends object> extends Unwritten {
  /** The context of the request that has started the action. */
  readonly context: Context;
  readonly server: Server;
  readonly args: Args;
}

/**
 * Runs the last task of the same action of several servers, as `doTask` does for one. It records
 * the outcomes of those that succeed together, in few statements.
 * @param started in one transaction, at one time
 */
export async function doTaskOfAll<Args extends object>(
  started: readonly Started<Args>[],
  task: Task<Args>,
): Promise<void> {
  const finished: { start: Started<Args>; changes: ServerChanges }[] = [];
  for (const start of started) {
    const { context, server, args, changes } = start;
    const fields = task.notified?.(args);
    await notifyAction(context, { ...server, ...changes }, task.event, 'start', { fields });
    const done = await outcomeOf(context, server, task, args);
    if ('value' in done && done.value)
      finished.push({
        start,
        changes: { ...changes, taskState: null, actionId: null, ...done.value },
      });
    else await recordOutcome(context, server, task, args, done, start);
  }
  if (!finished.length) return;
  const { db, now } = finished[0]!.start.context;
  await insertEventsOfAll(
    db,
    finished.map(({ start: { context, server, events } }) => ({
      actionId: server.actionId!,
      events: [...events, eventOf(context, task, server, undefined)],
    })),
    now,
  );
  const written = await changeServers(
    finished.map(({ start, changes }) => ({ ...start, changes })),
  );
  for (const [index, { start }] of finished.entries()) {
    const { context, server, args } = start;
    const ended = { ...written[index]!, actionId: server.actionId };
    const fields = task.notified?.(args);
    await notifyAction(context, ended, task.event, 'end', { fields });
  }
}

/** The event of a task that has just ended. */
const eventOf = <Args extends object>(
  { now }: Context,
  task: Task<Args>,
  { host }: Server,
  error: ApiError | undefined,
): ServerEvent => ({
  event: task.event,
  startedAt: now,
  finishedAt: now,
  host,
  result: error ? 'Error' : 'Success',
  details: error ? error.message : null,
});

/** Records how a task of a server has ended. @returns the error, if it has failed */
async function recordOutcome<Args extends object>(
  context: Context,
  server: Server,
  task: Task<Args>,
  args: Args,
  done: Outcome,
  unwritten?: Unwritten,
): Promise<ApiError | undefined> {
  const { db } = context;
  const fields = task.notified?.(args);
  const error = 'error' in done ? done.error : undefined;
  const event = eventOf(context, task, server, error);
  await insertEvents(db, server.actionId!, [...(unwritten?.events ?? []), event]);
  const changes =
    'error' in done
      ? await changesAfterFailure(context, server, task, args, done.error)
      : done.value;
  const current = changes && (unwritten ? server : await findServer(db, server.uuid));
  const written =
    current &&
    (await changeServer(context, current, {
      ...unwritten?.changes,
      taskState: null,
      actionId: null,
      ...changes,
    }));
  const phase = error ? 'error' : 'end';
  // The row no longer refers to the action, which knows who has requested it.
  const { actionId } = server;
  await notifyAction(context, { ...(written ?? server), actionId }, task.event, phase, {
    error,
    fields,
  });
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
 * Runs a function in a savepoint, so that a failure rolls back all of its writes and no others. A
 * conflict with another transaction is not returned but thrown, because the whole transaction has
 * to run again.
 */
export async function inSavepoint<T>(
  context: Context,
  run: (context: Context) => Promise<T>,
): Promise<{ readonly value: T } | { readonly error: ApiError }> {
  const tried = await transactions.inSavepoint(context.db, (db) => run({ ...context, db }));
  if ('value' in tried) return tried;
  const { error } = tried;
  if (error instanceof ApiError) return { error };
  if (isRefusedByConstraint(error) || isDiskFull(error)) throw error;
  context.cloud.log.error({ err: error }, 'unexpected error in a task of a server');
  return {
    error: new ApiError(
      500,
      'An unexpected error prevented this. The log of the emulator has the details.',
    ),
  };
}
