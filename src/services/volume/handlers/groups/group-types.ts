// The handlers of group types and of their specs. Upstream: cinder/api/v3/group_types.py and
// group_specs.py.
import { badRequest, notFound } from '../../../../kernel/errors.ts';
import { accepted, ok, reply } from '../../../../kernel/http/reply.ts';
import type { Reply } from '../../../../kernel/model.ts';
import { isTrue } from '../../../../kernel/oslo/booleans.ts';
import type { VolumeCall } from '../../call.ts';
import { noGroupType } from '../../domain/errors.ts';
import {
  changeGroupSpecs,
  changeGroupType,
  createGroupType,
  noGroupSpec,
  removeGroupSpec,
  removeGroupType,
  visibleGroupTypes,
} from '../../domain/groups/group-types.ts';
import type { GroupSpecs } from '../../model.ts';
import { authorize } from '../../policy.ts';
import { groupTypeView } from '../../views/groups.ts';
import { nextLink } from '../../views/links.ts';
import { bodyOf, checkPrintable } from '../requests/body.ts';
import { groupTypeOf } from '../requests/subjects.ts';
import { typePage } from '../requests/type-lists.ts';

/** GET /v3/group_types */
export async function list(call: VolumeCall): Promise<Reply> {
  const { page, limits } = await typePage(call, await visibleGroupTypes(call), noGroupType);
  return ok({
    group_types: page.map((type) => groupTypeView(call, type)),
    ...nextLink(call, 'group_types', 'group_type_links', page, limits),
  });
}

/** GET /v3/group_types/{group_type_id}. There is no default group type, as in DevStack. */
export async function show(call: VolumeCall): Promise<Reply> {
  if (call.params['group_type_id'] === 'default')
    throw notFound('Default group type can not be found.');
  return ok({ group_type: groupTypeView(call, await groupTypeOf(call)) });
}

interface GroupTypeBody {
  readonly name?: string | null;
  readonly description?: string | null;
  readonly is_public?: unknown;
  readonly group_specs?: GroupSpecs;
}

/** POST /v3/group_types */
export async function create(call: VolumeCall): Promise<Reply> {
  const fields = bodyOf<GroupTypeBody & { readonly name: string }>(call, 'group_type');
  checkPrintable(fields.name);
  authorize(call, 'group:group_types:create');
  const type = await createGroupType(call, {
    name: fields.name,
    description: fields.description ?? null,
    isPublic: isTrue(fields.is_public ?? true),
    specs: fields.group_specs ?? {},
  });
  return accepted({ group_type: groupTypeView(call, type) });
}

/** PUT /v3/group_types/{group_type_id} */
export async function update(call: VolumeCall): Promise<Reply> {
  authorize(call, 'group:group_types:update');
  const fields = bodyOf<GroupTypeBody>(call, 'group_type');
  const { name = null, description = null, is_public: isPublic = null } = fields;
  if (name && !name.trim()) throw badRequest('Group type name can not be empty.');
  if (name === null && description === null && isPublic === null)
    throw badRequest('Specify group type name, description or a combination thereof.');
  const type = await changeGroupType(call, {
    ...(await groupTypeOf(call)),
    ...(name === null ? {} : { name }),
    ...(description === null ? {} : { description }),
    ...(isPublic === null ? {} : { isPublic: isTrue(isPublic) }),
  });
  return ok({ group_type: groupTypeView(call, type) });
}

/** DELETE /v3/group_types/{group_type_id} */
export async function remove(call: VolumeCall): Promise<Reply> {
  authorize(call, 'group:group_types:delete');
  await removeGroupType(call, await groupTypeOf(call));
  return reply(202);
}

const specsRule = (name: string): string => `group:group_types_specs:${name}`;

/** GET /v3/group_types/{group_type_id}/group_specs */
export async function listSpecs(call: VolumeCall): Promise<Reply> {
  authorize(call, specsRule('get_all'));
  return ok({ group_specs: (await groupTypeOf(call)).specs });
}

/** GET /v3/group_types/{group_type_id}/group_specs/{key} */
export async function showSpec(call: VolumeCall): Promise<Reply> {
  authorize(call, specsRule('get'));
  const type = await groupTypeOf(call);
  const key = call.params['key']!;
  if (!Object.hasOwn(type.specs, key)) throw noGroupSpec(type, key);
  return ok({ [key]: type.specs[key] });
}

/** POST /v3/group_types/{group_type_id}/group_specs */
export async function createSpecs(call: VolumeCall): Promise<Reply> {
  authorize(call, specsRule('create'));
  await changeGroupSpecs(call, await groupTypeOf(call), bodyOf<GroupSpecs>(call, 'group_specs'));
  return accepted(call.body);
}

/** PUT /v3/group_types/{group_type_id}/group_specs/{key} */
export async function updateSpec(call: VolumeCall): Promise<Reply> {
  authorize(call, specsRule('update'));
  const type = await groupTypeOf(call);
  const specs = call.body as GroupSpecs;
  if (!Object.hasOwn(specs, call.params['key']!)) throw badRequest('Request body and URI mismatch');
  await changeGroupSpecs(call, type, specs);
  return ok(specs);
}

/** DELETE /v3/group_types/{group_type_id}/group_specs/{key} */
export async function removeSpec(call: VolumeCall): Promise<Reply> {
  authorize(call, specsRule('delete'));
  await removeGroupSpec(call, await groupTypeOf(call), call.params['key']!);
  return reply(202);
}
