// The second step of `npm run build`, after the bundle: compiles the API descriptions to JSON, and
// the migrations to scripts. With a folder, it writes only the scripts there, for a package.
import { centralMigrations } from '../../migrations/central/index.ts';
import { regionMigrations } from '../../migrations/region/index.ts';
import { compileDocuments } from '../kernel/contract/documents.ts';
import type { Database, Migration } from '../kernel/db/database.ts';
import { openDatabase } from '../kernel/db/open.ts';
import { removeScripts, writeScripts } from '../kernel/db/schema/scripts.ts';

const folder = process.argv[2];
if (folder === undefined) {
  compileDocuments();
  removeScripts();
}

const databases: [Database, readonly Migration[]][] = [];
for (const migrations of [centralMigrations, regionMigrations])
  databases.push([await openDatabase({ kind: 'memory' }, '', migrations), migrations]);
await writeScripts(databases, folder);
for (const [{ db }] of databases) await db.destroy();
