// Settings: what is named, each a JSON value.
import type { Db } from '../../../kernel/db/database.ts';

/** All settings that were made. */
export async function readSettings(db: Db): Promise<Record<string, unknown>> {
  const rows = (await db('reservation_settings').orderBy('name')) as {
    name: string;
    value: string;
  }[];
  return Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value) as unknown]));
}

export async function writeSetting(db: Db, name: string, value: unknown): Promise<void> {
  await db('reservation_settings')
    .insert({ name, value: JSON.stringify(value) })
    .onConflict('name')
    .merge();
}
