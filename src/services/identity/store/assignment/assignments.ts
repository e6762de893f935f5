// The table of role assignments.
import type { ActorType, Assignment, TargetType } from '../../model.ts';
import type { Db } from '../../../../kernel/db/database.ts';

interface Row {
  actor_type: string;
  actor_id: string;
  target_type: string;
  target_id: string;
  role_id: string;
  inherited: number;
}

const table = (db: Db) => db<Row>('identity_assignments');

const recordOf = (row: Row): Assignment => ({
  actorType: row.actor_type as ActorType,
  actorId: row.actor_id,
  targetType: row.target_type as TargetType,
  targetId: row.target_id,
  roleId: row.role_id,
  inherited: Boolean(row.inherited),
});

const rowOf = (assignment: Assignment): Row => ({
  actor_type: assignment.actorType,
  actor_id: assignment.actorId,
  target_type: assignment.targetType,
  target_id: assignment.targetId,
  role_id: assignment.roleId,
  inherited: Number(assignment.inherited),
});

const key = ['actor_id', 'actor_type', 'target_type', 'target_id', 'role_id', 'inherited'];

/** Inserts those that are not stored yet. */
export async function ensureAssignments(db: Db, assignments: readonly Assignment[]): Promise<void> {
  await table(db).insert(assignments.map(rowOf)).onConflict(key).ignore();
}

export async function hasAssignment(db: Db, assignment: Assignment): Promise<boolean> {
  return (await table(db).where(rowOf(assignment)).first()) !== undefined;
}

/** Deletes an assignment. Whether there was one. */
export async function deleteAssignment(db: Db, assignment: Assignment): Promise<boolean> {
  return (await table(db).where(rowOf(assignment)).delete()) > 0;
}

export interface AssignmentFilter {
  readonly actorType?: ActorType | undefined;
  readonly actorIds?: readonly string[] | undefined;
  readonly targetType?: TargetType | undefined;
  readonly targetId?: string | undefined;
  readonly roleId?: string | undefined;
  readonly inherited?: boolean | undefined;
}

export async function listAssignments(
  db: Db,
  filter: AssignmentFilter = {},
): Promise<Assignment[]> {
  const query = table(db).orderBy(key);
  if (filter.actorType !== undefined) void query.where({ actor_type: filter.actorType });
  if (filter.actorIds !== undefined) void query.whereIn('actor_id', filter.actorIds);
  if (filter.targetType !== undefined) void query.where({ target_type: filter.targetType });
  if (filter.targetId !== undefined) void query.where({ target_id: filter.targetId });
  if (filter.roleId !== undefined) void query.where({ role_id: filter.roleId });
  if (filter.inherited !== undefined) void query.where({ inherited: Number(filter.inherited) });
  return (await query).map((row) => recordOf(row));
}

export async function deleteAssignmentsOfActor(
  db: Db,
  actorType: ActorType,
  actorId: string,
): Promise<void> {
  await table(db).where({ actor_type: actorType, actor_id: actorId }).delete();
}

export async function deleteAssignmentsOnTarget(db: Db, targetId: string): Promise<void> {
  await table(db).where({ target_id: targetId }).delete();
}
