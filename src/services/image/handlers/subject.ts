// Finds the image that a path names.
import { notFound } from '../../../kernel/errors.ts';
import type { ImageCall } from '../call.ts';
import { visibleImage } from '../domain/images.ts';
import type { Image } from '../model.ts';

/**
 * @throws 404, also for an image that the caller does not see; the operation words its `message`
 */
export async function imageOf(
  call: ImageCall,
  message = (id: string) => `No image found with ID ${id}`,
): Promise<Image> {
  const id = call.params['image_id']!;
  const image = await visibleImage(call, id);
  if (!image) throw notFound(message(id));
  return image;
}
