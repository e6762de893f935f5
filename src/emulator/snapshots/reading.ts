// Reading a document that anyone may have written: its lines, its header, and the place of what is
// wrong.
import { badRequest, type ApiError } from '../../kernel/errors.ts';
import type { Migration } from '../../kernel/db/database.ts';
import type { Cloud } from '../../kernel/model.ts';
import { packageVersion } from '../../kernel/package-root.ts';
import {
  centralName,
  format,
  type DatabaseHead,
  type Header,
  type RegionHead,
} from './document.ts';
import { badRegionName } from '../../kernel/regions.ts';

/** A line and its number, from 1 on. */
export interface Line {
  readonly number: number;
  readonly text: string;
}

/** No row that is exported is longer, in characters. */
const longest = 32 * 1024 * 1024;

/**
 * The lines of bytes as they come.
 * @throws 400 for what is no UTF-8, and for a line of endless length
 */
export async function* linesIn(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let left = '';
  let number = 0;
  const decode = (chunk?: Uint8Array): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw broken(number + 1, 'it is not UTF-8');
    }
  };
  for await (const chunk of bytes) {
    const texts = (left + decode(chunk)).split('\n');
    left = texts.pop()!;
    if (left.length > longest) throw broken(number + 1, 'it is too long');
    for (const text of texts) yield { number: ++number, text };
  }
  left += decode();
  if (left) yield { number: ++number, text: left };
}

/** A fault about a line. */
export const broken = (line: number, why: string): ApiError =>
  badRequest(`Line ${line} of the document cannot be read: ${why}. Nothing was changed.`);

/** A line as JSON. @throws 400 */
export function jsonOf({ number, text }: Line): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw broken(number, text.trim() === '' ? 'it is empty' : 'it is no JSON; it may be cut off');
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The header of a document. @throws 400 for what is none, or of a newer emulator */
export function headerFrom(
  cloud: Pick<Cloud, 'centralMigrations' | 'regionMigrations'>,
  line: Line | undefined,
): Header {
  const told = line && jsonOf(line);
  if (!isObject(told) || typeof told['cumulet'] !== 'string' || typeof told['format'] !== 'number')
    throw badRequest(
      `This is no document of 'cumulet export': its first line is no header. Nothing was changed.`,
    );
  const { cumulet } = told;
  if (told['format'] !== format)
    throw badRequest(
      `The document is in format ${told['format']} of cumulet ${cumulet}, and this is cumulet ${packageVersion()}, which reads format ${format}. Use a newer one. Nothing was changed.`,
    );
  const header = told as unknown as Header;
  const why = wrongIn(header);
  if (why !== undefined) throw broken(1, why);
  for (const [head, migrations] of [
    [header.central, cloud.centralMigrations],
    ...header.regions.map((region) => [region, cloud.regionMigrations] as const),
  ] as const)
    refuseNewer(cumulet, head, migrations);
  return header;
}

/** What is wrong in a header; undefined where nothing is. */
function wrongIn({ taken_at: takenAt, now, clock, central, regions }: Header): string | undefined {
  const isTime = (value: unknown): boolean => Number.isSafeInteger(value);
  if (typeof takenAt !== 'string' || typeof now !== 'string') return 'taken_at and now are times';
  if (
    !isObject(clock) ||
    !(clock['frozen_at'] === null || isTime(clock['frozen_at'])) ||
    !isTime(clock['offset'])
  )
    return 'clock has frozen_at and offset, in microseconds';
  if (!isHead(central) || central.name !== centralName)
    return `central is the database ${centralName} with its migrations`;
  if (
    !Array.isArray(regions) ||
    !regions.every((one) => isHead(one) && typeof (one as RegionHead).central === 'boolean')
  )
    return 'regions have name, central and migrations';
  const bad = regions.map(({ name }) => badRegionName(name)).find((one) => one !== undefined);
  if (bad !== undefined) return bad.replace(/\.$/, '');
  if (new Set(regions.map(({ name }) => name.toLowerCase())).size < regions.length)
    return 'two regions have the same name';
  if (
    !regions.some((region) => !region.central) ||
    regions.filter((region) => region.central).length > 1
  )
    return 'there is one region at least that is not central, and one at most that is';
  return undefined;
}

const isHead = (value: unknown): value is DatabaseHead =>
  isObject(value) &&
  typeof value['name'] === 'string' &&
  Array.isArray(value['migrations']) &&
  value['migrations'].every((one) => typeof one === 'string');

/** @throws 400 where the tables are of migrations that this emulator does not have */
function refuseNewer(
  cumulet: string,
  { name, migrations }: DatabaseHead,
  known: readonly Migration[],
): void {
  const unknown = migrations.find((one) => !known.some((migration) => migration.name === one));
  if (unknown === undefined) return;
  throw badRequest(
    `The document is of cumulet ${cumulet}, whose ${name} database knows '${unknown}', and this is cumulet ${packageVersion()}. Use one as new as that. Nothing was changed.`,
  );
}
