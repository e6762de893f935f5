// The rules of members: the projects that an image is shared with. Upstream:
// glance/api/v2/image_members.py.
import { isDuplicate } from '../../../kernel/db/errors.ts';
import { badRequest, conflict, notFound, tooLarge } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import { bumpImageRevision } from '../store/images.ts';
import {
  deleteMember,
  findMember,
  insertMember,
  selectMembers,
  updateMember,
} from '../store/members.ts';
import type { Image, Member } from '../model.ts';
import { followInPods } from './pods.ts';
import { isOver, loadSettings } from './settings.ts';

/** Whether the member is the actor's project. An administrator may act for any project. */
export const isOwnMember = ({ actor }: Context, { member }: Member): boolean =>
  actor.isAdmin || member === actor.projectId;

/**
 * Lists the members of an image that the actor sees. The owner sees all; a member sees itself only.
 */
export async function visibleMembers(context: Context, image: Image): Promise<readonly Member[]> {
  const members = await selectMembers(context.db, image.id);
  return context.actor.projectId === image.owner
    ? members
    : members.filter((member) => isOwnMember(context, member));
}

/** Lists the projects that an image is shared with, oldest first. */
export const listMembers = ({ db }: Context, { id }: Image): Promise<readonly Member[]> =>
  selectMembers(db, id);

/** Finds the member of an image with a project's id. @throws 404 */
export async function memberFor({ db }: Context, image: Image, projectId: string): Promise<Member> {
  const member = await findMember(db, image.id, projectId);
  if (!member) throw noMember(image, projectId);
  return member;
}

/** @returns the error for an unknown member, or for one that the actor does not see */
export const noMember = (image: Image, projectId: string): Error =>
  notFound(`${projectId} not found in the member list of the image ${image.id}.`);

/** Shares an image with a project, which may accept it. @throws 409, 413 */
export async function createMember(
  context: Context,
  image: Image,
  projectId: string,
): Promise<Member> {
  const { db, now } = context;
  const { imageMemberQuota: maximum } = await loadSettings({ db });
  const attempted = (await selectMembers(db, image.id)).length + 1;
  if (isOver(attempted, maximum))
    throw tooLarge(
      `Image member limit exceeded for image ${image.id}: The limit has been exceeded on ` +
        `the number of allowed image members for this image. Attempted: ${attempted}, ` +
        `Maximum: ${maximum}:`,
    );
  await bumpImageRevision(db, image); // protects its visibility and the number of its members
  const member: Member = {
    imageId: image.id,
    member: projectId,
    status: 'pending',
    createdAt: now,
    updatedAt: now,
  };
  try {
    await insertMember(db, member);
  } catch (error) {
    throw isDuplicate(error)
      ? conflict(`Member ${projectId} is duplicated for image ${image.id}`)
      : error;
  }
  await followInPods(context, image);
  return member;
}

/** Sets whether a member accepts the image. @throws 400 for an unknown status */
export async function changeMember(
  { db, now }: Context,
  member: Member,
  status: unknown,
): Promise<Member> {
  if (status !== 'pending' && status !== 'accepted' && status !== 'rejected')
    throw badRequest('Incorrect request: Status must be "pending", "accepted" or "rejected".');
  await updateMember(db, member, status, now);
  return { ...member, status, updatedAt: now };
}

/** Stops sharing the image with the member. */
export async function removeMember(context: Context, member: Member): Promise<void> {
  await deleteMember(context.db, member);
  await followInPods(context, { id: member.imageId });
}
