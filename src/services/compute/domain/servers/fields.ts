// Updates the fields, the metadata and the tags of a server, for which no action is recorded.
import { badRequest, conflict } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import { updateServer } from '../../store/servers/servers.ts';
import type { Server, ServerChanges } from '../../model.ts';
import { requireState, wrongState } from './checks.ts';
import { changeServer } from './change.ts';
import { notifyTags } from './notifications.ts';
import { checkMetadata } from './quotas.ts';
import { limitsOf } from '../quotas.ts';

const changeable: readonly string[] = ['active', 'paused', 'suspended', 'stopped'];

/** Updates fields of a server. @throws 409 if it would be pinned to a zone other than its own */
export async function updateFields(
  context: Context,
  server: Server,
  changes: ServerChanges,
): Promise<Server> {
  if (changes.pinnedZone) checkPinned(server, changes.pinnedZone);
  return changeServer(context, server, changes);
}

function checkPinned({ pinnedZone, zone }: Server, requested: string): void {
  if (pinnedZone !== null && requested !== pinnedZone) {
    throw conflict(
      'Cannot change pinned availability zone directly. ' +
        'Unpin first by setting pinned_availability_zone to null.',
    );
  }
  if (pinnedZone === null && requested !== zone) {
    throw conflict(
      `Server can only be pinned to its current availability zone '${zone}', ` +
        `but '${requested}' was requested.`,
    );
  }
}

/**
 * Replaces the metadata of a server.
 * @throws 403 if the quota is exceeded, 409 if the state of the server does not allow the action
 */
export async function replaceMetadata(
  context: Context,
  server: Server,
  metadata: Server['metadata'],
  action: string,
): Promise<Server> {
  requireState(context, server, { action, vmStates: changeable });
  checkMetadata(await limitsOf(context.db, server.projectId), metadata);
  return changeServer(context, server, { metadata });
}

/**
 * The maximum number of tags of a server, and the maximum length of a tag. Upstream:
 * objects/instance.py MAX_TAG_COUNT, objects/fields.py.
 */
const maxTags = 50;
const maxTagLength = 60;

/** @throws 409 if the state of the server does not allow changes of its tags */
export function checkTaggable(server: Server, action: string): void {
  if (!changeable.includes(server.vmState))
    throw wrongState(server, action, 'vm_state', server.vmState);
}

/** Replaces the tags of a server. */
export async function replaceTags(
  context: Context,
  server: Server,
  tags: readonly string[],
): Promise<Server> {
  const { db, now } = context;
  const changed = await updateServer(db, server, { tags: [...new Set(tags)].sort() }, now);
  await notifyTags(context, changed);
  return changed;
}

/**
 * Adds a tag to a server.
 * @returns false if the server already has the tag
 * @throws 400 for an invalid tag, or too many tags
 */
export async function addTag(context: Context, server: Server, tag: string): Promise<boolean> {
  const reason = /[,/]/.test(tag)
    ? `'${tag}' does not match '^[^,/]*$'`
    : tag.length > maxTagLength
      ? `'${tag}' is too long`
      : undefined;
  if (reason !== undefined) {
    throw badRequest(
      `Tag '${tag}' is invalid. It must be a non empty string without characters '/' and ','. ` +
        `Validation error message: ${reason}`,
    );
  }
  if (server.tags.length >= maxTags)
    throw badRequest(`The number of tags exceeded the per-server limit ${maxTags}`);
  if (server.tags.includes(tag)) return false;
  await replaceTags(context, server, [...server.tags, tag]);
  return true;
}
