// Taking an image out of use, and putting it back.
import { noContent } from '../../../kernel/http/reply.ts';
import { switchImage } from '../domain/images.ts';
import { allow, imageOf } from './subject.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ImageCall } from '../call.ts';

/** POST /v2/images/{image_id}/actions/deactivate */
export const deactivate = (call: ImageCall): Promise<Reply> => act(call, 'deactivate');

/** POST /v2/images/{image_id}/actions/reactivate */
export const reactivate = (call: ImageCall): Promise<Reply> => act(call, 'reactivate');

async function act(call: ImageCall, verb: 'deactivate' | 'reactivate'): Promise<Reply> {
  const image = await imageOf(call);
  allow(call, verb, image);
  await switchImage(call.db, image, verb, call.now);
  return noContent();
}
