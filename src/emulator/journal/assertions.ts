// Assertions on the journal: how many requests there were of a kind, or in which order, and what
// nearly fitted.
import type { JournalEntry, NumberedEntry } from './store.ts';
import type { Json } from '../../kernel/json.ts';
import { badRequest } from '../../kernel/errors.ts';
import type { Cloud } from '../../kernel/model.ts';
import {
  collected,
  inOrder,
  matchesAll,
  questionOf,
  type JournalMatch,
  type Question,
} from './matching.ts';
import { openJournal } from './journal.ts';

/** What is asserted: how many requests match, or that some match one after the other. */
export interface JournalAssertion {
  readonly match?: JournalMatch;
  readonly sequence?: readonly JournalMatch[];
  readonly times?: number;
  readonly at_least?: number;
  readonly at_most?: number;
  readonly never?: boolean;
}

/** A request that all conditions but one hold for. */
export interface NearMiss {
  readonly request: NumberedEntry;
  readonly condition: string;
  readonly wanted: Json;
  readonly given: Json;
}

/** What came of an assertion. */
export interface Verdict {
  readonly holds: boolean;
  /** What was expected and what was found, in a sentence or two. */
  readonly message: string;
  readonly matched: readonly NumberedEntry[];
  readonly nearMisses: readonly NearMiss[];
}

/** How many near misses are told: the newest. */
const mostNear = 10;

/**
 * Holds the journal against an assertion.
 * @throws 400 for one that cannot be; 409 where the journal is off
 */
export async function judge(cloud: Cloud, assertion: JournalAssertion): Promise<Verdict> {
  const { match, sequence, ...counts } = assertion;
  if ((match === undefined) === (sequence === undefined))
    throw badRequest('An assertion has a match, {} for any request, or a sequence of them.');
  if (sequence && Object.keys(counts).length)
    throw badRequest('A sequence has no times: each of its matches is one request.');
  if (sequence) return judgeSequence(cloud, sequence);
  const range = rangeOf(counts);
  const question = await questionOf(cloud, match!);
  const entries = await entriesFor(cloud, question);
  const matched = entries.filter((entry) => matchesAll(question, entry));
  const holds = matched.length >= range.least && matched.length <= range.most;
  const found = matched.length === 0 ? 'found none' : `found ${matched.length}`;
  const expected = `Expected ${range.words} ${wordsOf(match!, range.last === 1)}, ${found}.`;
  if (holds || matched.length > range.most) {
    return {
      holds,
      message: holds ? expected : `${expected} ${listed(matched)}`,
      matched,
      nearMisses: [],
    };
  }
  const nearMisses = nearestOf(question, entries);
  return {
    holds,
    message: [expected, ...nearMisses.map(sentenceOf)].join(' '),
    matched,
    nearMisses,
  };
}

async function entriesFor(cloud: Cloud, question: Question): Promise<readonly NumberedEntry[]> {
  const journal = await openJournal(cloud);
  return inOrder(await collected(journal.entries(question.after), question.asks));
}

interface Range {
  readonly least: number;
  readonly most: number;
  readonly words: string;
  /** The last number in the words. */
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
    throw badRequest('never and times say different things. Leave one of the two out.');
  if (exact !== undefined && (least ?? most) !== undefined)
    throw badRequest(
      'times and never say exactly how many. Leave at_least and at_most out, or give them alone.',
    );
  if (exact !== undefined)
    return { least: exact, most: exact, words: exact === 0 ? 'no' : String(exact), last: exact };
  if (least !== undefined && most !== undefined && least > most)
    throw badRequest(`No number is at least ${least} and at most ${most}.`);
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
 * The entries that all conditions but one hold for. Where there is only one, all others would be.
 */
function nearestOf(
  { conditions }: Question,
  entries: readonly NumberedEntry[],
): readonly NearMiss[] {
  if (conditions.length < 2) return [];
  const near = entries.flatMap((request): NearMiss[] => {
    const failed = conditions.filter(({ holds }) => !holds(request));
    return failed.length === 1
      ? failed.map(({ name, wanted, given }) => ({
          request,
          condition: name,
          wanted,
          given: given(request),
        }))
      : [];
  });
  return near.slice(-mostNear);
}

/** `requests to servers:create with status 404`. */
function wordsOf(
  { operation, method, path, service, body, since, ...others }: JournalMatch,
  isOne: boolean,
): string {
  const target = operation ?? [method, path].filter(Boolean).join(' ');
  const of = service === undefined ? '' : target ? ` of ${service}` : ` to ${service}`;
  const parts = Object.entries({ ...(operation === undefined ? {} : { method, path }), ...others })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${String(value)}`);
  const having = [
    ...parts,
    ...(body === undefined ? [] : [`a body that contains ${JSON.stringify(body)}`]),
  ];
  const when = since === undefined ? '' : ` since ${since}`;
  return `request${isOne ? '' : 's'}${target ? ` to ${target}` : ''}${of}${having.length ? ` with ${having.join(', ')}` : ''}${when}`;
}

/** `#17 POST /compute/v2.1/servers`. */
const nameOfEntry = ({ id, method, prefix, path }: JournalEntry & { id: number }): string =>
  `#${id} ${method} ${prefix}${path}`;

const sentenceOf = ({ request, condition, wanted, given }: NearMiss): string =>
  `${nameOfEntry(request)} is one but for its ${condition}: ${short(given)} and not ${short(wanted)}.`;

const listed = (entries: readonly NumberedEntry[]): string =>
  `They are ${entries.slice(0, mostNear).map(nameOfEntry).join(', ')}${entries.length > mostNear ? ', ...' : ''}.`;

const longest = 200;

function short(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/**
 * Whether for each match there is a request that came after that of the match before it; others may
 * stand between.
 */
async function judgeSequence(cloud: Cloud, sequence: readonly JournalMatch[]): Promise<Verdict> {
  const questions = await Promise.all(sequence.map((match) => questionOf(cloud, match)));
  const entries = inOrder(await collected((await openJournal(cloud)).entries()));
  const matched: NumberedEntry[] = [];
  let at = 0;
  for (const question of questions) {
    const { after = 0, asks } = question;
    const isIt = (entry: NumberedEntry): boolean =>
      entry.id > after && asks(entry) && matchesAll(question, entry);
    const found = entries.findIndex((entry, place) => place >= at && isIt(entry));
    if (found < 0) return missing(sequence, question, matched, entries.slice(at).filter(asks));
    matched.push(entries[found]!);
    at = found + 1;
  }
  return {
    holds: true,
    message: `Found all ${matched.length}, one after the other.`,
    matched,
    nearMisses: [],
  };
}

function missing(
  sequence: readonly JournalMatch[],
  question: Question,
  matched: readonly NumberedEntry[],
  left: readonly NumberedEntry[],
): Verdict {
  const steps = sequence.map((match) => `a ${wordsOf(match, true)}`).join(', then ');
  const last = matched.at(-1);
  const where = last ? `After ${nameOfEntry(last)} there is` : 'There is';
  const nearMisses = nearestOf(question, left);
  const told = [
    `Expected ${steps}. ${where} no ${wordsOf(question.match, true)}.`,
    ...nearMisses.map(sentenceOf),
  ];
  return { holds: false, message: told.join(' '), matched, nearMisses };
}
