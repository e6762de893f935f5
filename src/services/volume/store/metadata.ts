// The table of the metadata of volumes and of snapshots.
import type { Metadata } from '../model.ts';
import type { Db } from '../../../kernel/db/database.ts';

interface Row {
  subject_id: string;
  name: string;
  value: string;
}

/** The metadata of volumes or snapshots, by id. */
export async function metadataOf(db: Db, ids: readonly string[]): Promise<Map<string, Metadata>> {
  const rows = (await db('volume_metadata')
    .whereIn('subject_id', ids)
    .orderBy(['subject_id', 'name'])) as Row[];
  const found = new Map<string, [string, string][]>();
  for (const row of rows)
    found.set(row.subject_id, [...(found.get(row.subject_id) ?? []), [row.name, row.value]]);
  return new Map([...found].map(([id, pairs]) => [id, Object.fromEntries(pairs)]));
}

/** Replaces the metadata of a volume or a snapshot. */
export async function writeMetadata(db: Db, id: string, metadata: Metadata): Promise<void> {
  await db('volume_metadata').where({ subject_id: id }).delete();
  const rows = Object.entries(metadata).map(([name, value]) => ({ subject_id: id, name, value }));
  if (rows.length) await db('volume_metadata').insert(rows);
}
