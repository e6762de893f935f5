// The notifications of services: what upstream's services publish on a message bus. A notification
// is written in the transaction that it reports, so it exists only if that commits.
import { integer, json, micros, nullable, text } from './db/columns.ts';
import type { Db } from './db/database.ts';
import { Table, type RecordOf } from './db/table.ts';
import { newUuid } from './ids.ts';
import { post } from './jobs/outbox.ts';
import type { Context } from './model.ts';

const notifications = new Table(
  'notifications',
  {
    id: integer,
    service: text,
    messageId: text,
    publisherId: text,
    eventType: text,
    priority: text,
    userId: nullable(text),
    projectId: nullable(text),
    requestId: text,
    payload: json<unknown>(),
    createdAt: micros,
  },
  { generated: 'id' },
);

/** A notification, with its number in the region. */
export type Notification = RecordOf<typeof notifications>;

/** A notification that a message bus is to get. */
export interface PublishedNotification extends Omit<Notification, 'id'> {
  readonly exchange: string;
  readonly topic: string;
}

/** What is the same for all notifications of a service. */
export interface NotificationSource {
  /** The name of the service, such as compute. */
  readonly service: string;
  /** The exchange and the topic on a message bus, as upstream's defaults. */
  readonly exchange: string;
  readonly topic: string;
}

/** A notification before its payload is known. */
export interface NewNotification {
  readonly publisherId: string;
  /** Such as `server_group.create`. */
  readonly eventType: string;
  readonly priority?: 'INFO' | 'ERROR';
}

/** The kind of the outbox's messages that go to the message bus. */
export const publishKind = 'notifications.publish';

/** After how many notifications the oldest ones are deleted. */
const trimInterval = 64;

/** Whether notifications are kept or published. */
export const isNotifying = ({ cloud }: Context): boolean =>
  cloud.sharedState.cached.notificationsLimit > 0 || cloud.config.notifications !== undefined;

/**
 * Writes a notification, unless nobody keeps or publishes notifications.
 * @param payloadOf computes the payload, in upstream's format
 */
export async function notify(
  context: Context,
  { service, exchange, topic }: NotificationSource,
  { publisherId, eventType, priority = 'INFO' }: NewNotification,
  payloadOf: () => object | Promise<object>,
): Promise<void> {
  const { cloud, db, now, actor, requestId } = context;
  const keep = cloud.sharedState.cached.notificationsLimit;
  const publishes = cloud.config.notifications !== undefined;
  if (!isNotifying(context)) return;
  const notification: Omit<Notification, 'id'> = {
    service,
    messageId: newUuid(),
    publisherId,
    eventType,
    priority,
    userId: actor.userId || null,
    projectId: actor.projectId ?? null,
    requestId,
    payload: await payloadOf(),
    createdAt: now,
  };
  if (publishes) await post(context, publishKind, { ...notification, exchange, topic });
  if (!keep) return;
  const [id = 0] = await notifications.insert(db, notification);
  if (id % trimInterval === 0)
    await db('notifications')
      .where('id', '<=', id - keep)
      .delete();
}

/** Which notifications to list. A field that is undefined does not restrict the list. */
export interface NotificationFilter {
  readonly service?: string | undefined;
  /** The event type, or its beginning followed by `*`. */
  readonly eventType?: string | undefined;
  readonly projectId?: string | undefined;
  readonly requestId?: string | undefined;
  /** Only notifications with greater numbers. */
  readonly after?: number | undefined;
}

/** Lists the newest notifications that match, at most `limit`, the oldest of them first. */
export async function listNotifications(
  db: Db,
  { service, eventType, projectId, requestId, after = 0 }: NotificationFilter,
  { keep, limit }: { keep: number; limit: number },
): Promise<Notification[]> {
  const newest = await newestNotification(db);
  const where = {
    ...(service === undefined ? {} : { service }),
    ...(projectId === undefined ? {} : { projectId }),
    ...(requestId === undefined ? {} : { requestId }),
  };
  const found = await notifications.list(db, {
    where,
    conditions: [
      (query) => void query.where('id', '>', Math.max(after, newest - keep)),
      ...(eventType === undefined ? [] : [matching(eventType)]),
    ],
    sort: [{ field: 'id', descending: true }],
    limit,
  });
  return found.toReversed();
}

/** The number of the newest notification; 0 if there is none. */
export async function newestNotification(db: Db): Promise<number> {
  const row = (await db('notifications').max({ id: 'id' }).first()) as { id: number | null };
  return row.id ?? 0;
}

type Query = ReturnType<typeof notifications.query>;

const matching = (eventType: string) => (query: Query) =>
  void (eventType.endsWith('*')
    ? query.whereRaw('SUBSTR(event_type, 1, ?) = ?', [eventType.length - 1, eventType.slice(0, -1)])
    : query.where('event_type', eventType));

/** Deletes the notifications of a service, or all. */
export async function deleteNotifications(db: Db, service?: string): Promise<void> {
  await notifications.remove(db, service === undefined ? {} : { service });
}
