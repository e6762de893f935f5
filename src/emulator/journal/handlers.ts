// Handlers of /_emulator/requests: list, show, assert, set the retention, and empty the journal.
import { isoMicros } from '../../kernel/clock.ts';
import { noContent, ok, reply } from '../../kernel/http/reply.ts';
import type { Call, Reply } from '../../kernel/model.ts';
import { checkAssertion } from './assertions.ts';
import { emptyJournal, journalEntry, keepJournal, openJournal } from './journal.ts';
import { filterFor, matchesAll, matchIn, sortedByTime } from './matching.ts';
import type { JournalAssertion, NearMiss, NumberedEntry } from './model.ts';

const view = ({ id, request_id, time, machine_time, ...entry }: NumberedEntry): object => ({
  id,
  request_id,
  time: isoMicros(time),
  machine_time: isoMicros(machine_time),
  ...entry,
});

/** The default number of entries in a list. */
const defaultLimit = 100;

/**
 * GET /_emulator/requests: the newest entries that match, in the order in which they arrived.
 * @throws 400, 409
 */
export async function list(call: Call): Promise<Reply> {
  const limit = Number(call.query.last('limit') ?? defaultLimit);
  const before = call.query.has('before') ? Number(call.query.last('before')) : undefined;
  const filter = await filterFor(call.cloud, matchIn(call.query));
  const journal = await openJournal(call.cloud);
  const found: NumberedEntry[] = [];
  for await (const entry of journal.entries(filter.after, before)) {
    if (filter.isInScope(entry) && matchesAll(filter, entry)) found.push(entry);
    if (found.length > limit) break;
  }
  const page = found.slice(0, limit);
  const links =
    found.length > limit ? [{ rel: 'next', href: hrefBefore(call, page.at(-1)!.id) }] : [];
  return ok({ keep: journal.keep, requests: sortedByTime(page).map(view), requests_links: links });
}

/** The URL of the page with older entries. */
function hrefBefore({ origin, prefix, path, query }: Call, before: number): string {
  const text = new URLSearchParams(Object.fromEntries(query.entries()));
  text.set('before', String(before));
  return `${origin}${prefix}${path}?${text.toString()}`;
}

/** GET /_emulator/requests/:id: by number or request id. @throws 404, 409 */
export async function show({ cloud, params }: Call): Promise<Reply> {
  return ok({ request: view(await journalEntry(cloud, params['id']!)) });
}

/**
 * PUT /_emulator/requests: sets how many requests the journal retains, in all processes; 0 switches
 * it off.
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

const nearMissView = ({ request, ...miss }: NearMiss): object => ({
  request: view(request),
  ...miss,
});

/**
 * POST /_emulator/requests/assert: 200 if the assertion holds, otherwise 409 with near misses.
 * @throws 400; 409 if the journal is off
 */
export async function assert({ cloud, body }: Call): Promise<Reply> {
  const { holds, message, matched, nearMisses } = await checkAssertion(
    cloud,
    body as JournalAssertion,
  );
  const found = { matched: matched.length, requests: matched.slice(-defaultLimit).map(view) };
  if (holds) return ok({ message, ...found });
  return reply(409, {
    error: { code: 409, message },
    ...found,
    near_misses: nearMisses.map(nearMissView),
  });
}
