// The table of QoS specs, and the types that are associated with them.
import { conflict } from '../../../kernel/errors.ts';
import { SerializationFailure } from '../../../kernel/db/errors.ts';
import type { QosSpecs } from '../model.ts';
import { filter, page, type ColumnValues, type Listing } from './lists.ts';
import type { Db } from '../../../kernel/db/database.ts';

interface Row {
  id: string;
  name: string;
  consumer: string;
  specs: string;
  created_at: number;
  updated_at: number | null;
}

const rowOf = (qos: QosSpecs): Row => ({
  id: qos.id,
  name: qos.name,
  consumer: qos.consumer,
  specs: JSON.stringify(qos.specs),
  created_at: qos.createdAt,
  updated_at: qos.updatedAt,
});

const record = (row: Row): QosSpecs => ({
  id: row.id,
  name: row.name,
  consumer: row.consumer,
  specs: JSON.parse(row.specs) as QosSpecs['specs'],
  createdAt: Number(row.created_at),
  updatedAt: row.updated_at === null ? null : Number(row.updated_at),
});

export async function findQos(db: Db, id: string): Promise<QosSpecs | undefined> {
  const row = (await db('volume_qos_specs').where({ id }).first()) as Row | undefined;
  return row && record(row);
}

export async function selectQos(db: Db, listing: Listing): Promise<QosSpecs[]> {
  const query = db('volume_qos_specs').select('volume_qos_specs.*');
  filter(db, query, 'volume_qos_specs', listing);
  page(query, 'volume_qos_specs', listing);
  return ((await query) as Row[]).map(record);
}

/** The row of QoS specs, by its columns. */
export const qosRow = (qos: QosSpecs): ColumnValues => ({ ...rowOf(qos) });

/** @throws the driver's duplicate error for the name */
export async function insertQos(db: Db, qos: QosSpecs): Promise<void> {
  await db('volume_qos_specs').insert(rowOf(qos));
}

/**
 * Writes QoS specs over those that were read.
 * @throws Contention where another writer was faster
 */
export async function updateQos(db: Db, before: QosSpecs, after: QosSpecs): Promise<void> {
  const { id, specs, consumer } = rowOf(before);
  const changed = await db('volume_qos_specs').where({ id, specs, consumer }).update(rowOf(after));
  if (!changed)
    throw new SerializationFailure(conflict('The QoS specs were changed by somebody else.'));
}

export async function deleteQos(db: Db, id: string): Promise<void> {
  await db('volume_qos_specs').where({ id }).delete();
}

/** Associates a type with QoS specs, or with none. */
export async function setTypeQos(db: Db, typeId: string, qosId: string | null): Promise<void> {
  await db('volume_types').where({ id: typeId }).update({ qos_specs_id: qosId });
}

/** Disassociates all types from QoS specs. */
export async function clearTypesQos(db: Db, qosId: string): Promise<void> {
  await db('volume_types').where({ qos_specs_id: qosId }).update({ qos_specs_id: null });
}
