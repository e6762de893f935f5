// The table of projects' preferences for new volumes.
import { nullable, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { Table } from '../../../kernel/db/table.ts';
import type { VolumePlacement } from '../model.ts';

const placements = new Table<VolumePlacement>(
  'tricircle_volume_placements',
  { projectId: text, localToInstance: nullable(text) },
  { key: 'projectId' },
);

export const findVolumePlacement = (
  db: Db,
  projectId: string,
): Promise<VolumePlacement | undefined> => placements.find(db, { projectId });

export async function writeVolumePlacement(db: Db, placement: VolumePlacement): Promise<void> {
  await placements.upsert(db, [placement]);
}
