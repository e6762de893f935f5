// The table of volumes and snapshots that the backend has and Volume does not manage.
import { integer, nullable, text, textOf } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { requireAffectedRow } from '../../../kernel/db/optimistic-lock.ts';
import { Table } from '../../../kernel/db/table.ts';
import { backendObjectKinds, type BackendObject, type BackendObjectKind } from '../model.ts';

const objects = new Table<BackendObject, 'source'>(
  'volume_backend_objects',
  { name: text, kind: textOf(backendObjectKinds), size: integer, source: nullable(text) },
  { key: ['name'] },
);

export const listBackendObjects = (db: Db, kind: BackendObjectKind): Promise<BackendObject[]> =>
  objects.list(db, { where: { kind } });

export const findBackendObject = (db: Db, name: string): Promise<BackendObject | undefined> =>
  objects.find(db, { name });

/** Inserts an object, or replaces one with the same name. */
export const putBackendObject = (db: Db, object: BackendObject): Promise<void> =>
  objects.upsert(db, [object]);

/** @throws SerializationFailure if another transaction has deleted it */
export const deleteBackendObject = (db: Db, name: string): Promise<void> =>
  requireAffectedRow(objects.remove(db, { name }), `volume ${name} at the backend`);

/** Renames the volume that snapshots come from. */
export async function renameSource(db: Db, from: string, to: string): Promise<void> {
  await objects.update(db, { source: from }, { source: to });
}
