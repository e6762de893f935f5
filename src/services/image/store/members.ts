// The table of members: the projects that an image is shared with.
import type { Micros } from '../../../kernel/clock.ts';
import { micros, text, textOf } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { requireAffectedRow } from '../../../kernel/db/optimistic-lock.ts';
import { Table } from '../../../kernel/db/table.ts';
import { memberStatuses, type Member } from '../model.ts';

const members = new Table<Member>(
  'image_members',
  {
    imageId: text,
    member: text,
    status: textOf(memberStatuses),
    createdAt: micros,
    updatedAt: micros,
  },
  { key: ['imageId', 'member'] },
);

export const findMember = (db: Db, imageId: string, member: string): Promise<Member | undefined> =>
  members.find(db, { imageId, member });

/** Selects the members of an image, oldest first. */
export const selectMembers = (db: Db, imageId: string): Promise<Member[]> =>
  members.list(db, { where: { imageId }, sort: ['createdAt', 'member'] });

/** @throws the driver's duplicate error */
export async function insertMember(db: Db, member: Member): Promise<void> {
  await members.insert(db, member);
}

export const updateMember = (
  db: Db,
  { imageId, member }: Member,
  status: Member['status'],
  now: Micros,
): Promise<void> =>
  requireAffectedRow(members.update(db, { imageId, member }, { status, updatedAt: now }), 'member');

export const deleteMember = (db: Db, { imageId, member }: Member): Promise<void> =>
  requireAffectedRow(members.remove(db, { imageId, member }), 'member');
