// The table of settings: JSON values by name.
import { json, text } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { Table } from '../../../kernel/db/table.ts';

const settings = new Table('reservation_settings', { name: text, value: json() }, { key: 'name' });

/** Reads the settings that differ from the defaults, by name. */
export async function readSettings(db: Db): Promise<Readonly<Record<string, unknown>>> {
  const changed = await settings.list(db);
  return Object.fromEntries(changed.map(({ name, value }) => [name, value]));
}

export async function writeSetting(db: Db, name: string, value: unknown): Promise<void> {
  await settings.upsert(db, [{ name, value }]);
}
