// Members of an image: list, show, create, update, delete. Upstream:
// glance/api/v2/image_members.py.
import { badRequest, forbidden, notFound } from '../../../kernel/errors.ts';
import { noContent, ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ImageCall } from '../call.ts';
import {
  changeMember,
  createMember,
  isOwnMember,
  memberFor,
  noMember,
  removeMember,
  visibleMembers,
} from '../domain/members.ts';
import type { Image, Member } from '../model.ts';
import { notAuthorized } from '../errors.ts';
import { may } from '../policy.ts';
import { memberView } from '../views/members.ts';
import { imageOf } from './subject.ts';

const imageFor = (call: ImageCall): Promise<Image> =>
  imageOf(call, (id) => `Image ${id} not found.`);

/**
 * @throws 403 with that message if the image is not shared, or the rule denies it; 404 if the
 *   caller may not even see the image
 */
function authorize(call: ImageCall, rule: string, image: Image, message: string): void {
  if (image.visibility !== 'shared') throw forbidden(message);
  if (!may(call, 'get_image', image)) throw notFound('');
  if (!may(call, rule, image)) throw forbidden(message);
}

/** Finds the member that the path names. @throws 403, 404 */
async function memberOf(call: ImageCall, image: Image): Promise<Member> {
  authorize(call, 'get_member', image, notAllowedToLookUp(image));
  return memberFor(call, image, call.params['member_id']!);
}

const notAllowedToLookUp = ({ id }: Image): string =>
  `You are not authorized to lookup the members of the image ${id}.`;

/** GET /v2/images/{image_id}/members */
export async function list(call: ImageCall): Promise<Reply> {
  const image = await imageFor(call);
  const prefix = `Not allowed to list members for image ${image.id}: `;
  if (image.visibility !== 'shared') throw forbidden(`${prefix}Only shared images have members.`);
  authorize(call, 'get_members', image, prefix + notAuthorized('get_members'));
  const members = await visibleMembers(call, image);
  return ok({ members: members.map(memberView), schema: '/v2/schemas/members' });
}

/** GET /v2/images/{image_id}/members/{member_id} */
export async function show(call: ImageCall): Promise<Reply> {
  const image = await imageFor(call);
  if (image.visibility !== 'shared') throw notFound('Only shared images have members.');
  if (!may(call, 'get_member', image)) throw notFound(notAllowedToLookUp(image));
  const member = await memberOf(call, image);
  if (image.owner !== call.actor.projectId && !isOwnMember(call, member))
    throw noMember(image, member.member);
  return ok(memberView(member));
}

/** POST /v2/images/{image_id}/members */
export async function create(call: ImageCall): Promise<Reply> {
  const projectId = newMember(call.body);
  const image = await imageFor(call);
  authorize(call, 'add_member', image, `Not allowed to create members for image ${image.id}.`);
  return ok(memberView(await createMember(call, image, projectId)));
}

/** PUT /v2/images/{image_id}/members/{member_id} */
export async function update(call: ImageCall): Promise<Reply> {
  const status = newStatus(call.body);
  const image = await imageFor(call);
  const refusal = `Not allowed to update members for image ${image.id}.`;
  if (image.visibility !== 'shared') throw forbidden(refusal);
  const member = await memberOf(call, image);
  authorize(call, 'modify_member', image, refusal);
  if (!isOwnMember(call, member)) throw forbidden(refusal);
  return ok(memberView(await changeMember(call, member, status)));
}

/** DELETE /v2/images/{image_id}/members/{member_id} */
export async function remove(call: ImageCall): Promise<Reply> {
  const image = await imageFor(call);
  const refusal = `Not allowed to delete members for image ${image.id}.`;
  if (image.visibility !== 'shared') throw forbidden(refusal);
  const member = await memberOf(call, image);
  authorize(call, 'delete_member', image, refusal);
  await removeMember(call, member);
  return noContent();
}

/** Reads the project's id from a body. @throws 400 */
function newMember(body: unknown): string {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw badRequest('Expected a member in the form: {"member": "image_id"}');
  const { member } = body as { member?: unknown };
  if (member === undefined) throw badRequest('Member to be added not specified');
  if (!member) throw badRequest("Member can't be empty");
  if (typeof member !== 'string' || member.length > 255)
    throw badRequest('Expected a member in the form: {"member": "image_id"}');
  return member;
}

/** Reads the status from a body. @throws 400 if it is missing */
function newStatus(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw badRequest('Expected a status in the form: {"status": "status"}');
  const { status } = body as { status?: unknown };
  if (status === undefined) throw badRequest('Status not specified');
  return status;
}
