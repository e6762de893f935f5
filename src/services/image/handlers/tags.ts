// Tags of an image, one at a time.
import { noContent } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ImageCall } from '../call.ts';
import { addTag, removeTag } from '../domain/images.ts';
import { authorize } from '../policy.ts';
import { checkSchema } from './schema-check.ts';
import { imageOf } from './subject.ts';

const missing = (id: string): string => `Image ${id} not found.`;

/** PUT /v2/images/{image_id}/tags/{tag_value} */
export async function create(call: ImageCall): Promise<Reply> {
  const tag = call.params['tag_value']!;
  await checkSchema(call, { tags: [tag] });
  const image = await imageOf(call, missing);
  authorize(call, 'modify_image', image);
  await addTag(call, image, tag);
  return noContent();
}

/** DELETE /v2/images/{image_id}/tags/{tag_value} */
export async function remove(call: ImageCall): Promise<Reply> {
  const image = await imageOf(call, missing);
  authorize(call, 'modify_image', image);
  await removeTag(call, image, call.params['tag_value']!);
  return noContent();
}
