// Instance actions and their events.
import type { Micros } from '../../../../kernel/clock.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { deferred } from '../../../../kernel/db/transaction.ts';
import type { ServerAction, ServerEvent } from '../../model.ts';

interface Row {
  id: number;
  server_uuid: string;
  action: string;
  request_id: string;
  project_id: string | null;
  user_id: string | null;
  message: string | null;
  started_at: number;
  updated_at: number;
}

const record = (row: Row): ServerAction => ({
  id: row.id,
  serverUuid: row.server_uuid,
  action: row.action,
  requestId: row.request_id,
  projectId: row.project_id,
  userId: row.user_id,
  message: row.message,
  startedAt: Number(row.started_at),
  updatedAt: Number(row.updated_at),
});

interface EventRow {
  event: string;
  result: string | null;
  details: string | null;
  host: string | null;
  started_at: number;
  finished_at: number | null;
}

export async function insertAction(db: Db, action: Omit<ServerAction, 'id'>): Promise<number> {
  const [id] = (await db('compute_server_actions').insert({
    server_uuid: action.serverUuid,
    action: action.action,
    request_id: action.requestId,
    project_id: action.projectId,
    user_id: action.userId,
    message: action.message,
    started_at: action.startedAt,
    updated_at: action.updatedAt,
  })) as number[];
  return id!;
}

/**
 * Inserts events of an action, in their order: the last one dates the action, and a failed one sets
 * its message.
 */
export async function insertEvents(
  db: Db,
  actionId: number,
  events: readonly ServerEvent[],
): Promise<void> {
  const rows = events.map(({ event, result, details, host, startedAt, finishedAt }) => ({
    action_id: actionId,
    event,
    result,
    details,
    host,
    started_at: startedAt,
    finished_at: finishedAt,
  }));
  await deferred(db('compute_server_events').insert(rows));
  const { startedAt, finishedAt } = events.at(-1)!;
  const failed = events.some(({ result }) => result === 'Error') ? { message: 'Error' } : {};
  const dated = { updated_at: finishedAt ?? startedAt, ...failed };
  await deferred(db('compute_server_actions').where({ id: actionId }).update(dated));
}

/** The filters and the page of a list of actions. */
export interface ActionPage {
  readonly changedSince?: Micros | undefined;
  readonly changedBefore?: Micros | undefined;
  readonly after?: ServerAction | undefined;
  readonly limit?: number | undefined;
}

/** The actions of a server, the newest first. */
export async function listActions(
  db: Db,
  serverUuid: string,
  page: ActionPage = {},
): Promise<ServerAction[]> {
  const query = db('compute_server_actions')
    .where({ server_uuid: serverUuid })
    .orderBy('id', 'desc');
  if (page.changedSince !== undefined) query.where('updated_at', '>=', page.changedSince);
  if (page.changedBefore !== undefined) query.where('updated_at', '<=', page.changedBefore);
  if (page.after) query.where('id', '<', page.after.id);
  if (page.limit !== undefined) query.limit(page.limit);
  return ((await query) as Row[]).map(record);
}

/** The action of a server by the id of its request. */
export async function findAction(
  db: Db,
  serverUuid: string,
  requestId: string,
): Promise<ServerAction | undefined> {
  const row = (await db('compute_server_actions')
    .where({ server_uuid: serverUuid, request_id: requestId })
    .first()) as Row | undefined;
  return row && record(row);
}

/** The events of an action, the newest first. */
export async function listEvents(db: Db, actionId: number): Promise<ServerEvent[]> {
  const rows = (await db('compute_server_events')
    .where({ action_id: actionId })
    .orderBy('id', 'desc')) as EventRow[];
  return rows.map((row) => ({
    event: row.event,
    result: row.result,
    details: row.details,
    host: row.host,
    startedAt: Number(row.started_at),
    finishedAt: row.finished_at === null ? null : Number(row.finished_at),
  }));
}
