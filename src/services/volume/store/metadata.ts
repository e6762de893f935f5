// The table of the metadata of volumes, of snapshots and of backups.
import { referring, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { Table } from '../../../kernel/db/table.ts';
import type { Metadata } from '../model.ts';
import { groupedValues } from '../../../kernel/db/grouping.ts';

const items = new Table(
  'volume_metadata',
  {
    subjectId: referring(text, 'volume_volumes.id', 'volume_snapshots.id', 'volume_backups.id'),
    name: text,
    value: text,
  },
  { key: ['subjectId', 'name'] },
);

/** Reads the metadata of volumes, snapshots or backups, by id. */
export async function metadataOf(db: Db, ids: readonly string[]): Promise<Map<string, Metadata>> {
  const found = groupedValues(
    await items.list(db, { where: { subjectId: ids } }),
    ({ subjectId }) => subjectId,
    ({ name, value }) => [name, value] as const,
  );
  return new Map([...found].map(([id, pairs]) => [id, Object.fromEntries(pairs)]));
}

/** Replaces the metadata of a volume, a snapshot or a backup. */
export async function writeMetadata(db: Db, id: string, metadata: Metadata): Promise<void> {
  await items.remove(db, { subjectId: id });
  const pairs = Object.entries(metadata);
  await items.insertAll(
    db,
    pairs.map(([name, value]) => ({ subjectId: id, name, value })),
  );
}
