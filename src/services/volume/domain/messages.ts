// The rules of messages, and the texts of their actions and details. Upstream:
// cinder/message/message_field.py.
import { SECOND } from '../../../kernel/clock.ts';
import { notFound } from '../../../kernel/errors.ts';
import { newUuid } from '../../../kernel/ids.ts';
import type { Context } from '../../../kernel/model.ts';
import type { ListRequest } from '../store/lists.ts';
import { deleteMessage, findMessage, insertMessage, selectMessages } from '../store/messages.ts';
import { pageFor } from './lists.ts';
import type { Message } from '../model.ts';
import { isVisible } from './visibility.ts';

/** The actions and details that occur here. Upstream has more. */
const actions = {
  schedule: ['001', 'schedule allocate volume'],
  copyToImage: ['003', 'copy volume to image'],
  extend: ['007', 'extend volume'],
  createBackup: ['013', 'create backup'],
  reimage: ['016', 'reimage volume'],
} as const;
const details = {
  noBackend: ['003', 'Could not find any available weighted backend.'],
  uploadFailed: ['004', 'Failed to upload volume to image at backend.'],
  computeExtend: ['009', 'Compute service failed to extend volume.'],
  noBackupService: ['024', 'Backup failed to schedule. Service not found for creating backup.'],
  computeReimage: ['028', 'Compute service failed to reimage volume.'],
} as const;

/** What a message says. */
export interface MessageText {
  readonly action: keyof typeof actions;
  readonly detail: keyof typeof details;
}

/** Upstream: message_ttl in cinder/message/api.py. */
const lifetime = 30 * 24 * 3600 * SECOND;

/** Returns a message that the actor may see. @throws 404, also for a message of another project */
export async function messageFor(context: Context, id: string): Promise<Message> {
  const message = await findMessage(context.db, id);
  if (!message || !isVisible(context, message)) throw notFound(`Message ${id} could not be found.`);
  return message;
}

/**
 * Lists the messages on the page that a client requests: those of its project, or of all projects
 * for an administrator.
 * @throws 404 for an unknown marker
 */
export async function listMessages(
  context: Context,
  listRequest: ListRequest<Message>,
): Promise<Message[]> {
  const request = { ...listRequest, allTenants: context.actor.isAdmin };
  const findMarker = (marker: string): Promise<Message> => messageFor(context, marker);
  return selectMessages(context.db, await pageFor(context, request, findMarker));
}

/** A message about a volume or a backup, and the request that started the action. */
interface NewMessage extends MessageText {
  readonly projectId: string;
  readonly resourceType?: 'VOLUME' | 'VOLUME_BACKUP';
  readonly resourceId: string;
  readonly requestId: string;
}

/** Creates a message saying why an action on a volume or a backup failed. */
export async function createMessage(
  { db, now }: Context,
  { action, detail, projectId, resourceType = 'VOLUME', resourceId, requestId }: NewMessage,
): Promise<void> {
  const [actionId] = actions[action];
  const [detailId] = details[detail];
  const message: Message = {
    id: newUuid(),
    projectId,
    requestId,
    resourceType,
    resourceUuid: resourceId,
    actionId,
    detailId,
    eventId: `VOLUME_${resourceType}_${actionId}_${detailId}`,
    level: 'ERROR',
    createdAt: now,
    expiresAt: now + lifetime,
  };
  await insertMessage(db, message, now);
}

export const removeMessage = ({ db }: Context, { id }: Message): Promise<void> =>
  deleteMessage(db, id);

const textOf = (
  texts: readonly (readonly [string, string])[],
  id: string,
  otherwise: string,
): string => texts.find(([one]) => one === id)?.[1] ?? otherwise;

/** Returns the text of a message. */
export function userMessage({ actionId, detailId }: Message): string {
  const action = textOf(Object.values(actions), actionId, 'unknown action');
  return `${action}:${textOf(Object.values(details), detailId, 'An unknown error occurred.')}`;
}
