// Handlers of /_emulator/notifications: list, stream, set the retention, and delete all.
import { noContent, ok } from '../../kernel/http/reply.ts';
import type { Call, Reply } from '../../kernel/model.ts';
import { listNotifications, type NotificationFilter } from '../../kernel/notifications.ts';
import type { Query } from '../../kernel/query.ts';
import { regionNamed } from '../../kernel/regions.ts';
import { emptyNotifications, follow, keepNotifications, openKept, view } from './kept.ts';

/** The default number of notifications in a list. */
const defaultLimit = 100;

const filterIn = (query: Query): NotificationFilter => ({
  service: query.last('service'),
  eventType: query.last('event_type'),
  projectId: query.last('project'),
  requestId: query.last('request'),
  after: query.has('after') ? Number(query.last('after')) : undefined,
});

/**
 * GET /_emulator/notifications: the newest notifications of a region that match, the oldest of
 * them first. @throws 400; 409 if notifications are not kept
 */
export async function list({ cloud, query }: Call): Promise<Reply> {
  const { database } = regionNamed(cloud, query.last('region'));
  const keep = await openKept(cloud);
  const limit = Number(query.last('limit') ?? defaultLimit);
  const found = await listNotifications(database.db, filterIn(query), { keep, limit });
  return ok({ keep, notifications: found.map(view) });
}

/**
 * GET /_emulator/notifications/stream: the notifications of a region that match, as server-sent
 * events. @throws 400; 409 if notifications are not kept
 */
export async function stream({ cloud, query, headers }: Call): Promise<Reply> {
  const region = regionNamed(cloud, query.last('region'));
  await openKept(cloud);
  const filter = filterIn(query);
  const last = headers['last-event-id'];
  const after = typeof last === 'string' && /^\d{1,15}$/.test(last) ? Number(last) : filter.after;
  return ok(follow(cloud, region, { ...filter, after }), {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
  });
}

/** PUT /_emulator/notifications */
export async function update({ cloud, body }: Call): Promise<Reply> {
  const { keep } = body as { keep: number };
  await keepNotifications(cloud, keep);
  return ok({ keep });
}

/** DELETE /_emulator/notifications */
export async function clear({ cloud }: Call): Promise<Reply> {
  await emptyNotifications(cloud);
  return noContent();
}
