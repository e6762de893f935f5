// The table of role assignments.
import { boolean, referring, text, textOf } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Filter } from '../../../../kernel/db/listing.ts';
import { Table } from '../../../../kernel/db/table.ts';
import { actorTypes, targetTypes, type ActorType, type Assignment } from '../../model.ts';

const assignments = new Table<Assignment>(
  'identity_assignments',
  {
    actorType: textOf(actorTypes),
    actorId: referring(text, 'identity_users.id', 'identity_groups.id'),
    targetType: textOf(targetTypes),
    targetId: text,
    roleId: text,
    inherited: boolean,
  },
  { key: ['actorId', 'actorType', 'targetType', 'targetId', 'roleId', 'inherited'] },
);

/** Inserts the assignments that do not exist yet. */
export const ensureAssignments = (db: Db, all: readonly Assignment[]): Promise<void> =>
  assignments.ensure(db, all);

export const hasAssignment = (db: Db, assignment: Assignment): Promise<boolean> =>
  assignments.exists(db, assignment);

/** Deletes an assignment, and returns whether it existed. */
export const deleteAssignment = async (db: Db, assignment: Assignment): Promise<boolean> =>
  (await assignments.remove(db, assignment)) > 0;

/** The assignments that match, ordered by actor, target and role. */
export const listAssignments = (db: Db, where: Filter<Assignment> = {}): Promise<Assignment[]> =>
  assignments.list(db, { where });

export async function deleteAssignmentsOfActor(
  db: Db,
  actorType: ActorType,
  actorId: string,
): Promise<void> {
  await assignments.remove(db, { actorType, actorId });
}

export async function deleteAssignmentsOnTarget(db: Db, targetId: string): Promise<void> {
  await assignments.remove(db, { targetId });
}
