// The table of members: the projects that an image is shared with.
import type { Micros } from '../../../kernel/clock.ts';
import { requireAffectedRow } from '../../../kernel/db/optimistic-lock.ts';
import type { Member } from '../model.ts';
import type { Db } from '../../../kernel/db/database.ts';

interface Row {
  image_id: string;
  member: string;
  status: string;
  created_at: number;
  updated_at: number;
}

const record = (row: Row): Member => ({
  imageId: row.image_id,
  member: row.member,
  status: row.status,
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});

export async function findMember(
  db: Db,
  imageId: string,
  member: string,
): Promise<Member | undefined> {
  const row = (await db('image_members').where({ image_id: imageId, member }).first()) as
    Row | undefined;
  return row && record(row);
}

/** The members of an image, oldest first. */
export async function selectMembers(db: Db, imageId: string): Promise<Member[]> {
  const rows = (await db('image_members')
    .where({ image_id: imageId })
    .orderBy(['created_at', 'member'])) as Row[];
  return rows.map(record);
}

/** @throws the driver's duplicate error */
export async function insertMember(
  db: Db,
  { imageId, member, status, createdAt, updatedAt }: Member,
): Promise<void> {
  await db('image_members').insert({
    image_id: imageId,
    member,
    status,
    created_at: createdAt,
    updated_at: updatedAt,
  });
}

export async function updateMember(
  db: Db,
  { imageId, member }: Member,
  status: string,
  now: Micros,
): Promise<void> {
  await requireAffectedRow(
    db('image_members').where({ image_id: imageId, member }).update({ status, updated_at: now }),
    'member',
  );
}

export async function deleteMember(db: Db, { imageId, member }: Member): Promise<void> {
  await requireAffectedRow(
    db('image_members').where({ image_id: imageId, member }).delete(),
    'member',
  );
}
