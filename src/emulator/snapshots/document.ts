// The document of a cloud's state: a header, then for each database its tables and their rows, one
// a line of JSON, and a last line that says it is whole.
import { isoMicros, machineNow, type ClockSetting } from '../../kernel/clock.ts';
import type { Rows, Value } from './contents.ts';
import type { Migration } from '../../kernel/db/database.ts';
import { packageVersion } from '../../kernel/package-root.ts';
import type { Cloud } from '../../kernel/model.ts';

/** The version of the format. One that an older emulator cannot read has another. */
export const format = 1;

/** A database in the header. */
export interface DatabaseHead {
  readonly name: string;
  /** Those that its tables are of, in order. */
  readonly migrations: readonly string[];
}

export interface RegionHead extends DatabaseHead {
  readonly central: boolean;
}

/** The first line. */
export interface Header {
  /** The version of the emulator that wrote it. */
  readonly cumulet: string;
  readonly format: number;
  /** By the machine's clock. */
  readonly taken_at: string;
  /** The emulator's time then. */
  readonly now: string;
  readonly clock: { readonly frozen_at: number | null; readonly offset: number };
  readonly central: DatabaseHead;
  /** In the order in which they were added. */
  readonly regions: readonly RegionHead[];
}

/** The name that the central database has in a document. No region can be called so. */
export const centralName = 'central';

/** A state of a cloud, to put back. */
export interface Source {
  readonly header: Header;
  /**
   * What a database holds, from the beginning each time it is asked for; `central` is a connection,
   * or a transaction, of the central database.
   */
  contents(database: string, central: Cloud['central']['db']): AsyncIterable<Rows>;
}

const namesOf = (migrations: readonly Migration[]): string[] => migrations.map(({ name }) => name);

/** The header of what the cloud holds now. */
export function headerOf(cloud: Cloud, clock: ClockSetting, now: number): Header {
  return {
    cumulet: packageVersion(),
    format,
    taken_at: isoMicros(machineNow()),
    now: isoMicros(now),
    clock: { frozen_at: clock.frozenAt, offset: clock.offset },
    central: { name: centralName, migrations: namesOf(cloud.centralMigrations) },
    regions: [...cloud.regions.values()]
      .toSorted((one, other) => one.id - other.id)
      .map(({ name, isCentral }) => ({
        name,
        central: isCentral,
        migrations: namesOf(cloud.regionMigrations),
      })),
  };
}

/**
 * The databases of a header, the central one last: what regions refer to in it was there before
 * them.
 */
export const databasesOf = ({ central, regions }: Header): readonly DatabaseHead[] => [
  ...regions,
  central,
];

/** The line that begins a database. */
export const databaseLine = (database: string): string => `${JSON.stringify({ database })}\n`;

/** The line that ends the document: without it, it is cut off. */
export const lastLine = (rows: number): string => `${JSON.stringify({ end: true, rows })}\n`;

/** Lines for rows; `isNew` where the table begins. */
export function linesOf({ table, columns, next, rows }: Rows, isNew: boolean): string[] {
  const head = isNew ? [`${JSON.stringify({ table, columns, next })}\n`] : [];
  return [...head, ...rows.map((row) => `${JSON.stringify(row.map(written))}\n`)];
}

/** Bytes are the only values that are objects. */
const written = (value: Value): Value | { readonly base64: string } =>
  value instanceof Uint8Array
    ? { base64: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') }
    : value;

/** How many rows are handed on at once, and how many characters of lines. */
const mostRows = 500;
const mostText = 1024 * 1024;

/** The rows of lines that this emulator has written about one database. */
export async function* rowsIn(lines: AsyncIterable<string>): AsyncGenerator<Rows> {
  let head: Omit<Rows, 'rows'> | undefined;
  let rows: Value[][] = [];
  let text = 0;
  for await (const line of lines) {
    const one = JSON.parse(line) as unknown;
    if (Array.isArray(one)) {
      rows.push((one as Value[]).map(read));
      text += line.length;
    } else if ('table' in (one as object)) {
      if (head) yield { ...head, rows };
      [head, rows, text] = [one as Omit<Rows, 'rows'>, [], 0];
    }
    if (rows.length < mostRows && text < mostText) continue;
    yield { ...head!, rows };
    [rows, text] = [[], 0];
  }
  if (head) yield { ...head, rows };
}

/** A value as it was before it was written. */
export const read = (value: unknown): Value =>
  typeof value === 'object' && value !== null
    ? Buffer.from((value as { base64: string }).base64, 'base64')
    : (value as Value);
