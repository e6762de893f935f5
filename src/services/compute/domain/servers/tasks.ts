// How something is done to a server: it is asked for, written down, done when it is due, and what came of it is kept.
import type { Micros } from '../../../../kernel/clock.ts';
import { Contention, isDeadlock, isGone } from '../../../../kernel/db/errors.ts';
import { Fault } from '../../../../kernel/fault.ts';
import { schedule } from '../../../../kernel/jobs.ts';
import type { Log } from '../../../../kernel/log.ts';
import { insertAction, insertEvent } from '../../store/servers/actions.ts';
import { findServer, updateServer, type Server, type ServerChanges } from '../../store/servers/servers.ts';
import type { Config } from '../../../../kernel/settings.ts';
import type { Db } from '../../../../kernel/db/database.ts';

/** Who asks for something, and when. */
export interface Actor {
  readonly db: Db;
  readonly now: Micros;
  readonly requestId: string;
  readonly projectId: string;
  readonly userId: string;
  readonly isAdmin: boolean;
  readonly latency: Config['latency'];
}

/** What a task has at hand while it is done. */
export interface Work {
  readonly db: Db;
  readonly now: Micros;
  readonly latency: Config['latency'];
  readonly log: Log;
}

export type Args = Readonly<Record<string, unknown>>;

/** Something that happens to a server when it is due. */
export interface Task {
  /** What the event is called. */
  readonly event: string;
  /**
   * Does it. @returns what the server is from now on; undefined where another task goes on with it
   * @throws Fault where it cannot be done
   */
  run(work: Work, server: Server, args: Args): Promise<ServerChanges | undefined>;
  /** What the server is after a failure, the transaction of which is undone; without it, what it was before. */
  failed?(work: Work, server: Server, fault: Fault, args: Args): Promise<ServerChanges>;
}

/** The kind of the jobs that are tasks. */
export const taskKind = 'compute.server_task';

interface TaskPayload {
  readonly task: string;
  readonly action: number;
  readonly args: Args;
}

/** Writes down that somebody asked for an action. @returns the action's number */
export function recordAction(
  { db, now, requestId, projectId, userId }: Actor,
  serverUuid: string,
  action: string,
): Promise<number> {
  return insertAction(db, { serverUuid, action, requestId, projectId, userId, message: null, startedAt: now, updatedAt: now });
}

/** Writes down an action that is done with at once. */
export async function recordDone(
  actor: Actor,
  server: Pick<Server, 'uuid' | 'host'>,
  action: string,
  event: string,
): Promise<void> {
  const id = await recordAction(actor, server.uuid, action);
  const { db, now } = actor;
  await insertEvent(db, id, { event, result: 'Success', details: null, host: server.host, startedAt: now, finishedAt: now });
}

/** What is to happen to a server. */
export interface Beginning {
  readonly action: string;
  readonly task: string;
  readonly taskState: string | null;
  readonly args?: Args;
  /** The name of its latency; without it, it is due at once. */
  readonly latency?: string;
  readonly changes?: ServerChanges;
}

/** Starts something: the server says what is going on, and the rest happens when it is due. */
export async function begin(actor: Actor, server: Server, beginning: Beginning): Promise<Server> {
  const { action, task, taskState, args = {}, latency, changes } = beginning;
  const actionId = await recordAction(actor, server.uuid, action);
  const begun = await updateServer(actor.db, server, { ...changes, taskState, actionId }, actor.now);
  const dueAt = actor.now + ((latency && actor.latency[latency]) || 0);
  await later(actor.db, { server: server.uuid, task, action: actionId, args }, dueAt);
  return begun;
}

/** Writes down that a task goes on with a server. */
export async function later(
  db: Db,
  { server, task, action, args }: { server: string; task: string; action: number; args: Args },
  dueAt: Micros,
): Promise<void> {
  const payload: TaskPayload = { task, action, args };
  await schedule(db, { dueAt, kind: taskKind, subject: server, payload });
}

/** The same for the action that is going on. */
export function goOn(work: Work, server: Server, task: string, args: Args, latency?: string): Promise<void> {
  const dueAt = work.now + ((latency && work.latency[latency]) || 0);
  return later(work.db, { server: server.uuid, task, action: server.actionId!, args }, dueAt);
}

/** Does a task that is due, unless the server is gone, or something else has been done to it since. */
export async function runTask(work: Work, tasks: Readonly<Record<string, Task>>, uuid: string, payload: unknown): Promise<void> {
  const { task: name, action, args } = payload as TaskPayload;
  const server = await findServer(work.db, uuid);
  const task = tasks[name];
  if (!server || !task || server.actionId !== action) return;
  const done = await attempt(work, (inner) => task.run(inner, server, args));
  const event = { event: task.event, startedAt: work.now, finishedAt: work.now, host: server.host };
  if (!('fault' in done)) {
    await insertEvent(work.db, action, { ...event, result: 'Success', details: null });
    if (!done.value) return;
    const { db, now } = work;
    const fresh = await findServer(db, uuid);
    if (fresh) await updateServer(db, fresh, { taskState: null, actionId: null, ...done.value }, now);
    return;
  }
  await insertEvent(work.db, action, { ...event, result: 'Error', details: done.fault.message });
  const changes = (await task.failed?.(work, server, done.fault, args)) ?? {};
  const fresh = await findServer(work.db, uuid);
  const fault = faultRecord(done.fault, work.now);
  if (fresh) await updateServer(work.db, fresh, { taskState: null, actionId: null, fault, ...changes }, work.now);
}

/** A failure as a server keeps it. */
export const faultRecord = ({ message }: Pick<Fault, 'message'>, createdAt: Micros): NonNullable<Server['fault']> => ({
  code: 500,
  message: message.slice(0, 255),
  details: `Fault: ${message}`,
  createdAt,
});

/**
 * Does something so that a failure of it undoes all of it and nothing else. What another writer's speed has spoilt is not a failure: the
 * whole transaction is done again.
 */
export async function attempt<T>(work: Work, run: (work: Work) => Promise<T>): Promise<{ value: T } | { fault: Fault }> {
  let thrown: { error: unknown } | undefined; // the first error: undoing may fail as well, and would then hide it
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
    if (error instanceof Contention || isDeadlock(error) || isGone(error)) throw error;
    if (error instanceof Fault) return { fault: error };
    work.log.error({ err: error }, 'unexpected error in the work on a server');
    return { fault: new Fault(500, 'An unexpected error prevented this. The log of the emulator has the details.') };
  }
}
