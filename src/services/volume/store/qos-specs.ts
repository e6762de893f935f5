// The table of QoS specs, and their association with volume types.
import { jsonObject, micros, nullable, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { SerializationFailure } from '../../../kernel/db/errors.ts';
import { Table } from '../../../kernel/db/table.ts';
import { conflict } from '../../../kernel/errors.ts';
import type { QosSpecs } from '../model.ts';
import { listPage, type Page } from './lists.ts';
import { types } from './types.ts';

const qosSpecs = new Table<QosSpecs>('volume_qos_specs', {
  id: text,
  name: text,
  consumer: text,
  specs: jsonObject(),
  createdAt: micros,
  updatedAt: nullable(micros),
});

export const findQosSpecs = (db: Db, id: string): Promise<QosSpecs | undefined> =>
  qosSpecs.find(db, { id });

export const selectQosSpecs = (db: Db, page: Page<QosSpecs>): Promise<QosSpecs[]> =>
  listPage(db, qosSpecs, page);

/** @throws the driver's duplicate error for the name */
export async function insertQosSpecs(db: Db, qos: QosSpecs): Promise<void> {
  await qosSpecs.insert(db, qos);
}

/**
 * Replaces QoS specs that were read. Their specs and consumer serve as the revision.
 * @throws SerializationFailure if another transaction has changed them
 */
export async function updateQosSpecs(db: Db, before: QosSpecs, after: QosSpecs): Promise<void> {
  const { id, specs, consumer } = before;
  if (!(await qosSpecs.update(db, { id, specs, consumer }, after)))
    throw new SerializationFailure(conflict('The QoS specs were changed by somebody else.'));
}

export async function deleteQosSpecs(db: Db, id: string): Promise<void> {
  await qosSpecs.remove(db, { id });
}

/** Associates a volume type with QoS specs, or with none. */
export async function setQosSpecsOfType(
  db: Db,
  typeId: string,
  qosSpecsId: string | null,
): Promise<void> {
  await types.update(db, { id: typeId }, { qosSpecsId });
}

/** Disassociates all volume types from QoS specs. */
export async function clearAssociations(db: Db, qosSpecsId: string): Promise<void> {
  await types.update(db, { qosSpecsId }, { qosSpecsId: null });
}
