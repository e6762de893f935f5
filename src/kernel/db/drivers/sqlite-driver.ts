// The driver of SQLite: node:sqlite, or a package with the same interface on older versions of
// Node.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** A connection, as far as its users outside of sqlite-client.ts need it. */
interface Connection {
  exec(sql: string): void;
  close(): void;
}

interface Driver {
  readonly DatabaseSync: new (file: string) => Connection;
  backup(from: object, file: string, options: { readonly rate: number }): Promise<number>;
}

/**
 * Loads node:sqlite if it can distinguish queries from other statements (22.16 and newer),
 * otherwise the package with the same interface.
 */
export function loadDriver(): Driver {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const name =
    major > 22 || (major === 22 && minor >= 16) ? 'node:sqlite' : '@photostructure/sqlite';
  return require(name) as Driver;
}
