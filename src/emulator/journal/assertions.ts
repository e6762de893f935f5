// Checks assertions on the journal: how many requests match, or that requests matched in an order.
import { badRequest } from '../../kernel/errors.ts';
import type { Cloud } from '../../kernel/model.ts';
import { describeEntry, describeNearMiss, describeRequests } from './assertion-messages.ts';
import { openJournal } from './journal.ts';
import { collect, filterFor, matchesAll, sortedByTime, type JournalFilter } from './matching.ts';
import type {
  AssertionResult,
  JournalAssertion,
  JournalMatch,
  NearMiss,
  NumberedEntry,
} from './model.ts';

/** The maximum number of near misses and matches that a message lists. */
const maxListed = 10;

/**
 * Checks an assertion.
 * @throws 400 for an invalid assertion; 409 if the journal is off
 */
export async function checkAssertion(
  cloud: Cloud,
  assertion: JournalAssertion,
): Promise<AssertionResult> {
  const { match, sequence, ...counts } = assertion;
  if ((match === undefined) === (sequence === undefined))
    throw badRequest(
      'Give either match or sequence. A match of {} matches every request; a sequence is a ' +
        'list of matches.',
    );
  if (sequence && Object.keys(counts).length)
    throw badRequest(
      'A sequence cannot be combined with a number of requests: each of its matches is one ' +
        'request. Leave out times, at_least, at_most and never.',
    );
  return sequence ? checkSequence(cloud, sequence) : checkCount(cloud, match!, rangeOf(counts));
}

async function checkCount(
  cloud: Cloud,
  match: JournalMatch,
  range: Range,
): Promise<AssertionResult> {
  const filter = await filterFor(cloud, match);
  const journal = await openJournal(cloud);
  const entries = sortedByTime(await collect(journal.entries(filter.after), filter.isInScope));
  const matched = entries.filter((entry) => matchesAll(filter, entry));
  const holds = matched.length >= range.least && matched.length <= range.most;
  const found = matched.length === 0 ? 'none' : String(matched.length);
  const expected = `Expected ${range.words} ${describeRequests(match, range.last === 1)}, found ${found}.`;
  if (holds) return { holds, message: expected, matched, nearMisses: [] };
  if (matched.length > range.most)
    return { holds, message: `${expected} ${listOf(matched)}`, matched, nearMisses: [] };
  const nearMisses = nearMissesOf(filter, entries);
  return {
    holds,
    message: [expected, ...nearMisses.map(describeNearMiss)].join(' '),
    matched,
    nearMisses,
  };
}

const listOf = (entries: readonly NumberedEntry[]): string =>
  'The requests are ' +
  `${entries.slice(0, maxListed).map(describeEntry).join(', ')}${entries.length > maxListed ? ', ...' : ''}.`;

interface Range {
  readonly least: number;
  readonly most: number;
  readonly words: string;
  /** The last number in the words, which decides between singular and plural. */
  readonly last: number;
}

/** @throws 400 for numbers that exclude each other */
function rangeOf({
  times,
  at_least: least,
  at_most: most,
  never,
}: Omit<JournalAssertion, 'match' | 'sequence'>): Range {
  const exact = never ? 0 : times;
  if (never && times !== undefined)
    throw badRequest('never and times contradict each other. Leave one of them out.');
  if (exact !== undefined && (least ?? most) !== undefined)
    throw badRequest(
      'times and never already give the exact number. Leave out at_least and at_most, or ' +
        'use only those.',
    );
  if (exact !== undefined)
    return { least: exact, most: exact, words: exact === 0 ? 'no' : String(exact), last: exact };
  if (least !== undefined && most !== undefined && least > most)
    throw badRequest(`at_least ${least} is greater than at_most ${most}. Swap the two.`);
  const words = [
    most === undefined || least !== undefined ? `at least ${least ?? 1}` : '',
    most === undefined ? '' : `at most ${most}`,
  ];
  return {
    least: least ?? (most === undefined ? 1 : 0),
    most: most ?? Infinity,
    words: words.filter(Boolean).join(' and '),
    last: most ?? least ?? 1,
  };
}

/**
 * The newest entries that meet all conditions except one. With a single condition every other entry
 * would be a near miss, so there are none.
 */
function nearMissesOf(
  { conditions }: JournalFilter,
  entries: readonly NumberedEntry[],
): readonly NearMiss[] {
  if (conditions.length < 2) return [];
  const nearMisses = entries.flatMap((request): NearMiss[] => {
    const failed = conditions.filter(({ holds }) => !holds(request));
    return failed.length === 1
      ? failed.map(({ name, expected, actual }) => ({
          request,
          condition: name,
          expected,
          actual: actual(request),
        }))
      : [];
  });
  return nearMisses.slice(-maxListed);
}

/**
 * Checks that for each match there is a request after the one of the previous match. Other requests
 * may lie between them.
 */
async function checkSequence(
  cloud: Cloud,
  sequence: readonly JournalMatch[],
): Promise<AssertionResult> {
  const filters = await Promise.all(sequence.map((match) => filterFor(cloud, match)));
  const entries = sortedByTime(await collect((await openJournal(cloud)).entries()));
  const matched: NumberedEntry[] = [];
  let start = 0;
  for (const filter of filters) {
    const { after = 0, isInScope } = filter;
    const fits = (entry: NumberedEntry): boolean =>
      entry.id > after && isInScope(entry) && matchesAll(filter, entry);
    const found = entries.findIndex((entry, index) => index >= start && fits(entry));
    if (found < 0)
      return brokenSequence(sequence, filter, matched, entries.slice(start).filter(isInScope));
    matched.push(entries[found]!);
    start = found + 1;
  }
  return {
    holds: true,
    message: `Found all ${matched.length} requests in this order.`,
    matched,
    nearMisses: [],
  };
}

function brokenSequence(
  sequence: readonly JournalMatch[],
  filter: JournalFilter,
  matched: readonly NumberedEntry[],
  remaining: readonly NumberedEntry[],
): AssertionResult {
  const steps = sequence.map((match) => `a ${describeRequests(match, true)}`).join(', then ');
  const last = matched.at(-1);
  const found = last ? `After ${describeEntry(last)}, found no` : 'Found no';
  const nearMisses = nearMissesOf(filter, remaining);
  const sentences = [
    `Expected ${steps}. ${found} ${describeRequests(filter.match, true)}.`,
    ...nearMisses.map(describeNearMiss),
  ];
  return { holds: false, message: sentences.join(' '), matched, nearMisses };
}
