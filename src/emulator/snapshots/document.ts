// The format of the document that holds the state of a cloud. Each line is JSON: a header, then for
// each database its tables with their rows, and a last line that marks the end.
import { isoMicros, machineNow, type ClockSetting } from '../../kernel/clock.ts';
import type { Migration } from '../../kernel/db/database.ts';
import { packageVersion } from '../../kernel/package-root.ts';
import type { Cloud } from '../../kernel/model.ts';
import type { DatabaseHead, Header, Rows, Value } from './model.ts';

/** The version of the format. It changes if older emulators cannot read the document. */
export const format = 1;

/** The name of the central database in a document. Regions cannot have this name. */
export const centralName = 'central';

const namesOf = (migrations: readonly Migration[]): string[] => migrations.map(({ name }) => name);

/** The header for the current state of the cloud. */
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
 * The databases of a header, the central one last. Regions are read first, so that everything that
 * they refer to in the central database already exists when that is read.
 */
export const databasesOf = ({ central, regions }: Header): readonly DatabaseHead[] => [
  ...regions,
  central,
];

/** The first line of a database. */
export const databaseLine = (database: string): string => `${JSON.stringify({ database })}\n`;

/** The last line of the document. A document without it is truncated. */
export const lastLine = (rows: number): string => `${JSON.stringify({ end: true, rows })}\n`;

/** The lines for some rows, preceded by the table's own line if `isNew`. */
export function linesOf({ table, columns, next, rows }: Rows, isNew: boolean): string[] {
  const head = isNew ? [`${JSON.stringify({ table, columns, next })}\n`] : [];
  return [...head, ...rows.map((row) => `${JSON.stringify(row.map(encode))}\n`)];
}

/** Encodes a value as JSON. Only binary values become objects. */
export const encode = (value: Value): Value | { readonly base64: string } =>
  value instanceof Uint8Array
    ? { base64: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') }
    : value;

/** The maximum number of rows, and of characters, in a batch. */
const maxRows = 500;
const maxText = 1024 * 1024;

/** Parses the lines of one database. They are not checked, so they must come from this emulator. */
export async function* rowsIn(lines: AsyncIterable<string>): AsyncGenerator<Rows> {
  let head: Omit<Rows, 'rows'> | undefined;
  let rows: Value[][] = [];
  let text = 0;
  for await (const line of lines) {
    const one = JSON.parse(line) as unknown;
    if (Array.isArray(one)) {
      rows.push((one as Value[]).map(decode));
      text += line.length;
    } else if ('table' in (one as object)) {
      if (head) yield { ...head, rows };
      [head, rows, text] = [one as Omit<Rows, 'rows'>, [], 0];
    }
    if (rows.length < maxRows && text < maxText) continue;
    yield { ...head!, rows };
    [rows, text] = [[], 0];
  }
  if (head) yield { ...head, rows };
}

/** Decodes a value that `encode` has encoded. */
export const decode = (value: unknown): Value =>
  typeof value === 'object' && value !== null
    ? Buffer.from((value as { base64: string }).base64, 'base64')
    : (value as Value);
