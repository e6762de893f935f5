// Reads untrusted documents: splits them into lines and checks their headers. Errors name the line.
import { badRequest, type ApiError } from '../../kernel/errors.ts';
import type { Migration } from '../../kernel/db/database.ts';
import type { Cloud } from '../../kernel/model.ts';
import { packageVersion } from '../../kernel/package-root.ts';
import { centralName, format } from './document.ts';
import type { DatabaseHead, Header, Line, RegionHead } from './model.ts';
import { badRegionName } from '../../kernel/regions.ts';

/** The maximum length of a line in characters. No exported row is longer. */
const maxLine = 32 * 1024 * 1024;

/**
 * Splits a stream of bytes into lines. It joins the parts of a line once, at the end of the line,
 * so that a long line costs linear time.
 * @throws 400 if it is not UTF-8, or if a line is too long
 */
export async function* linesIn(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let parts: string[] = [];
  let length = 0;
  let number = 0;
  const decode = (chunk?: Uint8Array): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw lineError(number + 1, 'it is not UTF-8');
    }
  };
  for await (const chunk of bytes) {
    const texts = decode(chunk).split('\n');
    const last = texts.pop()!;
    for (const text of texts) {
      parts.push(text);
      yield { number: ++number, text: parts.join('') };
      parts = [];
      length = 0;
    }
    parts.push(last);
    length += last.length;
    if (length > maxLine) throw lineError(number + 1, 'it is too long');
  }
  const rest = parts.join('') + decode();
  if (rest) yield { number: ++number, text: rest };
}

/** The error for an invalid document. */
export const documentError = (reason: string): ApiError =>
  badRequest(`${reason}. Nothing was changed.`);

/** The error for an invalid line. */
export const lineError = (line: number, reason: string): ApiError =>
  documentError(`Line ${line} of the document is invalid: ${reason}`);

/** Parses a line as JSON. @throws 400 */
export function jsonOf({ number, text }: Line): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw lineError(
      number,
      text.trim() === '' ? 'it is empty' : 'it is not JSON; the document may be truncated',
    );
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses and checks the header. @throws 400 if it is invalid, or from a newer emulator */
export function headerFrom(
  cloud: Pick<Cloud, 'centralMigrations' | 'regionMigrations'>,
  line: Line | undefined,
): Header {
  const parsed = line && jsonOf(line);
  if (
    !isObject(parsed) ||
    typeof parsed['cumulet'] !== 'string' ||
    typeof parsed['format'] !== 'number'
  )
    throw badRequest(
      `Not a document of 'cumulet export': its first line is not a header. Nothing was changed.`,
    );
  const { cumulet } = parsed;
  if (parsed['format'] !== format)
    throw badRequest(
      `The document has format ${parsed['format']}, written by cumulet ${cumulet}, but ` +
        `this is cumulet ${packageVersion()}, which reads format ${format}. Use a newer ` +
        'cumulet. Nothing was changed.',
    );
  const header = parsed as unknown as Header;
  const problem = headerProblem(header);
  if (problem !== undefined) throw lineError(1, problem);
  for (const [head, migrations] of [
    [header.central, cloud.centralMigrations],
    ...header.regions.map((region) => [region, cloud.regionMigrations] as const),
  ] as const)
    checkMigrations(cumulet, head, migrations);
  return header;
}

/** Describes what is wrong with a header; undefined if it is valid. */
function headerProblem({
  taken_at: takenAt,
  now,
  clock,
  central,
  regions,
}: Header): string | undefined {
  const isTime = (value: unknown): boolean => Number.isSafeInteger(value);
  if (typeof takenAt !== 'string' || typeof now !== 'string')
    return 'taken_at and now must be times';
  if (
    !isObject(clock) ||
    !(clock['frozen_at'] === null || isTime(clock['frozen_at'])) ||
    !isTime(clock['offset'])
  )
    return 'clock must have frozen_at and offset, in microseconds';
  if (!isHead(central) || central.name !== centralName)
    return `central must be the database ${centralName} with its migrations`;
  if (
    !Array.isArray(regions) ||
    !regions.every((one) => isHead(one) && typeof (one as RegionHead).central === 'boolean')
  )
    return 'each region must have name, central and migrations';
  const bad = regions.map(({ name }) => badRegionName(name)).find((one) => one !== undefined);
  if (bad !== undefined) return bad.replace(/\.$/, '');
  if (new Set(regions.map(({ name }) => name.toLowerCase())).size < regions.length)
    return 'two regions have the same name';
  if (
    !regions.some((region) => !region.central) ||
    regions.filter((region) => region.central).length > 1
  )
    return 'there must be at least one region that is not central, and at most one that is';
  return undefined;
}

const isHead = (value: unknown): value is DatabaseHead =>
  isObject(value) &&
  typeof value['name'] === 'string' &&
  Array.isArray(value['migrations']) &&
  value['migrations'].every((one) => typeof one === 'string');

/** @throws 400 if the database has migrations that this emulator does not know */
function checkMigrations(
  cumulet: string,
  { name, migrations }: DatabaseHead,
  known: readonly Migration[],
): void {
  const unknown = migrations.find((one) => !known.some((migration) => migration.name === one));
  if (unknown === undefined) return;
  throw badRequest(
    `The document comes from cumulet ${cumulet}, whose ${name} database has the migration ` +
      `'${unknown}', which this cumulet ${packageVersion()} does not know. Use cumulet ` +
      `${cumulet} or newer. Nothing was changed.`,
  );
}
