// The images of pods that belong to the images of a central region.
import { cancel, schedule } from '../../../kernel/jobs/queue.ts';
import type { Context } from '../../../kernel/model.ts';
import type { Image } from '../model.ts';

/** The gateway's job, which follows the current state of an image. */
const kind = 'gateway.follow_image';

/**
 * Lets pods follow a change of an image of a central region, in the transaction of the change. Pods
 * have copies of images that servers and volumes use, and the images that these have made.
 */
export async function followInPods(
  { region, db, now }: Context,
  { id }: Pick<Image, 'id'>,
): Promise<void> {
  if (!region.isCentral) return;
  await cancel(db, kind, id);
  await schedule(db, { dueAt: now, kind, subject: id, payload: {} });
}
