// Queries for lists of servers, with filters, an order and pages.
import type { Knex } from 'knex';
import type { Micros } from '../../../../kernel/clock.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { orderBy, type SortColumn } from '../../../../kernel/db/keyset.ts';
import { whereOneOf } from '../../../../kernel/db/listing.ts';
import { softDeletedState, type Server } from '../../model.ts';
import { servers } from './servers.ts';

/** The filters of a list. */
export interface ServerFilter {
  /** Whether the servers are deleted; soft-deleted ones count as deleted. */
  readonly deleted?: boolean | undefined;
  /** Whether a list of servers that are not deleted has the soft-deleted ones too. */
  readonly withSoftDeleted?: boolean | undefined;
  /** Values by column. A list matches any of its values, and null in it matches NULL. */
  readonly equal: Readonly<Record<string, string | readonly (string | null)[]>>;
  readonly locked?: boolean | undefined;
  readonly changedSince?: Micros | undefined;
  readonly changedBefore?: Micros | undefined;
}

/** The columns of a server that lists are sorted by. */
type Row = Readonly<Record<string, string | number | null>>;

const pageSize = 500;

/**
 * Lists, in order, at most `limit` servers after `after` that match the filter and satisfy `keep`.
 * The order must end in a unique column.
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
  let last: Row | undefined = after
    ? await db('compute_servers').where({ id: after.id }).first()
    : undefined;
  while (found.length < limit) {
    const size = keep ? pageSize : Math.min(limit - found.length, pageSize);
    const query = narrowed(db, filter).limit(size);
    orderBy(query, order, last && valuesOf(last, order));
    const rows: Row[] = await query;
    for (const server of rows.map(servers.record))
      if (found.length < limit && (!keep || keep(server))) found.push(server);
    if (rows.length < size) break;
    last = rows.at(-1);
  }
  return found;
}

const valuesOf = (row: Row, order: readonly SortColumn[]): (string | number | null)[] =>
  order.map(({ column }) => row[column] ?? null);

/**
 * Finds the server that a marker names, deleted or not: the last server of a page may be deleted
 * before the client requests the next page.
 */
export async function findMarker(
  db: Db,
  uuid: string,
  filter: ServerFilter,
): Promise<Server | undefined> {
  const projectId = filter.equal['project_id'];
  const equal: ServerFilter['equal'] =
    projectId === undefined ? { uuid } : { uuid, project_id: projectId };
  return (await servers.read(narrowed(db, { equal }).limit(1)))[0];
}

/** A query for the servers that match a filter. */
function narrowed(
  db: Db,
  { deleted, withSoftDeleted, equal, locked, changedSince, changedBefore }: ServerFilter,
): Knex.QueryBuilder {
  const query: Knex.QueryBuilder = db('compute_servers');
  if (deleted === true)
    query.where(
      (either) => void either.whereNotNull('deleted_at').orWhere('vm_state', softDeletedState),
    );
  if (deleted === false) query.whereNull('deleted_at');
  if (deleted === false && !withSoftDeleted) query.whereNot('vm_state', softDeletedState);
  for (const [column, value] of Object.entries(equal))
    whereOneOf(query, column, typeof value === 'string' ? [value] : value);
  if (locked === true) query.whereNotNull('locked_by');
  if (locked === false) query.whereNull('locked_by');
  if (changedSince !== undefined) query.where('updated_at', '>=', changedSince);
  if (changedBefore !== undefined) query.where('updated_at', '<=', changedBefore);
  return query;
}
