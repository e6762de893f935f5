// Actions and tasks of servers: an action is recorded, its tasks are done when they are due, and what came of each is kept as an event.
import type { Micros } from '../../../../kernel/clock.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Contention, isDeadlock, isFull, isGone, isRefusedByConstraint } from '../../../../kernel/db/errors.ts';
import { Fault } from '../../../../kernel/fault.ts';
import { schedule } from '../../../../kernel/jobs.ts';
import type { Work } from '../../../../kernel/model.ts';
import { insertAction, insertEvents } from '../../store/servers/actions.ts';
import { claimServer, findServer, updateServer } from '../../store/servers/servers.ts';
import type { Server, ServerChanges, ServerEvent } from '../records.ts';
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
  run(work: Work, server: Server, args: Args): Promise<ServerChanges | undefined>;
  /** How the server changes after a failure, the work of which is undone; without it, the server only gets the fault. */
  failed?(work: Work, server: Server, fault: Fault, args: Args): Promise<ServerChanges>;
}

/** The kind of the jobs that are tasks. */
export const taskKind = 'compute.server_task';

interface TaskPayload {
  readonly task: string;
  readonly action: number;
  readonly args: Args;
}

/** Records that the actor of the work has requested an action. @returns the action's number */
export function recordAction({ db, now, requestId, actor }: Work, serverUuid: string, action: string): Promise<number> {
  const { userId, projectId = '' } = actor;
  return insertAction(db, { serverUuid, action, requestId, projectId, userId, message: null, startedAt: now, updatedAt: now });
}

/** Records an action that is finished already, with its only event. */
export async function recordDone(
  work: Work,
  server: Pick<Server, 'uuid' | 'host'>,
  action: string,
  event: string,
): Promise<void> {
  const id = await recordAction(work, server.uuid, action);
  const { db, now } = work;
  const { host } = server;
  await insertEvents(db, id, [{ event, result: 'Success', details: null, host, startedAt: now, finishedAt: now }]);
}

/** The same of an action that changes what belongs to the server, and nothing in its own row: it claims the server. */
export async function recordBeside(work: Work, server: Server, action: string, event: string): Promise<void> {
  await claimServer(work.db, server);
  await recordDone(work, server, action, event);
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
export async function startAction(work: Work, server: Server, start: NewAction): Promise<Server> {
  const { action, task, taskState, args = {}, latency, changes } = start;
  const actionId = await recordAction(work, server.uuid, action);
  const changed = await updateServer(work.db, server, { ...changes, taskState, actionId }, work.now);
  await scheduleTask(work.db, { server: server.uuid, task, action: actionId, args }, dueAfter(work, latency));
  return changed;
}

const dueAfter = (work: Work, latency: Latency | undefined): Micros => work.now + (latency ? latencyOf(work, latency) : 0);

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
export const scheduleNextTask = (work: Work, server: Server, task: string, args: Args, latency?: Latency): Promise<void> =>
  scheduleTask(work.db, { server: server.uuid, task, action: server.actionId!, args }, dueAfter(work, latency));

/** Does a task that is due, unless the server is deleted, or another action has begun since. */
export async function runTask(work: Work, tasks: Readonly<Record<string, Task>>, uuid: string, payload: unknown): Promise<void> {
  const { task: name, action, args } = payload as TaskPayload;
  const server = await findServer(work.db, uuid);
  const task = tasks[name];
  if (server && task && server.actionId === action) await doTask(work, server, task, args);
}

/** What of an action is not written yet: the next task writes it together with its own outcome. */
export interface Unwritten {
  readonly changes: ServerChanges;
  readonly events: readonly ServerEvent[];
}

/**
 * Does a task of the action that is going on. What it does not do is undone, and the server tells why. With something unwritten the server's
 * row is taken to be as it was read: the task leaves it alone. @returns why the task was not done
 */
export async function doTask(work: Work, server: Server, task: Task, args: Args, before?: Unwritten): Promise<Fault | undefined> {
  const { db, now } = work;
  const done = await inSavepoint(work, (inner) => task.run(inner, server, args));
  const fault = 'fault' in done ? done.fault : undefined;
  const outcome = fault ? { result: 'Error', details: fault.message } : { result: 'Success', details: null };
  const event = { event: task.event, startedAt: now, finishedAt: now, host: server.host, ...outcome };
  await insertEvents(db, server.actionId!, [...(before?.events ?? []), event]);
  const changes = 'fault' in done ? await failedChanges(work, server, task, args, done.fault) : done.value;
  const current = changes && (before ? server : await findServer(db, server.uuid));
  if (current) await updateServer(db, current, { ...before?.changes, taskState: null, actionId: null, ...changes }, now);
  return fault;
}

const failedChanges = async (work: Work, server: Server, task: Task, args: Args, fault: Fault): Promise<ServerChanges> => ({
  fault: faultRecord(fault, work.now),
  ...(await task.failed?.(work, server, fault, args)),
});

/** A failure as a server keeps it. */
export const faultRecord = ({ message }: Pick<Fault, 'message'>, createdAt: Micros): NonNullable<Server['fault']> => ({
  code: 500,
  message: message.slice(0, 255),
  details: `Fault: ${message}`,
  createdAt,
});

/**
 * Does something in a nested transaction, so that a failure undoes all of it and nothing else. Contention with another writer is not a
 * failure: it is thrown on, and the whole transaction is done again.
 */
export async function inSavepoint<T>(work: Work, run: (work: Work) => Promise<T>): Promise<{ value: T } | { fault: Fault }> {
  let thrown: { error: unknown } | undefined; // the first error: the rollback may fail as well, and would then hide it
  try {
    const value = await work.db.transaction(async (db) => {
      try {
        return await run({ ...work, db });
      } catch (error) {
        thrown = { error };
        throw error;
      }
    });
    return { value };
  } catch (caught) {
    const error = thrown ? thrown.error : caught;
    if (error instanceof Fault) return { fault: error };
    if (error instanceof Contention || isDeadlock(error) || isRefusedByConstraint(error)) throw error;
    if (isGone(error) || isFull(error)) throw error;
    work.cloud.log.error({ err: error }, 'unexpected error in the work on a server');
    return { fault: new Fault(500, 'An unexpected error prevented this. The log of the emulator has the details.') };
  }
}
