// Which entries of the journal a question is about: conditions, each with what it wants and what an
// entry has instead.
import { pathMatches } from '../../kernel/path-pattern.ts';
import { parseTime } from '../../kernel/clock.ts';
import type { FaultMatch } from '../fault-injection/store.ts';
import type { JournalEntry, NumberedEntry } from './store.ts';
import { badRequest } from '../../kernel/errors.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import type { Cloud } from '../../kernel/model.ts';
import { checkMatch, nameOf } from '../fault-injection/matching.ts';
import { syncRegions } from '../../kernel/regions.ts';

/**
 * What is asked of entries: all that is given must hold. What has the name of a part of a fault
 * rule means the same.
 */
export interface JournalMatch extends Omit<FaultMatch, 'headers' | 'inside'> {
  /** `404`, `4xx`, or `dropped`. */
  readonly status?: string | number;
  /** A text that the user agent contains. */
  readonly user_agent?: string;
  /** The version in the words of the request; an empty one for requests that named none. */
  readonly version_asked?: string;
  /**
   * Requests of clients (`false`, which holds where nothing is said), those that services sent
   * (`true`), or both.
   */
  readonly inside?: boolean | 'true' | 'false' | 'any';
  /** What came after the entry of this number, or from this time of the machine on. */
  readonly since?: string | number;
  /** A part of the body. */
  readonly body?: Json;
}

/** One condition, named as in the match. */
export interface Condition {
  readonly name: string;
  readonly wanted: Json;
  /** What an entry has in its place. */
  readonly given: (entry: JournalEntry) => Json;
  readonly holds: (entry: JournalEntry) => boolean;
}

/**
 * A match that was looked at: what bounds the part of the journal that is asked, and what is asked
 * of each entry in it.
 */
export interface Question {
  readonly match: JournalMatch;
  /** Those with a greater number. */
  readonly after: number | undefined;
  /** Whether an entry is one of those that are asked at all. */
  readonly asks: (entry: JournalEntry) => boolean;
  readonly conditions: readonly Condition[];
}

/**
 * @throws 400 for a match with names that there are not, with those that there are: it would match
 *   nothing, in silence
 */
export async function questionOf(cloud: Cloud, match: JournalMatch): Promise<Question> {
  await syncRegions(cloud);
  const { service, region, operation, min_version, max_version, inside = false } = match;
  const since = match.since === undefined ? undefined : String(match.since);
  const names = { service, region, operation, min_version, max_version };
  checkMatch(
    cloud,
    Object.fromEntries(Object.entries(names).filter(([, value]) => value !== undefined)),
  );
  const number = since !== undefined && /^\d{1,9}$/.test(since) ? Number(since) : undefined;
  const time = since === undefined || number !== undefined ? -Infinity : parseTime(since);
  if (time === undefined)
    throw badRequest(
      `'${since}' in since is neither an entry's number nor a time such as 2026-11-20T12:00:00Z.`,
    );
  return {
    match,
    after: number,
    asks: (entry) =>
      entry.machine_time >= time && (inside === 'any' || String(entry.inside) === String(inside)),
    conditions: [...plainOf(match), ...versionsOf(cloud, match), ...bodyOf(match)],
  };
}

export const matchesAll = ({ conditions }: Question, entry: JournalEntry): boolean =>
  conditions.every(({ holds }) => holds(entry));

/** The entries that are asked, in the order in which they are given. */
export async function collected(
  entries: AsyncIterable<NumberedEntry>,
  asks: Question['asks'] = () => true,
): Promise<NumberedEntry[]> {
  const found: NumberedEntry[] = [];
  for await (const entry of entries) if (asks(entry)) found.push(entry);
  return found;
}

/**
 * In the order in which they came: of several processes one may write an entry later than the next
 * one is written by another.
 */
export const inOrder = (entries: readonly NumberedEntry[]): readonly NumberedEntry[] =>
  entries.toSorted((one, other) => one.machine_time - other.machine_time || one.id - other.id);

type Given = (entry: JournalEntry) => readonly (string | null)[];

/** The conditions that compare texts. */
function plainOf(match: JournalMatch): Condition[] {
  const one = (
    name: Exclude<keyof JournalMatch, 'body'>,
    given: Given,
    fits?: (wanted: string, entry: JournalEntry) => boolean,
  ): Condition[] => {
    if (match[name] === undefined) return [];
    const wanted = String(match[name]);
    const shown = (entry: JournalEntry): Json =>
      given(entry).find((value) => value !== null) ?? null;
    return [
      {
        name,
        wanted,
        given: shown,
        holds: (entry) => (fits ? fits(wanted, entry) : given(entry).includes(wanted)),
      },
    ];
  };
  return [
    ...one('service', ({ service }) => [service]),
    ...one('region', ({ region }) => [region]),
    ...one('operation', ({ action, operation }) => [action, operation]),
    ...one('method', ({ method }) => [method]),
    ...one(
      'path',
      ({ path }) => [path],
      (pattern, { path }) => pathMatches(path, pattern),
    ),
    ...one(
      'status',
      (entry) => [statusOf(entry)],
      (wanted, entry) => isStatus(statusOf(entry), wanted),
    ),
    ...one('project', ({ project_name, project_id }) => [project_name, project_id]),
    ...one('user', ({ user_name, user_id }) => [user_name, user_id]),
    ...one(
      'user_agent',
      ({ user_agent }) => [user_agent],
      (text, { user_agent }) => user_agent?.includes(text) ?? false,
    ),
    ...one('version_asked', ({ version_asked }) => [version_asked ?? '']),
  ];
}

const statusOf = ({ status }: JournalEntry): string =>
  status === null ? 'dropped' : String(status);

const isStatus = (given: string, wanted: string): boolean =>
  given === wanted || (wanted.endsWith('xx') && given.length === 3 && given[0] === wanted[0]);

function versionsOf(
  { services }: Cloud,
  { service: name, min_version: min, max_version: max }: JournalMatch,
): Condition[] {
  const all = services.find((service) => nameOf(service) === name)?.definition.versions;
  const one = (
    bound: string,
    wanted: string | undefined,
    fits: (given: number, wanted: number) => boolean,
  ): Condition[] => {
    if (wanted === undefined || !all) return [];
    const { index } = all.find(wanted)!;
    const holds = ({ version }: JournalEntry): boolean => {
      const given = version === null ? undefined : all.find(version);
      return given !== undefined && fits(given.index, index);
    };
    return [{ name: bound, wanted, given: ({ version }) => version, holds }];
  };
  return [
    ...one('min_version', min, (given, wanted) => given >= wanted),
    ...one('max_version', max, (given, wanted) => given <= wanted),
  ];
}

function bodyOf({ body }: JournalMatch): Condition[] {
  if (body === undefined) return [];
  return [
    {
      name: 'body',
      wanted: body,
      given: ({ request_body }) => request_body,
      holds: ({ request_body }) => contains(request_body, body),
    },
  ];
}

/**
 * Whether a JSON value has a part: of objects the properties, of lists an item for each of the
 * part's.
 */
export function contains(value: Json | undefined, part: Json): boolean {
  if (Array.isArray(part))
    return (
      Array.isArray(value) &&
      part.every((one: Json) => value.some((item: Json) => contains(item, one)))
    );
  if (isObject(part))
    return (
      isObject(value) &&
      Object.entries(part).every(([name, child]) => contains(own(value, name), child))
    );
  return value === part;
}

const own = (value: { readonly [key: string]: Json }, name: string): Json | undefined =>
  Object.hasOwn(value, name) ? value[name] : undefined;
