// Messages in replies.
import type { VolumeCall } from '../call.ts';
import { userMessage } from '../domain/messages.ts';
import type { Message } from '../model.ts';
import { linksOf } from './links.ts';
import { timeView } from './times.ts';

export const messageView = (call: VolumeCall, message: Message): object => ({
  id: message.id,
  event_id: message.eventId,
  user_message: userMessage(message),
  message_level: message.level,
  created_at: timeView(message.createdAt),
  guaranteed_until: timeView(message.expiresAt),
  request_id: message.requestId,
  links: linksOf(call, 'messages', message.id),
  resource_type: message.resourceType,
  resource_uuid: message.resourceUuid,
});
