// Tasks of an image. Upstream, these are import tasks. Since import is absent here, the list is
// always empty.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ImageCall } from '../call.ts';
import { authorize } from '../policy.ts';
import { imageOf } from './subject.ts';

/** GET /v2/images/{image_id}/tasks */
export async function list(call: ImageCall): Promise<Reply> {
  authorize(call, 'get_image', await imageOf(call, () => ''));
  return ok({ tasks: [] });
}
