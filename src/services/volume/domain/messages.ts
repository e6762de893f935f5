// Messages to users: what they say of an action, and what of its failure. Upstream: cinder/message/message_field.py.
import { SECOND, type Micros } from '../../../kernel/clock.ts';
import { notFound } from '../../../kernel/fault.ts';
import { newUuid } from '../../../kernel/ids.ts';
import { findMessage, insertMessage } from '../store/messages.ts';
import type { Viewer } from './records.ts';
import type { Db } from '../../../kernel/db/database.ts';

export interface Message {
  readonly id: string;
  readonly projectId: string;
  readonly requestId: string;
  readonly resourceType: string;
  readonly resourceUuid: string;
  readonly actionId: string;
  readonly detailId: string;
  readonly eventId: string;
  readonly level: string;
  readonly createdAt: Micros;
  readonly expiresAt: Micros;
}

/** What can fail here, of all that upstream has. */
export const actions = { schedule: ['001', 'schedule allocate volume'] } as const;
export const details = { noBackend: ['003', 'Could not find any available weighted backend.'] } as const;

const lifetime = 30 * 24 * 3600 * SECOND;

/** @throws 404, also for one of another project */
export async function messageFor(db: Db, viewer: Viewer, id: string): Promise<Message> {
  const message = await findMessage(db, id);
  if (!message || (!viewer.isAdmin && message.projectId !== viewer.projectId))
    throw notFound(`Message ${id} could not be found.`);
  return message;
}

/** Leaves a message that no backend was found for a volume. */
export async function tellNoBackend(
  db: Db,
  { projectId, volumeId, requestId }: { projectId: string; volumeId: string; requestId: string },
  now: Micros,
): Promise<void> {
  const [actionId] = actions.schedule;
  const [detailId] = details.noBackend;
  const message: Message = {
    id: newUuid(),
    projectId,
    requestId,
    resourceType: 'VOLUME',
    resourceUuid: volumeId,
    actionId,
    detailId,
    eventId: `VOLUME_VOLUME_${actionId}_${detailId}`,
    level: 'ERROR',
    createdAt: now,
    expiresAt: now + lifetime,
  };
  await insertMessage(db, message, now);
}

const textOf = (texts: readonly (readonly [string, string])[], id: string, otherwise: string): string =>
  texts.find(([one]) => one === id)?.[1] ?? otherwise;

/** The sentence that a user reads. */
export const sentenceOf = ({ actionId, detailId }: Message): string =>
  `${textOf(Object.values(actions), actionId, 'unknown action')}:${textOf(Object.values(details), detailId, 'An unknown error occurred.')}`;
