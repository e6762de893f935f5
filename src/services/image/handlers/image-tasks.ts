// Tasks of an image: imports are the only ones that images have upstream, and there are none of them here.
import { ok } from '../../../kernel/http/reply.ts';
import { allow, imageOf } from './subject.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ImageCall } from '../call.ts';

/** GET /v2/images/{image_id}/tasks */
export async function list(call: ImageCall): Promise<Reply> {
  allow(call, 'get_image', await imageOf(call, () => ''));
  return ok({ tasks: [] });
}
