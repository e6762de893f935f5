// Publishes notifications on a message bus, as oslo.messaging does: each in an envelope, in the
// queue TOPIC.PRIORITY of the service's exchange. Upstream: oslo_messaging/_drivers/impl_rabbit.py,
// notify_send, and oslo_messaging/_drivers/common.py, serialize_msg.
import type { Channel, ChannelModel } from 'amqplib';
import { naiveIso } from '../../kernel/clock.ts';
import { newUuid } from '../../kernel/ids.ts';
import { DeliveryFailure } from '../../kernel/jobs/outbox-sender.ts';
import { loadAmqp } from '../../kernel/lazy.ts';
import type { Context, Delivery } from '../../kernel/model.ts';
import type { PublishedNotification } from '../../kernel/notifications.ts';

/** How long a connection may take, in milliseconds. */
const connectTimeout = 5_000;

/** The exchanges and queues of oslo.messaging, as its options are by default. */
const transient = { durable: false, autoDelete: false };

/** Sends notifications to the message bus of --notifications. The outbox retries a failure. */
export const publishing: Delivery = {
  async send({ cloud }: Context, payloads) {
    const url = cloud.config.notifications;
    if (url === undefined) throw new Error('The emulator runs without --notifications.');
    try {
      await publishAll(url, payloads as readonly PublishedNotification[]);
    } catch (error) {
      const { hostname, port } = new URL(url);
      throw new DeliveryFailure(
        `The message bus at ${hostname}:${port || 5672} failed: ${(error as Error).message}`,
      );
    }
  },
};

/** Publishes notifications in their order. Resolves when the broker has confirmed all of them. */
async function publishAll(url: string, all: readonly PublishedNotification[]): Promise<void> {
  const connection: ChannelModel = await loadAmqp().connect(url, { timeout: connectTimeout });
  let broken: Error | undefined;
  connection.on('error', (error: Error) => (broken = error));
  try {
    const channel = await connection.createConfirmChannel();
    channel.on('error', (error: Error) => (broken = error));
    const declared = new Set<string>();
    for (const one of all) {
      const routingKey = `${one.topic}.${one.priority.toLowerCase()}`;
      const key = `${one.exchange} ${routingKey}`;
      if (!declared.has(key)) await declare(channel, one.exchange, routingKey);
      declared.add(key);
      channel.publish(one.exchange, routingKey, Buffer.from(JSON.stringify(envelope(one))), {
        contentType: 'application/json',
        contentEncoding: 'utf-8',
        persistent: true,
        priority: 0,
      });
    }
    await channel.waitForConfirms();
    if (broken) throw broken;
  } finally {
    await connection.close().catch(() => {});
  }
}

/** Declares a queue, so that notifications wait there for a consumer that starts later. */
async function declare(channel: Channel, exchange: string, queue: string): Promise<void> {
  await channel.assertExchange(exchange, 'topic', transient);
  await channel.assertQueue(queue, { ...transient, exclusive: false });
  await channel.bindQueue(queue, exchange, queue);
}

/** The message in the envelope of oslo.messaging's version 2.0: JSON in JSON. */
const envelope = (one: PublishedNotification): object => ({
  'oslo.version': '2.0',
  'oslo.message': JSON.stringify({
    message_id: one.messageId,
    publisher_id: one.publisherId,
    event_type: one.eventType,
    priority: one.priority,
    payload: one.payload,
    timestamp: naiveIso(one.createdAt).replace('T', ' '),
    _unique_id: newUuid().replaceAll('-', ''),
    _context_user_id: one.userId,
    _context_user: one.userId,
    _context_project_id: one.projectId,
    _context_tenant: one.projectId,
    _context_request_id: one.requestId,
  }),
});
