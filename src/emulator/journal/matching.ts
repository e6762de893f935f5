// Selects journal entries by conditions. Each condition knows what it expects and what an entry
// has, so that a failed assertion can explain itself.
import { pathMatches } from '../../kernel/path-pattern.ts';
import { parseTime } from '../../kernel/clock.ts';
import { isObject, type Json } from '../../kernel/json.ts';
import { badRequest } from '../../kernel/errors.ts';
import type { Call, Cloud } from '../../kernel/model.ts';
import { syncRegions } from '../../kernel/regions.ts';
import { checkMatch } from '../fault-injection/matching.ts';
import { serviceNameOf } from '../services.ts';
import type { JournalEntry, JournalMatch, NumberedEntry } from './model.ts';

/** A condition, named like its property in the match. */
export interface Condition {
  readonly name: string;
  readonly expected: Json;
  /** The value of an entry that the condition compares. */
  readonly actual: (entry: JournalEntry) => Json;
  readonly holds: (entry: JournalEntry) => boolean;
}

/** A match that has been checked: the part of the journal to search, and the conditions. */
export interface JournalFilter {
  readonly match: JournalMatch;
  /** Entries with a greater number. */
  readonly after: number | undefined;
  /** Whether to search the entry at all: entries out of scope are not near misses either. */
  readonly isInScope: (entry: JournalEntry) => boolean;
  readonly conditions: readonly Condition[];
}

/** The match in a query string. The contract rejects unknown names. */
export function matchIn(query: Call['query']): JournalMatch {
  const conditions = query.entries().filter(([name]) => name !== 'limit' && name !== 'before');
  return Object.fromEntries(conditions) as JournalMatch;
}

/**
 * Checks a match and prepares its conditions.
 * @throws 400 for unknown names, with a list of valid ones: otherwise a typo would match nothing
 *   without notice
 */
export async function filterFor(cloud: Cloud, match: JournalMatch): Promise<JournalFilter> {
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
      `'${since}' in since is neither an entry's number nor a time. Use a number, or a ` +
        'time such as 2026-11-20T12:00:00Z.',
    );
  return {
    match,
    after: number,
    isInScope: (entry) =>
      entry.machine_time >= time && (inside === 'any' || String(entry.inside) === String(inside)),
    conditions: [
      ...textConditions(match),
      ...versionConditions(cloud, match),
      ...bodyConditions(match),
    ],
  };
}

export const matchesAll = ({ conditions }: JournalFilter, entry: JournalEntry): boolean =>
  conditions.every(({ holds }) => holds(entry));

/** Reads entries into a list. */
export async function collect(
  entries: AsyncIterable<NumberedEntry>,
  isWanted: (entry: JournalEntry) => boolean = () => true,
): Promise<NumberedEntry[]> {
  const found: NumberedEntry[] = [];
  for await (const entry of entries) if (isWanted(entry)) found.push(entry);
  return found;
}

/**
 * Sorts entries by their arrival. Their numbers can be in another order, because several processes
 * write entries independently.
 */
export const sortedByTime = (entries: readonly NumberedEntry[]): readonly NumberedEntry[] =>
  entries.toSorted((one, other) => one.machine_time - other.machine_time || one.id - other.id);

/** The values of an entry that a text condition compares: any of them may be equal. */
type Values = (entry: JournalEntry) => readonly (string | null)[];

function textConditions(match: JournalMatch): Condition[] {
  const condition = (
    name: Exclude<keyof JournalMatch, 'body'>,
    values: Values,
    fits?: (expected: string, entry: JournalEntry) => boolean,
  ): Condition[] => {
    if (match[name] === undefined) return [];
    const expected = String(match[name]);
    const actual = (entry: JournalEntry): Json =>
      values(entry).find((value) => value !== null) ?? null;
    return [
      {
        name,
        expected,
        actual,
        holds: (entry) => (fits ? fits(expected, entry) : values(entry).includes(expected)),
      },
    ];
  };
  return [
    ...condition('service', ({ service }) => [service]),
    ...condition('region', ({ region }) => [region]),
    ...condition('operation', ({ action, operation }) => [action, operation]),
    ...condition('method', ({ method }) => [method]),
    ...condition(
      'path',
      ({ path }) => [path],
      (pattern, { path }) => pathMatches(path, pattern),
    ),
    ...condition(
      'status',
      (entry) => [statusOf(entry)],
      (expected, entry) => isStatus(statusOf(entry), expected),
    ),
    ...condition('project', ({ project_name, project_id }) => [project_name, project_id]),
    ...condition('user', ({ user_name, user_id }) => [user_name, user_id]),
    ...condition(
      'user_agent',
      ({ user_agent }) => [user_agent],
      (text, { user_agent }) => user_agent?.includes(text) ?? false,
    ),
    ...condition('version_asked', ({ version_asked }) => [version_asked ?? '']),
  ];
}

const statusOf = ({ status }: JournalEntry): string =>
  status === null ? 'dropped' : String(status);

const isStatus = (actual: string, expected: string): boolean =>
  actual === expected ||
  (expected.endsWith('xx') && actual.length === 3 && actual[0] === expected[0]);

function versionConditions(
  { services }: Cloud,
  { service: name, min_version: min, max_version: max }: JournalMatch,
): Condition[] {
  const all = services.find((service) => serviceNameOf(service) === name)?.definition.versions;
  const condition = (
    bound: string,
    expected: string | undefined,
    fits: (actual: number, expected: number) => boolean,
  ): Condition[] => {
    if (expected === undefined || !all) return [];
    const { index } = all.find(expected)!;
    const holds = ({ version }: JournalEntry): boolean => {
      const actual = version === null ? undefined : all.find(version);
      return actual !== undefined && fits(actual.index, index);
    };
    return [{ name: bound, expected, actual: ({ version }) => version, holds }];
  };
  return [
    ...condition('min_version', min, (actual, expected) => actual >= expected),
    ...condition('max_version', max, (actual, expected) => actual <= expected),
  ];
}

function bodyConditions({ body }: JournalMatch): Condition[] {
  if (body === undefined) return [];
  return [
    {
      name: 'body',
      expected: body,
      actual: ({ request_body }) => request_body,
      holds: ({ request_body }) => contains(request_body, body),
    },
  ];
}

/**
 * Whether a JSON value contains a part: each property of an object, and for each item of a list an
 * item that contains it.
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
      Object.entries(part).every(([name, child]) => contains(ownProperty(value, name), child))
    );
  return value === part;
}

const ownProperty = (value: { readonly [key: string]: Json }, name: string): Json | undefined =>
  Object.hasOwn(value, name) ? value[name] : undefined;
