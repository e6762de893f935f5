// The actions of an image: deactivate and reactivate.
import { noContent } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ImageCall } from '../call.ts';
import { setActive } from '../domain/images.ts';
import { authorize } from '../policy.ts';
import { imageOf } from './subject.ts';

/** POST /v2/images/{image_id}/actions/deactivate */
export const deactivate = (call: ImageCall): Promise<Reply> => act(call, 'deactivate');

/** POST /v2/images/{image_id}/actions/reactivate */
export const reactivate = (call: ImageCall): Promise<Reply> => act(call, 'reactivate');

async function act(call: ImageCall, verb: 'deactivate' | 'reactivate'): Promise<Reply> {
  const image = await imageOf(call);
  authorize(call, verb, image);
  await setActive(call, image, verb);
  return noContent();
}
