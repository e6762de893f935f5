// The table of volumes and snapshots that the backend has and Volume does not manage.
import { integer, nullable, text, textOf } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { requireAffectedRow } from '../../../kernel/db/optimistic-lock.ts';
import { Table } from '../../../kernel/db/table.ts';
import { backendObjectKinds, type BackendObject, type BackendObjectKind } from '../model.ts';

const objects = new Table<BackendObject, 'source'>(
  'volume_backend_objects',
  {
    host: text,
    name: text,
    kind: textOf(backendObjectKinds),
    size: integer,
    source: nullable(text),
  },
  { key: ['host', 'name'] },
);

export const listBackendObjects = (
  db: Db,
  host: string,
  kind: BackendObjectKind,
): Promise<BackendObject[]> => objects.list(db, { where: { host, kind } });

export const findBackendObject = (
  db: Db,
  host: string,
  name: string,
): Promise<BackendObject | undefined> => objects.find(db, { host, name });

/** Inserts an object, or replaces one with the same name. */
export const putBackendObject = (db: Db, object: BackendObject): Promise<void> =>
  objects.upsert(db, [object]);

/** @throws SerializationFailure if another transaction has deleted it */
export const deleteBackendObject = (
  db: Db,
  { host, name }: Pick<BackendObject, 'host' | 'name'>,
): Promise<void> =>
  requireAffectedRow(objects.remove(db, { host, name }), `volume ${name} at the backend`);

/** Renames the volume that snapshots come from. */
export async function renameSource(
  db: Db,
  { host, name }: Pick<BackendObject, 'host' | 'name'>,
  to: string,
): Promise<void> {
  await objects.update(db, { host, source: name }, { source: to });
}
