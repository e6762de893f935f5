// Tags of an image, one at a time.
import { noContent } from '../../../kernel/http/reply.ts';
import { notFound } from '../../../kernel/fault.ts';
import { uniqueTags } from '../domain/changes.ts';
import { checkImage } from '../domain/images.ts';
import { schemaFault } from '../faults.ts';
import { updateImage } from '../store/images.ts';
import { allow, imageOf } from './subject.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ImageCall } from '../call.ts';

const missing = (id: string): string => `Image ${id} not found.`;

/** PUT /v2/images/{image_id}/tags/{tag_value} */
export async function create(call: ImageCall): Promise<Reply> {
  const tag = call.params['tag_value']!;
  const failure = await call.service.contract.operation('POST', '/v2/images', call.at).checkBody({ tags: [tag] });
  if (failure) throw schemaFault(failure);
  const image = await imageOf(call, missing);
  allow(call, 'modify_image', image);
  await updateImage(call.db, image, checkImage({ ...image, tags: uniqueTags([...image.tags, tag]) }), call.now);
  return noContent();
}

/** DELETE /v2/images/{image_id}/tags/{tag_value} */
export async function remove(call: ImageCall): Promise<Reply> {
  const image = await imageOf(call, missing);
  allow(call, 'modify_image', image);
  const tags = image.tags.filter((tag) => tag !== call.params['tag_value']);
  if (tags.length === image.tags.length) throw notFound('');
  await updateImage(call.db, image, { ...image, tags }, call.now);
  return noContent();
}
