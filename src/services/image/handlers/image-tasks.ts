// Tasks of an image: imports are the only ones that images have upstream, and there are none of them here.
import { ok, type Reply } from '../../../kernel/http/reply.ts';
import type { ImageCall } from '../index.ts';
import { allow, imageOf } from './subject.ts';

/** GET /v2/images/{image_id}/tasks */
export async function list(call: ImageCall): Promise<Reply> {
  allow(call, 'get_image', await imageOf(call, () => ''));
  return ok({ tasks: [] });
}
