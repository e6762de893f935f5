// The table of quota reservations: what requests at the gateways are about to create in pods.
import { integer, jsonObject, micros, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { Table } from '../../../kernel/db/table.ts';
import type { QuotaReservation } from '../model.ts';

const reservations = new Table<QuotaReservation, 'id'>(
  'tricircle_quota_reservations',
  {
    id: integer,
    projectId: text,
    userId: text,
    service: text,
    amounts: jsonObject<Readonly<Record<string, number>>>(),
    reservedAt: micros,
  },
  { generated: 'id' },
);

export async function insertReservation(
  db: Db,
  fields: Omit<QuotaReservation, 'id'>,
): Promise<QuotaReservation> {
  const [id] = await reservations.insert(db, fields);
  return { ...fields, id: Number(id) };
}

export async function deleteReservation(db: Db, id: number): Promise<void> {
  await reservations.remove(db, { id });
}

/** Deletes the reservations of a project that were made before a time. */
export async function deleteReservationsBefore(
  db: Db,
  projectId: string,
  time: number,
): Promise<void> {
  await db(reservations.name)
    .where({ project_id: projectId })
    .where('reserved_at', '<', time)
    .delete();
}

/** Lists the reservations of a project in a service that precede one, oldest first. */
export const listEarlier = (
  db: Db,
  { id, projectId, service }: QuotaReservation,
): Promise<QuotaReservation[]> =>
  reservations.list(db, {
    where: { projectId, service },
    conditions: [(query) => void query.where('id', '<', id)],
    sort: ['id'],
  });
