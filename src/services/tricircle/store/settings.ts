// The table of settings.
import type { Db } from '../../../kernel/db/database.ts';

interface Row {
  name: string;
  value: string;
}

export async function readSettings(db: Db): Promise<Readonly<Record<string, unknown>>> {
  const rows = await db<Row>('tricircle_settings').orderBy('name');
  return Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value) as unknown]));
}

export async function writeSetting(db: Db, name: string, value: unknown): Promise<void> {
  await db<Row>('tricircle_settings')
    .insert({ name, value: JSON.stringify(value) })
    .onConflict('name')
    .merge();
}
