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

/** Upstream: image_member_quota in glance/common/config.py. */
const maxMembers = 128;

/** Whether the member is the actor's own project; an administrator may act for every project. */
export const isOwnMember = ({ actor }: Context, { member }: Member): boolean =>
  actor.isAdmin || member === actor.projectId;

/**
 * The members of an image that the actor sees: all of them for its owner, and a member sees itself
 * only.
 */
export async function visibleMembers(context: Context, image: Image): Promise<readonly Member[]> {
  const members = await selectMembers(context.db, image.id);
  return context.actor.projectId === image.owner
    ? members
    : members.filter((member) => isOwnMember(context, member));
}

/** The member of an image with the id of a project. @throws 404 */
export async function memberFor({ db }: Context, image: Image, projectId: string): Promise<Member> {
  const member = await findMember(db, image.id, projectId);
  if (!member) throw noMember(image, projectId);
  return member;
}

/** @returns the fault for a member that an image does not have, or that the actor does not see */
export const noMember = (image: Image, projectId: string): Error =>
  notFound(`${projectId} not found in the member list of the image ${image.id}.`);

/** Shares an image with a project, which may accept it. @throws 409, 413 */
export async function createMember(
  { db, now }: Context,
  image: Image,
  projectId: string,
): Promise<Member> {
  const attempted = (await selectMembers(db, image.id)).length + 1;
  if (attempted > maxMembers)
    throw tooLarge(
      `Image member limit exceeded for image ${image.id}: The limit has been exceeded on the number of allowed image members for this image. Attempted: ${attempted}, Maximum: ${maxMembers}:`,
    );
  await bumpImageRevision(db, image); // its visibility, and how many members it has
  const member = {
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
  return member;
}

/** Sets whether a member accepts the image. @throws 400 for a status that there is not */
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

/** Shares the image no longer with the member. */
export const removeMember = ({ db }: Context, member: Member): Promise<void> =>
  deleteMember(db, member);
