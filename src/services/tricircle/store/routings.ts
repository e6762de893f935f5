// The table of routings: in which pod a resource is.
import type { Knex } from 'knex';
import type { Db } from '../../../kernel/db/database.ts';
import type { Routing, RoutingFields } from '../model.ts';
import { numberOrNull } from './columns.ts';

interface Row {
  id: number;
  top_id: string;
  bottom_id: string | null;
  pod_id: string;
  project_id: string;
  resource_type: string;
  created_at: number;
  updated_at: number | null;
}

const table = (db: Db) => db<Row>('tricircle_routings');

const recordOf = (row: Row): Routing => ({
  id: Number(row.id),
  topId: row.top_id,
  bottomId: row.bottom_id,
  podId: row.pod_id,
  projectId: row.project_id,
  resourceType: row.resource_type,
  createdAt: Number(row.created_at),
  updatedAt: numberOrNull(row.updated_at),
});

const columnsOf = ({
  topId,
  bottomId,
  podId,
  projectId,
  resourceType,
}: RoutingFields): Omit<Row, 'id' | 'created_at' | 'updated_at'> => ({
  top_id: topId,
  bottom_id: bottomId,
  pod_id: podId,
  project_id: projectId,
  resource_type: resourceType,
});

/**
 * @throws the driver's error of a duplicate for a resource that is routed to the pod, of a foreign
 *   key for an unknown pod
 */
export async function insertRouting(db: Db, fields: RoutingFields, now: number): Promise<Routing> {
  const [id] = await table(db).insert({ ...columnsOf(fields), created_at: now, updated_at: null });
  return { ...fields, id: Number(id), createdAt: now, updatedAt: null };
}

/** @returns whether it was there */
export async function updateRouting(
  db: Db,
  id: number,
  fields: Partial<RoutingFields>,
  now: number,
): Promise<boolean> {
  const { topId, bottomId, podId, projectId, resourceType } = fields;
  const columns = {
    top_id: topId,
    bottom_id: bottomId,
    pod_id: podId,
    project_id: projectId,
    resource_type: resourceType,
  };
  const given = Object.fromEntries(
    Object.entries(columns).filter(([, value]) => value !== undefined),
  );
  return (
    (await table(db)
      .where({ id })
      .update({ ...given, updated_at: now })) > 0
  );
}

/** @returns whether it was there */
export async function deleteRouting(db: Db, id: number): Promise<boolean> {
  return (await table(db).where({ id }).delete()) > 0;
}

export async function findRouting(db: Db, id: number): Promise<Routing | undefined> {
  const row = await table(db).where({ id }).first();
  return row && recordOf(row);
}

/** Which routings are meant; what is undefined does not matter. */
export interface RoutingFilter {
  readonly id?: number | undefined;
  readonly topId?: string | undefined;
  readonly bottomId?: string | undefined;
  readonly podId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly resourceType?: string | undefined;
  /** From a time to before another. */
  readonly created?: readonly [number, number] | undefined;
  readonly updated?: readonly [number, number] | undefined;
  /** Only those with smaller ids. */
  readonly before?: number | undefined;
  /** So many at most, the latest first. Without it, all of them, the oldest first. */
  readonly limit?: number;
}

export async function listRoutings(db: Db, filter: RoutingFilter): Promise<Routing[]> {
  const query = table(db) as unknown as Knex.QueryBuilder;
  const { id, topId, bottomId, podId, projectId, resourceType, created, updated, before, limit } =
    filter;
  const equal = {
    id,
    top_id: topId,
    bottom_id: bottomId,
    pod_id: podId,
    project_id: projectId,
    resource_type: resourceType,
  };
  for (const [column, value] of Object.entries(equal))
    if (value !== undefined) void query.where(column, value);
  const within = { created_at: created, updated_at: updated };
  for (const [column, span] of Object.entries(within))
    if (span) void query.where(column, '>=', span[0]).where(column, '<', span[1]);
  if (before !== undefined) void query.where('id', '<', before);
  if (limit !== undefined) void query.limit(limit);
  void query.orderBy('id', limit === undefined ? 'asc' : 'desc');
  return ((await query) as Row[]).map((row) => recordOf(row));
}
