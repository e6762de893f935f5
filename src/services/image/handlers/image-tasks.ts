// The tasks of an image.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ImageCall } from '../call.ts';
import { tasksOfImage } from '../domain/tasks.ts';
import { authorize } from '../policy.ts';
import { imageTaskView } from '../views/tasks.ts';
import { imageOf } from './subject.ts';

/** GET /v2/images/{image_id}/tasks */
export async function list(call: ImageCall): Promise<Reply> {
  const image = await imageOf(call, () => '');
  authorize(call, 'get_image', image);
  return ok({ tasks: (await tasksOfImage(call, image)).map(imageTaskView) });
}
