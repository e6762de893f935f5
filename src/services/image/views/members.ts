// Renders the members of an image.
import { isoSeconds } from '../../../kernel/clock.ts';
import type { Member } from '../model.ts';

export const memberView = (member: Member): object => ({
  member_id: member.member,
  image_id: member.imageId,
  status: member.status,
  created_at: isoSeconds(member.createdAt),
  updated_at: isoSeconds(member.updatedAt),
  schema: '/v2/schemas/member',
});
