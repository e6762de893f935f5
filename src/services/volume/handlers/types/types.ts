// The handlers of volume types: list, show, create, update, delete, and access to private types.
// Upstream: cinder/api/v3/types.py.
import { badRequest, notFound } from '../../../../kernel/errors.ts';
import { ok, reply } from '../../../../kernel/http/reply.ts';
import type { Actions, Reply } from '../../../../kernel/model.ts';
import { isTrue } from '../../../../kernel/oslo/booleans.ts';
import type { VolumeCall } from '../../call.ts';
import { noType } from '../../domain/errors.ts';
import type { Metadata, VolumeType } from '../../model.ts';
import {
  addAccess,
  changeType,
  createType,
  defaultType,
  removeAccess,
  removeType,
  visibleTypes,
} from '../../domain/types/types.ts';
import { authorize } from '../../policy.ts';
import type { VolumeVersion } from '../../versions.ts';
import { nextLink } from '../../views/links.ts';
import { typeAccess, typeView, typeWritten } from '../../views/types.ts';
import { actionFields } from '../requests/actions.ts';
import { dictionaryOf } from '../requests/list-query.ts';
import { bodyOf, checkPrintable, readSpecs, type SpecsBody } from '../requests/body.ts';
import { typeOf } from '../requests/subjects.ts';
import { typePage } from '../requests/type-lists.ts';

/** GET /v3/types */
export async function list(call: VolumeCall): Promise<Reply> {
  authorize(call, 'volume_extension:type_get_all');
  const visible = await visibleTypes(call);
  const types = visible.filter((type) => hasSpecs(call, type));
  const { page, limits } = await typePage(call, types, noType);
  return ok({
    volume_types: page.map((type) => typeView(call, type)),
    ...nextLink(call, 'types', 'volume_type_links', page, limits),
  });
}

/** Returns whether a type has the extra specs in the query, among those that the caller may see. */
function hasSpecs(call: VolumeCall, type: VolumeType): boolean {
  const text = call.version.has('3.52') ? call.query.last('extra_specs') : undefined;
  if (text === undefined) return true;
  const visible = (typeView(call, type) as { extra_specs?: Metadata }).extra_specs ?? {};
  return Object.entries(dictionaryOf(text)).every(([name, value]) => visible[name] === value);
}

/** GET /v3/types/{type_id}. The id `default` selects the default type of the project. */
export async function show(call: VolumeCall): Promise<Reply> {
  const type = call.params['type_id'] === 'default' ? await defaultType(call) : await typeOf(call);
  authorize(call, 'volume_extension:type_get');
  return ok({ volume_type: typeView(call, type) });
}

interface NewTypeBody {
  readonly name: string;
  readonly description?: string | null;
  readonly extra_specs?: SpecsBody;
  readonly 'os-volume-type-access:is_public'?: unknown;
}

/** POST /v3/types */
export async function create(call: VolumeCall): Promise<Reply> {
  authorize(call, 'volume_extension:type_create');
  const fields = bodyOf<NewTypeBody>(call, 'volume_type');
  const name = fields.name.trim();
  checkPrintable(name);
  const type = await createType(call, {
    name,
    description: fields.description ?? null,
    isPublic: isTrue(fields['os-volume-type-access:is_public'] ?? true),
    extraSpecs: readSpecs(fields.extra_specs ?? {}),
  });
  return ok({ volume_type: { ...typeWritten(type), ...typeAccess(call, type) } });
}

interface TypeBody {
  readonly name?: string | null;
  readonly description?: string | null;
  readonly is_public?: unknown;
}

/** PUT /v3/types/{type_id} */
export async function update(call: VolumeCall): Promise<Reply> {
  authorize(call, 'volume_extension:type_update');
  const {
    name = null,
    description = null,
    is_public: isPublic = null,
  } = bodyOf<TypeBody>(call, 'volume_type');
  if (typeof name === 'string' && !name.trim())
    throw badRequest('Volume type name can not be empty.');
  if (name === null && description === null && isPublic === null)
    throw badRequest('Specify volume type name, description, is_public or a combination thereof.');
  const before = await typeOf(call);
  const after: VolumeType = {
    ...before,
    ...(name === null ? {} : { name: name.trim() }),
    ...(description === null ? {} : { description }),
    ...(isPublic === null ? {} : { isPublic: isTrue(isPublic) }),
  };
  return ok({ volume_type: typeWritten(await changeType(call, after)) });
}

/** DELETE /v3/types/{type_id} */
export async function remove(call: VolumeCall): Promise<Reply> {
  authorize(call, 'volume_extension:type_delete');
  await removeType(call, await typeOf(call));
  return reply(202);
}

/** GET /v3/types/{type_id}/os-volume-type-access */
export async function listAccess(call: VolumeCall): Promise<Reply> {
  authorize(call, 'volume_extension:volume_type_access:get_all_for_type');
  const type = await typeOf(call);
  if (type.isPublic) throw notFound('Access list not available for public volume types.');
  return ok({
    volume_type_access: type.projects.map((projectId) => ({
      volume_type_id: type.id,
      project_id: projectId,
    })),
  });
}

const accessAction = (name: string, change: typeof addAccess) => async (call: VolumeCall) => {
  authorize(call, `volume_extension:volume_type_access:${name}`);
  await change(call, await typeOf(call), actionFields(call)['project'] as string);
  return reply(202);
};

/** POST /v3/types/{type_id}/action */
export const typeActions: Actions<VolumeVersion> = {
  addProjectAccess: accessAction('addProjectAccess', addAccess),
  removeProjectAccess: accessAction('removeProjectAccess', removeAccess),
};
