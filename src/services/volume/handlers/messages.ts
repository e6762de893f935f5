// The handlers of messages: list, show, delete. Upstream: cinder/api/v3/messages.py.
import { noContent, ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import { Query } from '../../../kernel/query.ts';
import type { VolumeCall } from '../call.ts';
import { listMessages, removeMessage } from '../domain/messages.ts';
import { pageLimitsOf } from '../domain/settings.ts';
import { authorize } from '../policy.ts';
import { nextLink } from '../views/links.ts';
import { messageView } from '../views/messages.ts';
import { plainList, readListQuery } from './requests/list-query.ts';
import { messageFields } from './requests/list-fields.ts';
import { messageOf } from './requests/subjects.ts';

/** GET /v3/messages. Versions before 3.5 ignore the query. */
export async function list(call: VolumeCall): Promise<Reply> {
  const { version, actor } = call;
  authorize(call, 'message:get_all');
  const hasFilters = version.has('3.31');
  // Before 3.31, all callers may use all filters.
  const options = {
    ...plainList,
    isAdmin: !hasFilters || actor.isAdmin,
    refusesUnknown: hasFilters,
    matchesSubstrings: version.has('3.34'),
  };
  const query = version.has('3.5') ? call.query : new Query('');
  const limits = await pageLimitsOf(call);
  const request = readListQuery(query, messageFields, options, limits);
  const messages = await listMessages(call, request);
  const link = nextLink(call, 'messages', 'messages_links', messages, limits);
  return ok({ messages: messages.map((message) => messageView(call, message)), ...link });
}

/** GET /v3/messages/{message_id} */
export async function show(call: VolumeCall): Promise<Reply> {
  const message = await messageOf(call);
  authorize(call, 'message:get', message.projectId);
  return ok({ message: messageView(call, message) });
}

/** DELETE /v3/messages/{message_id} */
export async function remove(call: VolumeCall): Promise<Reply> {
  const message = await messageOf(call);
  authorize(call, 'message:delete', message.projectId);
  await removeMessage(call, message);
  return noContent();
}
