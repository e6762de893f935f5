// Handler of GET /_emulator/outbox.
import { isoMicros } from '../../kernel/clock.ts';
import { ok } from '../../kernel/http/reply.ts';
import { listMessages, type OutboxMessage } from '../../kernel/jobs/outbox.ts';
import type { Call, Reply } from '../../kernel/model.ts';
import { regionNamed } from '../../kernel/regions.ts';

const view = ({ kind, payload, createdAt, error }: OutboxMessage): object => ({
  kind,
  payload,
  created_at: isoMicros(createdAt),
  status: error === null ? 'pending' : 'undelivered',
  error,
});

/**
 * GET /_emulator/outbox: the messages of a region to servers outside of the cloud that have not
 * been delivered. @throws 400
 */
export async function list({ cloud, query }: Call): Promise<Reply> {
  const { database } = regionNamed(cloud, query.last('region'));
  return ok({ messages: (await listMessages(database.db)).map(view) });
}
