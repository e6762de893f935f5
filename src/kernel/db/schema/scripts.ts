// The schema of a new SQLite database as one script, which runs in a twentieth of the time of the
// migrations. The build writes the scripts. Their first line is a comment with the hash of the
// migrations' sources, so that a program that runs from the sources does not use an outdated one.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../package-root.ts';
import { replaceFile } from '../write-file.ts';
import type { Database, Db, Migration } from '../database.ts';

/**
 * The script that does what the migrations do in an empty database.
 * @returns undefined if the build has not written it, or has written that of other migrations
 */
export function scriptOf(migrations: readonly Migration[]): string | undefined {
  try {
    const script = readFileSync(join(compiled(), fileOf(migrations)), 'utf8');
    return isBundled || script.startsWith(headOf(sources())) ? script : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the scripts of an earlier build, so that new databases run the migrations themselves. */
export function removeScripts(): void {
  rmSync(compiled(), { recursive: true, force: true });
}

/** Writes the scripts of migrated SQLite databases. */
export async function writeScripts(
  databases: readonly (readonly [Database, readonly Migration[]])[],
  folder = compiled(),
): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const head = headOf(sources());
  for (const [{ db }, migrations] of databases)
    replaceFile(join(folder, fileOf(migrations)), head + (await statementsOf(db)));
}

/** The statements that create the tables and indexes of a database. */
async function statementsOf(db: Db): Promise<string> {
  const statements = (await db('sqlite_master')
    .whereNotNull('sql')
    .andWhere('name', 'not like', 'sqlite_%')
    .orderBy('rowid')
    .pluck('sql')) as string[];
  return statements.map((statement) => `${statement};\n`).join('');
}

/** Whether this program is the bundle, whose build has written the scripts. */
const isBundled = !import.meta.url.endsWith('.ts');

const compiled = (): string => join(packageRoot(), 'dist', 'schemas');

const fileOf = (migrations: readonly Migration[]): string =>
  `${digestOf(migrations.map(({ name }) => name).join())}.sql`;

const headOf = (text: string): string => `-- Migrations ${digestOf(text)}\n`;

const digestOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 16);

/** The text of all migrations. */
function sources(): string {
  const folder = join(packageRoot(), 'migrations');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .toSorted()
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join();
}
