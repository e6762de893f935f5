// The image that a path is about, and what policy says of it.
import { forbidden, notFound } from '../../../kernel/fault.ts';
import { may } from '../../../kernel/http/steps.ts';
import { visibleImage } from '../domain/images.ts';
import type { Image, Viewer } from '../domain/records.ts';
import { notAuthorized } from '../faults.ts';
import type { ImageCall } from '../call.ts';

export const viewerOf = (call: ImageCall): Viewer => ({
  projectId: call.caller?.projectId,
  isAdmin: may(call, 'context_is_admin', {}),
});

/** @throws 404, also for an image that the caller may not know of */
export async function imageOf(call: ImageCall, word = (id: string) => `No image found with ID ${id}`): Promise<Image> {
  const id = call.params['image_id']!;
  const image = await visibleImage(call.db, viewerOf(call), id);
  if (!image) throw notFound(word(id));
  return image;
}

type Proposed = Pick<Image, 'owner' | 'visibility'>;

/** What rules look at. Who sees a shared image that is somebody else's is its member. */
const targetOf = (call: ImageCall, { owner, visibility }: Proposed): Record<string, unknown> => ({
  project_id: owner,
  owner,
  visibility,
  ...(visibility === 'shared' && call.caller?.projectId !== undefined && owner !== call.caller.projectId
    ? { member_id: call.caller.projectId }
    : {}),
});

export const mayWith = (call: ImageCall, rule: string, image: Proposed): boolean => may(call, rule, targetOf(call, image));

/** @throws 403; 404 where the caller may not even look at the image */
export function allow(call: ImageCall, rule: string, image: Proposed): void {
  if (mayWith(call, rule, image)) return;
  if (rule === 'get_image' || !mayWith(call, 'get_image', image)) throw notFound('');
  throw forbidden(notAuthorized(rule));
}

/** Making an image public, or open to all who know of it, has rules of its own. @throws 403 */
export function allowVisibility(call: ImageCall, image: Proposed, visibility: unknown): void {
  const rule = visibility === 'public' ? 'publicize_image' : visibility === 'community' ? 'communitize_image' : undefined;
  if (rule && !mayWith(call, rule, image)) throw forbidden(notAuthorized(rule));
}
