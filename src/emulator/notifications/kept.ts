// Which notifications are kept, and a stream of them.
import { isoMicros, pause, ticks } from '../../kernel/clock.ts';
import { commandName } from '../../kernel/command-line.ts';
import { readSharedValues, writeSharedValue } from '../../kernel/db/state.ts';
import { transact } from '../../kernel/db/transaction.ts';
import { conflict } from '../../kernel/errors.ts';
import type { Cloud, Region } from '../../kernel/model.ts';
import {
  deleteNotifications,
  listNotifications,
  newestNotification,
  type Notification,
  type NotificationFilter,
} from '../../kernel/notifications.ts';

/** Sets how many notifications each region keeps; 0 switches it off and deletes them. */
export async function keepNotifications(cloud: Cloud, keep: number): Promise<void> {
  await transact(cloud.central.db, (db) =>
    writeSharedValue(db, 'notifications.limit', String(keep)),
  );
  cloud.sharedState.invalidate();
  await cloud.sharedState.refresh();
  if (!keep) await emptyNotifications(cloud);
}

/** Deletes the notifications of all regions. */
export async function emptyNotifications(cloud: Cloud): Promise<void> {
  for (const { database } of cloud.regions.values())
    await transact(database.db, (db) => deleteNotifications(db));
}

/** How many notifications each region keeps. @throws 409 if it keeps none */
export async function openKept(cloud: Cloud): Promise<number> {
  const { notificationsLimit: keep } = await readSharedValues(cloud.central.db);
  if (keep) return keep;
  throw conflict(
    'Notifications are not kept. Keep them with PUT /_emulator/notifications {"keep": 1000} or ' +
      `'${commandName()} notifications keep 1000', or start with --keep-notifications 1000.`,
  );
}

/** A notification as the API shows it, with the field names of oslo.messaging. */
export const view = ({ id, service, payload, ...rest }: Notification): object => ({
  id,
  service,
  message_id: rest.messageId,
  publisher_id: rest.publisherId,
  event_type: rest.eventType,
  priority: rest.priority,
  timestamp: isoMicros(rest.createdAt),
  user_id: rest.userId,
  project_id: rest.projectId,
  request_id: rest.requestId,
  payload,
});

/** How often a stream looks for new notifications, and shows that it is alive; milliseconds. */
const pollInterval = 100;
const heartbeatInterval = 15_000;

/** How many notifications a stream reads at a time. */
const batchSize = 100;

/**
 * Streams the notifications that match as server-sent events, from the one after `filter.after` on,
 * or else from now on. It sees those of other processes too, and ends when the emulator stops.
 */
export async function* follow(
  cloud: Cloud,
  { database: { db } }: Region,
  filter: NotificationFilter,
): AsyncGenerator<string> {
  let after = filter.after ?? (await newestNotification(db));
  let lastSent = ticks();
  yield ': connected\n\n';
  while (!cloud.stopping.signal.aborted) {
    const newest = await newestNotification(db);
    if (newest < after) after = 0; // a reset has deleted them and restarted the numbers
    const found =
      newest > after
        ? await listNotifications(db, { ...filter, after }, { keep: newest, limit: batchSize })
        : [];
    for (const one of found)
      yield `id: ${one.id}\nevent: ${one.eventType}\ndata: ${JSON.stringify(view(one))}\n\n`;
    after = found.at(-1)?.id ?? newest;
    if (found.length) lastSent = ticks();
    else if (ticks() - lastSent > heartbeatInterval) {
      yield ': alive\n\n';
      lastSent = ticks();
    }
    if (found.length < batchSize) await pause(pollInterval);
  }
}
