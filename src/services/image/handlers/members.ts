// Members of an image: the projects that it is shared with, and whether they took it.
import { isDuplicate } from '../../../kernel/db/errors.ts';
import { noContent, ok } from '../../../kernel/http/reply.ts';
import { badRequest, conflict, forbidden, notFound, tooLarge } from '../../../kernel/fault.ts';
import { may } from '../../../kernel/http/steps.ts';
import type { Image, Member } from '../domain/records.ts';
import { notAuthorized } from '../faults.ts';
import { deleteMember, findMember, insertMember, listMembers, updateMember } from '../store/members.ts';
import { memberView } from '../views/members.ts';
import { imageOf } from './subject.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ImageCall } from '../call.ts';

const mostMembers = 128;

const imageFor = (call: ImageCall): Promise<Image> => imageOf(call, (id) => `Image ${id} not found.`);

/** A member's rules look at its own project, and at the one that has the image. */
const mayWith = (call: ImageCall, rule: string, image: Image): boolean =>
  may(call, rule, {
    project_id: image.owner,
    owner: image.owner,
    visibility: image.visibility,
    ...(call.caller?.projectId !== undefined && image.owner !== call.caller.projectId
      ? { member_id: call.caller.projectId }
      : {}),
  });

/** @throws 403 with the given words where the image is not shared, or the rule does not hold */
function allow(call: ImageCall, rule: string, image: Image, message: string): void {
  if (image.visibility !== 'shared' || !mayWith(call, rule, image)) throw forbidden(message);
}

/** @throws 404 */
async function memberOf(call: ImageCall, image: Image): Promise<Member> {
  const id = call.params['member_id']!;
  if (!mayWith(call, 'get_member', image))
    throw forbidden(`You are not authorized to lookup the members of the image ${image.id}.`);
  const member = await findMember(call.db, image.id, id);
  if (!member) throw notFound(`${id} not found in the member list of the image ${image.id}.`);
  return member;
}

/** GET /v2/images/{image_id}/members */
export async function list(call: ImageCall): Promise<Reply> {
  const image = await imageFor(call);
  const prefix = `Not allowed to list members for image ${image.id}: `;
  if (image.visibility !== 'shared') throw forbidden(`${prefix}Only shared images have members.`);
  allow(call, 'get_members', image, prefix + notAuthorized('get_members'));
  const members = await listMembers(call.db, image.id);
  // A member sees itself only.
  const all = call.caller?.projectId === image.owner || may(call, 'context_is_admin', {});
  const seen = all ? members : members.filter(({ member }) => member === call.caller?.projectId);
  return ok({ members: seen.map(memberView), schema: '/v2/schemas/members' });
}

/** GET /v2/images/{image_id}/members/{member_id} */
export async function show(call: ImageCall): Promise<Reply> {
  const image = await imageFor(call);
  if (image.visibility !== 'shared') throw notFound('Only shared images have members.');
  if (!mayWith(call, 'get_member', image))
    throw notFound(`You are not authorized to lookup the members of the image ${image.id}.`);
  const member = await memberOf(call, image);
  const own = call.caller?.projectId;
  if (member.member !== own && image.owner !== own && !may(call, 'context_is_admin', {}))
    throw notFound(`${member.member} not found in the member list of the image ${image.id}.`);
  return ok(memberView(member));
}

/** POST /v2/images/{image_id}/members */
export async function create(call: ImageCall): Promise<Reply> {
  const name = newMember(call.body);
  const image = await imageFor(call);
  allow(call, 'add_member', image, `Not allowed to create members for image ${image.id}.`);
  const count = (await listMembers(call.db, image.id)).length;
  if (count >= mostMembers) throw tooLarge(limitMessage(image.id, count + 1));
  const member = { imageId: image.id, member: name, status: 'pending', createdAt: call.now, updatedAt: call.now };
  try {
    await insertMember(call.db, member);
  } catch (error) {
    throw isDuplicate(error) ? conflict(`Member ${name} is duplicated for image ${image.id}`) : error;
  }
  return ok(memberView(member));
}

const limitMessage = (id: string, attempted: number): string =>
  `Image member limit exceeded for image ${id}: The limit has been exceeded on the number of allowed image members for this image. Attempted: ${attempted}, Maximum: ${mostMembers}:`;

/** PUT /v2/images/{image_id}/members/{member_id} */
export async function update(call: ImageCall): Promise<Reply> {
  const status = newStatus(call.body);
  const image = await imageFor(call);
  const refusal = `Not allowed to update members for image ${image.id}.`;
  if (image.visibility !== 'shared') throw forbidden(refusal);
  const member = await memberOf(call, image);
  if (!mayWith(call, 'modify_member', image)) throw forbidden(refusal);
  if (member.member !== call.caller?.projectId && !may(call, 'context_is_admin', {})) throw forbidden(refusal);
  if (!['pending', 'accepted', 'rejected'].includes(status as string))
    throw badRequest('Incorrect request: Status must be "pending", "accepted" or "rejected".');
  await updateMember(call.db, member, status as string, call.now);
  return ok(memberView({ ...member, status: status as string, updatedAt: call.now }));
}

/** DELETE /v2/images/{image_id}/members/{member_id} */
export async function remove(call: ImageCall): Promise<Reply> {
  const image = await imageFor(call);
  const refusal = `Not allowed to delete members for image ${image.id}.`;
  if (image.visibility !== 'shared') throw forbidden(refusal);
  const member = await memberOf(call, image);
  allow(call, 'delete_member', image, refusal);
  await deleteMember(call.db, member);
  return noContent();
}

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

function newStatus(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw badRequest('Expected a status in the form: {"status": "status"}');
  const { status } = body as { status?: unknown };
  if (status === undefined) throw badRequest('Status not specified');
  return status;
}
