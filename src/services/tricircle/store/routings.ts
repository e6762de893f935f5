// The table of routings: which pod a resource is in.
import { integer, micros, nullable, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { Table } from '../../../kernel/db/table.ts';
import type { Routing, RoutingFields } from '../model.ts';

const routings = new Table<Routing, 'id'>(
  'tricircle_routings',
  {
    id: integer,
    topId: text,
    bottomId: nullable(text),
    podId: text,
    projectId: text,
    resourceType: text,
    createdAt: micros,
    updatedAt: nullable(micros),
  },
  { generated: 'id' },
);

/**
 * @throws the driver's duplicate error for a resource that is routed to the pod already, and its
 *   foreign key error for an unknown pod
 */
export async function insertRouting(db: Db, fields: RoutingFields, now: number): Promise<Routing> {
  const routing = { ...fields, createdAt: now, updatedAt: null };
  const [id] = await routings.insert(db, routing);
  return { ...routing, id: Number(id) };
}

/** @returns whether the routing exists */
export async function updateRouting(
  db: Db,
  id: number,
  fields: Partial<RoutingFields>,
  now: number,
): Promise<boolean> {
  return (await routings.update(db, { id }, { ...fields, updatedAt: now })) > 0;
}

/** Gives the routings of a resource to a project. */
export async function assignRouting(
  db: Db,
  { topId, resourceType }: Pick<Routing, 'topId' | 'resourceType'>,
  projectId: string,
  now: number,
): Promise<void> {
  await routings.update(db, { topId, resourceType }, { projectId, updatedAt: now });
}

/** @returns whether the routing existed */
export async function deleteRouting(db: Db, id: number): Promise<boolean> {
  return (await routings.remove(db, { id })) > 0;
}

/** Deletes the routing of a resource to a pod, if there is one. */
export async function deleteRoutingTo(
  db: Db,
  podId: string,
  { topId, resourceType }: Pick<Routing, 'topId' | 'resourceType'>,
): Promise<void> {
  await routings.remove(db, { topId, podId, resourceType });
}

export const findRouting = (db: Db, id: number): Promise<Routing | undefined> =>
  routings.find(db, { id });

/** Selects routings. An undefined field does not filter. */
export interface RoutingFilter {
  readonly id?: number | undefined;
  readonly topId?: string | readonly string[] | undefined;
  readonly bottomId?: string | readonly string[] | undefined;
  readonly podId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly resourceType?: string | readonly string[] | undefined;
  /** From a time (included) to another one (excluded). */
  readonly created?: readonly [number, number] | undefined;
  readonly updated?: readonly [number, number] | undefined;
  /** Only routings with smaller ids. */
  readonly before?: number | undefined;
  /** At most so many, latest first. Without a limit all of them, oldest first. */
  readonly limit?: number;
}

export function listRoutings(
  db: Db,
  { created, updated, before, limit, ...where }: RoutingFilter,
): Promise<Routing[]> {
  const spans = { created_at: created, updated_at: updated };
  return routings.list(db, {
    where,
    conditions: [
      (query) => {
        for (const [column, span] of Object.entries(spans))
          if (span) void query.where(column, '>=', span[0]).where(column, '<', span[1]);
        if (before !== undefined) void query.where('id', '<', before);
      },
    ],
    sort: [{ field: 'id', descending: limit !== undefined }],
    limit,
  });
}

/**
 * Leads a routing to another pod. @returns whether it still led to the pod that was read
 */
export async function moveRouting(
  db: Db,
  { id, podId }: Pick<Routing, 'id' | 'podId'>,
  targetId: string,
  now: number,
): Promise<boolean> {
  return (await routings.update(db, { id, podId }, { podId: targetId, updatedAt: now })) > 0;
}
