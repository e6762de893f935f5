// The table of bindings, active ones and all that were before.
import type { Knex } from 'knex';
import type { Db } from '../../../kernel/db/database.ts';
import { SerializationFailure, isDuplicate } from '../../../kernel/db/errors.ts';
import { orderBy } from '../../../kernel/db/keyset.ts';
import { updateAtRevision } from '../../../kernel/db/optimistic-lock.ts';
import { unavailable } from '../../../kernel/errors.ts';
import type { Binding, EndReason, StartReason, Tag } from '../model.ts';
import { fromJson, numberOrNull, toJson } from './columns.ts';

interface Row {
  sequence: number;
  id: string;
  tenant_id: string;
  pod_id: string;
  az_name: string;
  affinity_group: string;
  resource_affinity_tag: string;
  active: number | null;
  start_binding_time: number;
  end_binding_time: number | null;
  start_reason: string;
  end_reason: string | null;
  deleted: number;
  created_at: number;
  updated_at: number | null;
  revision: number;
}

const name = 'tricircle_bindings';
const table = (db: Db) => db<Row>(name);

const recordOf = (row: Row): Binding => ({
  sequence: Number(row.sequence),
  id: row.id,
  tenantId: row.tenant_id,
  podId: row.pod_id,
  azName: row.az_name,
  affinityGroup: row.affinity_group,
  resourceAffinityTag: fromJson<Tag>(row.resource_affinity_tag)!,
  isBinding: row.active !== null,
  startBindingTime: Number(row.start_binding_time),
  endBindingTime: numberOrNull(row.end_binding_time),
  startReason: row.start_reason as StartReason,
  endReason: row.end_reason as EndReason | null,
  deleted: Boolean(row.deleted),
  createdAt: Number(row.created_at),
  updatedAt: numberOrNull(row.updated_at),
  revision: Number(row.revision),
});

const columnsOf = (binding: Omit<Binding, 'sequence'>): Omit<Row, 'revision' | 'sequence'> => ({
  id: binding.id,
  tenant_id: binding.tenantId,
  pod_id: binding.podId,
  az_name: binding.azName,
  affinity_group: binding.affinityGroup,
  resource_affinity_tag: toJson(binding.resourceAffinityTag)!,
  active: binding.isBinding ? 1 : null,
  start_binding_time: binding.startBindingTime,
  end_binding_time: binding.endBindingTime,
  start_reason: binding.startReason,
  end_reason: binding.endReason,
  deleted: Number(binding.deleted),
  created_at: binding.createdAt,
  updated_at: binding.updatedAt,
});

const changed = () =>
  unavailable('The binding is being changed by another request. Please try again.');

/**
 * @throws Contention where the tenant has got an active binding in the zone and the group meanwhile
 */
export async function insertBinding(db: Db, binding: Omit<Binding, 'sequence'>): Promise<Binding> {
  try {
    const [sequence] = await table(db).insert({
      ...columnsOf(binding),
      revision: binding.revision,
    });
    return { ...binding, sequence: Number(sequence) };
  } catch (error) {
    throw isDuplicate(error) ? new SerializationFailure(changed()) : error;
  }
}

/**
 * Writes a binding over the one that was read.
 * @throws Contention where another writer was faster
 */
export async function updateBinding(db: Db, read: Binding, binding: Binding): Promise<Binding> {
  return {
    ...binding,
    revision: await updateAtRevision(
      db,
      { name },
      [read.id, read.revision],
      columnsOf(binding),
      changed,
    ),
  };
}

export async function findBinding(db: Db, id: string): Promise<Binding | undefined> {
  const row = await table(db).where({ id }).first();
  return row && recordOf(row);
}

/** Which bindings a list is about; what is undefined does not matter. */
export interface BindingFilter {
  readonly tenantId?: string | undefined;
  readonly podId?: string | undefined;
  readonly azName?: string | undefined;
  readonly affinityGroup?: string;
  readonly isBinding?: boolean | undefined;
  /** With those that an admin has deleted. */
  readonly withDeleted?: boolean;
  /** By start, the latest first; else by creation. */
  readonly latestFirst?: boolean;
  readonly limit?: number | undefined;
  readonly after?: Binding | undefined;
}

export async function listBindings(db: Db, filter: BindingFilter): Promise<Binding[]> {
  const query = table(db) as unknown as Knex.QueryBuilder;
  const equal = {
    tenant_id: filter.tenantId,
    pod_id: filter.podId,
    az_name: filter.azName,
    affinity_group: filter.affinityGroup,
  };
  for (const [column, value] of Object.entries(equal))
    if (value !== undefined) void query.where(column, value);
  if (filter.isBinding === true) void query.where('active', 1);
  if (filter.isBinding === false) void query.whereNull('active');
  if (!filter.withDeleted) void query.where('deleted', 0);
  if (filter.limit !== undefined) void query.limit(filter.limit);
  const { latestFirst: descending = false, after } = filter;
  const time = descending ? 'start_binding_time' : 'created_at';
  const place = after && [descending ? after.startBindingTime : after.createdAt, after.sequence];
  orderBy(
    query,
    [
      { column: time, descending },
      { column: 'sequence', descending },
    ],
    place,
  );
  return ((await query) as Row[]).map(recordOf);
}

/** The active bindings of a tenant in a group, the oldest first. */
export async function activeBindings(
  db: Db,
  tenantId: string,
  affinityGroup: string,
): Promise<Binding[]> {
  const query = table(db).where({ tenant_id: tenantId, affinity_group: affinityGroup, active: 1 });
  return (await query.orderBy(['start_binding_time', 'sequence'])).map((row) =>
    recordOf(row as Row),
  );
}
