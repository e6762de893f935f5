// Lists of servers: filters, order and pages.
import type { Knex } from 'knex';
import type { Micros } from '../../../../kernel/clock.ts';
import { serverOf } from './servers.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { orderBy, type SortColumn } from '../../../../kernel/db/keyset.ts';
import type { Server } from '../../model.ts';

/** The filters of a list, by column. */
export interface ServerFilter {
  readonly deleted?: boolean | undefined;
  /** Values by column; a list is any of them, null among them is the lack of a value. */
  readonly equal: Readonly<Record<string, string | number | readonly (string | null)[]>>;
  readonly locked?: boolean | undefined;
  readonly changedSince?: Micros | undefined;
  readonly changedBefore?: Micros | undefined;
}

interface Row extends Record<string, unknown> {
  id: number;
}

const pageSize = 500;

/**
 * The servers after `after` that pass the filter and `keep`, in order, at most `limit`. The order
 * must end in a unique column.
 */
export async function listServers(
  db: Db,
  filter: ServerFilter,
  order: readonly SortColumn[],
  {
    after,
    limit,
    keep,
  }: { after: Server | undefined; limit: number; keep: ((server: Server) => boolean) | undefined },
): Promise<Server[]> {
  const found: Server[] = [];
  let last = after
    ? ((await db('compute_servers').where({ id: after.id }).first()) as Row | undefined)
    : undefined;
  while (found.length < limit) {
    const size = keep ? pageSize : Math.min(limit - found.length, pageSize);
    const query = narrowed(db, filter).limit(size);
    orderBy(query, order, last && valuesOf(last, order));
    const rows = (await query) as Row[];
    for (const server of rows.map(serverOf))
      if (found.length < limit && (!keep || keep(server))) found.push(server);
    if (rows.length < size) break;
    last = rows.at(-1);
  }
  return found;
}

const valuesOf = (row: Row, order: readonly SortColumn[]): (string | number | null)[] =>
  order.map(({ column }) => row[column] as string | number | null);

/**
 * The server that a marker names, also where it is deleted: a page may end in a server that is gone
 * before the next is asked for.
 */
export async function findMarker(
  db: Db,
  uuid: string,
  filter: ServerFilter,
): Promise<Server | undefined> {
  const projectId = filter.equal['project_id'];
  const equal: ServerFilter['equal'] =
    projectId === undefined ? { uuid } : { uuid, project_id: projectId };
  const row = (await narrowed(db, { equal }).first()) as Row | undefined;
  return row && serverOf(row);
}

function narrowed(
  db: Db,
  { deleted, equal, locked, changedSince, changedBefore }: ServerFilter,
): Knex.QueryBuilder<Row> {
  const query = db<Row>('compute_servers');
  if (deleted === true) query.whereNotNull('deleted_at');
  if (deleted === false) query.whereNull('deleted_at');
  for (const [column, value] of Object.entries(equal)) {
    if (!Array.isArray(value)) query.where(column, value as string);
    else
      query.where((where) => {
        where.whereIn(
          column,
          value.filter((one) => one !== null),
        );
        if (value.includes(null)) where.orWhereNull(column);
      });
  }
  if (locked === true) query.whereNotNull('locked_by');
  if (locked === false) query.whereNull('locked_by');
  if (changedSince !== undefined) query.where('updated_at', '>=', changedSince);
  if (changedBefore !== undefined) query.where('updated_at', '<=', changedBefore);
  return query as Knex.QueryBuilder<Row>;
}
