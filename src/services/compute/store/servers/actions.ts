// The tables of instance actions and their events.
import type { Knex } from 'knex';
import type { Micros } from '../../../../kernel/clock.ts';
import { integer, micros, nullable, referring, text } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Condition } from '../../../../kernel/db/listing.ts';
import { insertRows } from '../../../../kernel/db/drivers/recurring.ts';
import { batchesOf } from '../../../../kernel/db/owned-rows.ts';
import { Table } from '../../../../kernel/db/table.ts';
import { deferred } from '../../../../kernel/db/transaction.ts';
import type { ServerAction, ServerEvent } from '../../model.ts';

const actions = new Table<ServerAction, 'id'>('compute_server_actions', {
  id: integer,
  serverUuid: referring(text, 'compute_servers.uuid'),
  action: text,
  requestId: text,
  projectId: nullable(text),
  userId: nullable(text),
  message: nullable(text),
  startedAt: micros,
  updatedAt: micros,
});

interface StoredEvent extends ServerEvent {
  readonly id: number;
  readonly actionId: number;
}

const serverEvents = new Table<StoredEvent, 'id'>('compute_server_events', {
  id: integer,
  actionId: referring(integer, 'compute_server_actions.id'),
  event: text,
  result: nullable(text),
  details: nullable(text),
  host: nullable(text),
  startedAt: micros,
  finishedAt: nullable(micros),
});

/** @returns the id of the action */
export async function insertAction(db: Db, action: Omit<ServerAction, 'id'>): Promise<number> {
  const [id] = await actions.insert(db, action);
  return id!;
}

/** Inserts the first actions of new servers. */
export async function insertFirstActions(
  db: Db,
  created: readonly Omit<ServerAction, 'id'>[],
): Promise<void> {
  const [only] = created;
  if (only && created.length === 1) await deferred(actions.insert(db, only));
  else await actions.insertAll(db, created);
}

/** A query for the id of the only action of a new server. */
export const firstActionId = (db: Db, serverUuid: string): Knex.QueryBuilder =>
  db(actions.name).where({ server_uuid: serverUuid }).max('id');

/** The events of a finished step of an action that succeeded. */
export interface StepEvents {
  readonly actionId: number;
  readonly events: readonly ServerEvent[];
}

/** Inserts successful events of several actions, which all end at the same time. */
export async function insertEventsOfAll(
  db: Db,
  steps: readonly StepEvents[],
  finishedAt: Micros,
): Promise<void> {
  const rows = steps.flatMap(({ actionId, events }) =>
    events.map((event) => serverEvents.row({ ...event, actionId })),
  );
  for (const batch of batchesOf(rows)) await deferred(insertRows(db, serverEvents.name, batch));
  const ids = steps.map(({ actionId }) => actionId);
  for (let at = 0; at < ids.length; at += 500)
    await deferred(actions.update(db, { id: ids.slice(at, at + 500) }, { updatedAt: finishedAt }));
}

/**
 * Inserts events of an action, in order. The time of the last one becomes the time of the action's
 * last update, and a failed event sets the action's message.
 */
export async function insertEvents(
  db: Db,
  actionId: number,
  events: readonly ServerEvent[],
): Promise<void> {
  const rows = events.map((event) => serverEvents.row({ ...event, actionId }));
  await deferred(insertRows(db, serverEvents.name, rows));
  const { startedAt, finishedAt } = events.at(-1)!;
  const failed = events.some(({ result }) => result === 'Error') ? { message: 'Error' } : {};
  const changes = { updatedAt: finishedAt ?? startedAt, ...failed };
  await deferred(actions.update(db, { id: actionId }, changes));
}

/** The filters and the page of a list of actions. */
export interface ActionPage {
  readonly changedSince?: Micros | undefined;
  readonly changedBefore?: Micros | undefined;
  readonly after?: ServerAction | undefined;
  readonly limit?: number | undefined;
}

/** Lists the actions of a server, newest first. */
export function listActions(
  db: Db,
  serverUuid: string,
  { changedSince, changedBefore, after, limit }: ActionPage = {},
): Promise<ServerAction[]> {
  const changed: Condition = (query) => {
    if (changedSince !== undefined) void query.where('updated_at', '>=', changedSince);
    if (changedBefore !== undefined) void query.where('updated_at', '<=', changedBefore);
  };
  const sort = [{ field: 'id', descending: true }] as const;
  return actions.list(db, { where: { serverUuid }, conditions: [changed], sort, after, limit });
}

/** Finds the action of a server by the id of the request that started it. */
export const findAction = (
  db: Db,
  serverUuid: string,
  requestId: string,
): Promise<ServerAction | undefined> => actions.find(db, { serverUuid, requestId });

/** Lists the events of an action, newest first. */
export const listEvents = (db: Db, actionId: number): Promise<ServerEvent[]> =>
  serverEvents.list(db, { where: { actionId }, sort: [{ field: 'id', descending: true }] });

/** Finds an action by its id. */
export const findActionById = (db: Db, id: number): Promise<ServerAction | undefined> =>
  actions.find(db, { id });
