// The journal of requests: list, show, assert, audit of versions; keep so many, empty.
import { isoMicros } from '../../kernel/clock.ts';
import type { NumberedEntry } from './store.ts';
import { noContent, ok, reply } from '../../kernel/http/reply.ts';
import { judge, type JournalAssertion, type NearMiss } from './assertions.ts';
import { inOrder, matchesAll, questionOf, type JournalMatch } from './matching.ts';
import { emptyJournal, journalEntry, keepJournal, openJournal } from './journal.ts';
import { auditVersions } from '../version-audit/audit.ts';
import type { Call, Reply } from '../../kernel/model.ts';

const view = ({ id, request_id, time, machine_time, ...entry }: NumberedEntry): object => ({
  id,
  request_id,
  time: isoMicros(time),
  machine_time: isoMicros(machine_time),
  ...entry,
});

/** What a query asks of entries: the contract allows no other names. */
function matchOf({ query }: Call): JournalMatch {
  const given = query.entries().filter(([name]) => name !== 'limit' && name !== 'before');
  return Object.fromEntries(given) as JournalMatch;
}

/** How many entries a list has where nothing is said. */
const usualLimit = 100;

/**
 * GET /_emulator/requests: of those that match the newest, in the order in which they came.
 * @throws 400, 409
 */
export async function list(call: Call): Promise<Reply> {
  const limit = Number(call.query.last('limit') ?? usualLimit);
  const before = call.query.has('before') ? Number(call.query.last('before')) : undefined;
  const question = await questionOf(call.cloud, matchOf(call));
  const journal = await openJournal(call.cloud);
  const found: NumberedEntry[] = [];
  for await (const entry of journal.entries(question.after, before)) {
    if (question.asks(entry) && matchesAll(question, entry)) found.push(entry);
    if (found.length > limit) break;
  }
  const shown = found.slice(0, limit);
  const next =
    found.length > limit ? [{ rel: 'next', href: hrefBefore(call, shown.at(-1)!.id) }] : [];
  return ok({ keep: journal.keep, requests: inOrder(shown).map(view), requests_links: next });
}

/** The same list, with those that came before. */
function hrefBefore({ origin, prefix, path, query }: Call, before: number): string {
  const text = new URLSearchParams(Object.fromEntries(query.entries()));
  text.set('before', String(before));
  return `${origin}${prefix}${path}?${text.toString()}`;
}

/** GET /_emulator/requests/:id, or by the request id. @throws 404, 409 */
export async function show({ cloud, params }: Call): Promise<Reply> {
  return ok({ request: view(await journalEntry(cloud, params['id']!)) });
}

/**
 * PUT /_emulator/requests: keeps so many requests, in all processes; 0 switches the journal off.
 */
export async function update({ cloud, body }: Call): Promise<Reply> {
  const { keep } = body as { keep: number };
  await keepJournal(cloud, keep);
  return ok({ keep });
}

/** DELETE /_emulator/requests */
export async function clear({ cloud }: Call): Promise<Reply> {
  await emptyJournal(cloud);
  return noContent();
}

const nearView = ({ request, ...miss }: NearMiss): object => ({ request: view(request), ...miss });

/**
 * POST /_emulator/requests/assert: 200 where it holds, else 409 with what nearly fitted.
 * @throws 400, 409 where the journal is off
 */
export async function assert({ cloud, body }: Call): Promise<Reply> {
  const { holds, message, matched, nearMisses } = await judge(cloud, body as JournalAssertion);
  const found = { matched: matched.length, requests: matched.slice(-usualLimit).map(view) };
  if (holds) return ok({ message, ...found });
  return reply(409, {
    error: { code: 409, message },
    ...found,
    near_misses: nearMisses.map(nearView),
  });
}

/** GET /_emulator/requests/versions: the microversion audit. @throws 400, 409 */
export async function versions(call: Call): Promise<Reply> {
  return ok({ clients: await auditVersions(call.cloud, matchOf(call)) });
}
