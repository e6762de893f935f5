// Messages: list, show, delete.
import { noContent, ok } from '../../../kernel/http/reply.ts';
import { Query } from '../../../kernel/query.ts';
import { readQuery, type Kind } from '../domain/list-query.ts';
import { messageFor, sentenceOf, type Message } from '../domain/messages.ts';
import { deleteMessage, listMessages, messagePlace } from '../store/messages.ts';
import { linksOf, nextLink } from '../views/links.ts';
import { timeView } from '../views/times.ts';
import { allow, viewerOf } from './requests.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { VolumeCall } from '../call.ts';

const names = ['resource_uuid', 'resource_type', 'event_id', 'request_id', 'message_level'];
const columns = Object.fromEntries(['id', 'project_id', ...names].map((name) => [name, name]));

const kind: Kind = {
  columns,
  open: names,
  booleans: [],
  numbers: [],
  sortable: { ...columns, created_at: 'created_at' },
  empty: [],
};

const view = (call: VolumeCall, message: Message): object => ({
  id: message.id,
  event_id: message.eventId,
  user_message: sentenceOf(message),
  message_level: message.level,
  created_at: timeView(message.createdAt),
  guaranteed_until: timeView(message.expiresAt),
  request_id: message.requestId,
  links: linksOf(call, 'messages', message.id),
  resource_type: message.resourceType,
  resource_uuid: message.resourceUuid,
});

/** GET /v3/messages: in pages, and by what they are, from 3.5 on */
export async function list(call: VolumeCall): Promise<Reply> {
  const { at, db } = call;
  allow(call, 'message:get_all');
  const viewer = viewerOf(call);
  const query = at.has('3.5') ? call.query : new Query('');
  const { marker, ...listing } = readQuery(query, kind, {
    // Filters are open to all here.
    isAdmin: !at.has('3.31') || viewer.isAdmin,
    refusesUnknown: at.has('3.31'),
    findsParts: at.has('3.34'),
    strictBooleans: false,
    notYet: [],
    withCount: false,
  });
  const after = marker === undefined ? undefined : messagePlace(await messageFor(db, viewer, marker));
  const projectId = viewer.isAdmin ? undefined : (viewer.projectId ?? '');
  const found = await listMessages(db, { ...listing, projectId, after });
  return ok({ messages: found.map((message) => view(call, message)), ...nextLink(call, 'messages', 'messages_links', found) });
}

/** GET /v3/messages/{message_id} */
export async function show(call: VolumeCall): Promise<Reply> {
  const message = await messageFor(call.db, viewerOf(call), call.params['message_id']!);
  allow(call, 'message:get', message.projectId);
  return ok({ message: view(call, message) });
}

/** DELETE /v3/messages/{message_id} */
export async function remove(call: VolumeCall): Promise<Reply> {
  const message = await messageFor(call.db, viewerOf(call), call.params['message_id']!);
  allow(call, 'message:delete', message.projectId);
  await deleteMessage(call.db, message.id);
  return noContent();
}
