// The rules of messages, and the texts of the actions and details in them. Upstream:
// cinder/message/message_field.py.
import { SECOND } from '../../../kernel/clock.ts';
import { notFound } from '../../../kernel/errors.ts';
import { newUuid } from '../../../kernel/ids.ts';
import type { Context } from '../../../kernel/model.ts';
import type { ListRequest } from '../store/lists.ts';
import {
  deleteMessage,
  findMessage,
  insertMessage,
  messageRow,
  selectMessages,
} from '../store/messages.ts';
import { listingFor } from './lists.ts';
import type { Message } from '../model.ts';
import { isVisible } from './visibility.ts';

/** The action and the detail that are used here, of all that upstream has. */
const actions = {
  schedule: ['001', 'schedule allocate volume'],
  extend: ['007', 'extend volume'],
} as const;
const details = { noBackend: ['003', 'Could not find any available weighted backend.'] } as const;

/** Upstream: message_ttl in cinder/message/api.py. */
const lifetime = 30 * 24 * 3600 * SECOND;

/** The message that the actor sees. @throws 404, also for a message of another project */
export async function messageFor(context: Context, id: string): Promise<Message> {
  const message = await findMessage(context.db, id);
  if (!message || !isVisible(context, message)) throw notFound(`Message ${id} could not be found.`);
  return message;
}

/**
 * The messages that a list request asks for: of the actor's project, and of all projects for an
 * administrator.
 * @throws 404 for the marker
 */
export async function listMessages(context: Context, request: ListRequest): Promise<Message[]> {
  const ofAll = { ...request, allTenants: context.actor.isAdmin };
  const listing = await listingFor(context, ofAll, async (marker) =>
    messageRow(await messageFor(context, marker)),
  );
  return selectMessages(context.db, listing);
}

/** What failed for a volume, and the request that asked for it. */
interface NoBackend {
  readonly action: keyof typeof actions;
  readonly projectId: string;
  readonly volumeId: string;
  readonly requestId: string;
}

/** Creates the message that the scheduler found no backend for a volume. */
export async function createNoBackendMessage(
  { db, now }: Context,
  { action, projectId, volumeId, requestId }: NoBackend,
): Promise<void> {
  const [actionId] = actions[action];
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

/** Deletes a message. */
export const removeMessage = ({ db }: Context, { id }: Message): Promise<void> =>
  deleteMessage(db, id);

const textOf = (
  texts: readonly (readonly [string, string])[],
  id: string,
  otherwise: string,
): string => texts.find(([one]) => one === id)?.[1] ?? otherwise;

/** The text of a message. */
export const userMessage = ({ actionId, detailId }: Message): string =>
  `${textOf(Object.values(actions), actionId, 'unknown action')}:${textOf(Object.values(details), detailId, 'An unknown error occurred.')}`;
