// The schemas of images and members, which clients such as glanceclient read before they write.
import { ok } from '../../../kernel/http/reply.ts';
import { imageSchema, imagesSchema, memberSchema, membersSchema } from '../views/schemas.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ImageCall } from '../call.ts';

/** GET /v2/schemas/image */
export const showImage = (call: ImageCall): Reply => ok(imageSchema(call));

/** GET /v2/schemas/images */
export const showImages = (call: ImageCall): Reply => ok(imagesSchema(call));

/** GET /v2/schemas/member */
export const showMember = (call: ImageCall): Reply => ok(memberSchema(call));

/** GET /v2/schemas/members */
export const showMembers = (call: ImageCall): Reply => ok(membersSchema(call));
